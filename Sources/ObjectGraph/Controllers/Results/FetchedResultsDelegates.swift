import Foundation
import Logging

/// The delegate of a results controller (spec §10.3). Conform to one of the three protocols below,
/// each of which reports changes in another shape.
public protocol FetchedResultsControllerDelegate<Object>: AnyObject {
    associatedtype Object: ManagedObject

    /// The title of a section in the section index; nil leaves the section out. By default the
    /// first character of the name in upper case.
    func controller(
        _ controller: FetchedResultsController<Object>, indexTitleForSection name: String
    ) -> String?

    /// Changes could not be followed: a read failed, or sections became out of order. The content
    /// is empty until the next `performFetch`. Also called by `indexPath(for:)` and `snapshot` if they
    /// need identities that cannot be read. By default, and without a delegate, the error is logged.
    func controller(_ controller: FetchedResultsController<Object>, didFailWith error: any Error)
}

extension FetchedResultsControllerDelegate {
    public func controller(
        _ controller: FetchedResultsController<Object>, indexTitleForSection name: String
    ) -> String? {
        controller.defaultIndexTitle(ofSection: name)
    }

    public func controller(
        _ controller: FetchedResultsController<Object>, didFailWith error: any Error
    ) {
        FetchedResultsController<Object>.log(error)
    }
}

extension FetchedResultsController {
    static func log(_ error: any Error) {
        Logger(label: "ObjectGraph").error("A results controller stopped: \(error)")
    }
}

/// Receives each change of sections and objects, in the order of the methods (spec §10.3).
///
/// `indexPath` and section indexes of deletions count before all changes of the event, those of
/// insertions after them. The content is old in `controllerWillChangeContent` and new from then on.
public protocol FetchedResultsChangeDelegate<Object>: FetchedResultsControllerDelegate {
    // Restated, so that it is inferred from the methods below.
    associatedtype Object

    func controllerWillChangeContent(_ controller: FetchedResultsController<Object>)

    /// A section appeared, with its objects, or disappeared, without any.
    func controller(
        _ controller: FetchedResultsController<Object>,
        didChange section: FetchedResultsSection<Object>, _ change: FetchedResultsSectionChange)

    /// An object appeared, disappeared, moved or was updated.
    func controller(
        _ controller: FetchedResultsController<Object>, didChange object: Object,
        _ change: FetchedResultsChange)

    func controllerDidChangeContent(_ controller: FetchedResultsController<Object>)
}

/// Receives the content after each event as section names and identifiers. Cost: O(n) an event.
public protocol FetchedResultsSnapshotDelegate<Object>: FetchedResultsControllerDelegate {
    associatedtype Object

    func controller(
        _ controller: FetchedResultsController<Object>,
        didChangeContentWith snapshot: FetchedResultsSnapshot)
}

/// Receives the difference that each event makes to the list of identifiers. Used only without
/// sections.
///
/// A move is a removal and an insertion that are associated. Updates make no difference, so an
/// event with nothing else delivers an empty one.
public protocol FetchedResultsDifferenceDelegate<Object>: FetchedResultsControllerDelegate {
    associatedtype Object

    func controller(
        _ controller: FetchedResultsController<Object>,
        didChangeContentWith difference: CollectionDifference<ManagedObjectID>)
}

/// The change of a section.
public enum FetchedResultsSectionChange: Sendable, Hashable {
    case insert(at: Int)
    case delete(at: Int)
}

/// The change of an object. The path of a deletion and the first path of the others count before
/// the event, the last one after it.
public enum FetchedResultsChange: Sendable, Hashable {
    case insert(at: IndexPath)
    case delete(at: IndexPath)

    /// Another place or section. The object was also updated.
    case move(from: IndexPath, to: IndexPath)

    /// Changed values. The path differs only by what happened to other objects.
    case update(at: IndexPath, after: IndexPath)
}
