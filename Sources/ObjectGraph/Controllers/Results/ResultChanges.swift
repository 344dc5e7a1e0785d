import Foundation

/// An event as a list sees it.
struct ResultEvent {
    /// An object that belongs to the list after the event.
    struct Member {
        let object: ManagedObject
        let section: String
        let stamp: Int?

        init(_ object: ManagedObject, _ order: ResultOrder) {
            self.object = object
            section = order.sectionName(of: object)
            stamp = order.stamp(of: object)
        }
    }

    var gone: [ResultList.Handle] = []
    var changed: [(handle: ResultList.Handle, member: Member)] = []
    var arrived: [Member] = []

    var isEmpty: Bool { gone.isEmpty && changed.isEmpty && arrived.isEmpty }

    /// The objects that belong to the list before and after the event.
    var changedIdentities: Set<RowIdentity> {
        Set(changed.lazy.map { RowIdentity($0.member.object) })
    }
}

/// The effects of an event on a list. Old paths and positions count before the event, new ones
/// after.
struct ResultChanges {
    struct Place {
        let path: IndexPath
        let position: Int
    }

    var insertedSections: [(index: Int, name: String)] = []
    var deletedSections: [(index: Int, name: String)] = []
    var deletes: [(object: ManagedObject, old: Place)] = []
    var inserts: [(object: ManagedObject, new: Place)] = []
    var moves: [(object: ManagedObject, old: Place, new: Place)] = []
    var updates: [(object: ManagedObject, old: Place, new: Place)] = []

    var isEmpty: Bool {
        deletes.isEmpty && inserts.isEmpty && moves.isEmpty && updates.isEmpty
    }
}

extension ResultList {
    func place(of handle: Handle) -> ResultChanges.Place {
        let position = items.position(of: handle)
        return ResultChanges.Place(path: indexPath(ofPosition: position), position: position)
    }
}
