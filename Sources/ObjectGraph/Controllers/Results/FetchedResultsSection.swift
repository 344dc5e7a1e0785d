import Foundation

/// A section of a results controller.
public struct FetchedResultsSection<Object: ManagedObject> {
    public let name: String

    /// The title in the section index; nil if the section is not in it.
    public let indexTitle: String?
    public let numberOfObjects: Int

    private let controller: FetchedResultsController<Object>

    init(
        name: String, numberOfObjects: Int, of controller: FetchedResultsController<Object>
    ) {
        self.name = name
        self.numberOfObjects = numberOfObjects
        self.controller = controller
        indexTitle = controller.indexTitle(ofSection: name)
    }

    /// The objects that the section has now; empty when it has disappeared. Cost: reads those that
    /// are not loaded, a batch a statement.
    public var objects: [Object] { controller.objects(inSection: name) }
}

extension IndexPath {
    /// The path of an item in a section of a results controller.
    public init(item: Int, section: Int) { self = [section, item] }

    /// The section of a path of a results controller.
    public var section: Int { self[0] }

    /// The item within its section of a path of a results controller.
    public var item: Int { self[1] }
}
