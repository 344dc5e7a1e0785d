import Foundation

/// An error of a results controller (spec §10.1).
public enum FetchedResultsError: Error, Sendable, Hashable {
    /// The request of the controller has no sort keys, so its objects have no order.
    case noSortKeys(entity: String)

    /// The delegate takes differences, which have no sections, and the controller has a section key.
    case differencesWithSections(entity: String)

    /// `performFetch` has not succeeded yet, or the objects were invalidated since.
    case notFetched

    /// No object is at the index path.
    case noObject(at: IndexPath, sections: Int)

    /// The section index does not have the title at this index.
    case noIndexTitle(String, at: Int)

    /// Two objects have the same section name and an object of another section between them.
    case outOfOrderSection(name: String, first: ManagedObjectID, second: ManagedObjectID)
}

extension FetchedResultsError: CodedError {
    public var code: Int { 134060 }

    public var description: String {
        switch self {
        case .noSortKeys(let entity):
            "The request for '\(entity)' has no sort keys; a results controller needs at least one."
        case .differencesWithSections(let entity):
            "The controller of '\(entity)' has sections, and its delegate takes differences, which have none; let it conform to FetchedResultsSnapshotDelegate or FetchedResultsChangeDelegate."
        case .notFetched:
            "The controller has no results; call performFetch first, and again after a reset of the context."
        case .noObject(let indexPath, let sections):
            "No object is at \(Array(indexPath)) of the \(sections) sections; use an index path of the current content, which has a section and an item."
        case .noIndexTitle(let title, let index):
            "The section index does not have '\(title)' at \(index); pass a title and its place in sectionIndexTitles."
        case .outOfOrderSection(let name, let first, let second):
            "The section '\(name)' has \(first) and \(second), with objects of other sections between them; sort by the section first."
        }
    }
}
