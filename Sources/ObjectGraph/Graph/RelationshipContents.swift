/// The to-many relationships of one object that have been read or changed, by property index.
final class RelationshipContents {
    var relationships: [Int: ToManyContents] = [:]

    /// What changed since pending changes were last processed.
    var eventMask = PropertyMask()

    /// The objects of fetched properties that have been asked for, by name.
    var fetched: [String: [ManagedObject]] = [:]
}

/// The contents of one to-many relationship.
///
/// Until they are first read, additions and removals are only noted, so that setting the other end of a relationship
/// never loads this one (spec §2.11).
struct ToManyContents {
    typealias Note = (object: ManagedObject, isAddition: Bool)

    /// The members; nil as long as they have not been read.
    private(set) var objects: Set<ManagedObject>?

    /// The members in their order; nil unless they have been read and the relationship is ordered.
    private(set) var order: [ManagedObject]?

    /// What has been added and removed since the last save, oldest first.
    private(set) var notes: [Note] = []

    /// Whether the order may have changed since the last save.
    private(set) var isReordered = false

    /// Whether the places of the members have to be worked out before the next save.
    var needsPlaces = false

    mutating func note(_ object: ManagedObject, isAddition: Bool) {
        notes.append((object, isAddition))
        if objects != nil { apply(notes[notes.count - 1]) }
    }

    private mutating func apply(_ note: Note) {
        if note.isAddition {
            guard objects!.insert(note.object).inserted else { return }
            order?.append(note.object)
        } else {
            guard objects!.remove(note.object) != nil else { return }
            order?.removeAll { $0 === note.object }
        }
    }

    /// Takes the stored members and applies the notes.
    @discardableResult
    mutating func load(_ stored: [ManagedObject], isOrdered: Bool) -> Set<ManagedObject> {
        objects = Set(stored)
        if isOrdered { order = stored }
        for note in notes { apply(note) }
        return objects!
    }

    /// Gives the members, which must be the same as before, another order.
    mutating func reorder(_ members: [ManagedObject]) {
        order = members
        noteReordering()
    }

    mutating func noteReordering() {
        isReordered = true
        needsPlaces = true
    }

    /// Forgets notes that have been saved, since the store has them now.
    mutating func forgetNotes() {
        notes = []
        isReordered = false
        needsPlaces = false
    }

    /// What the notes come down to: no object is in both sets.
    var difference: (added: Set<ManagedObject>, removed: Set<ManagedObject>) {
        var (added, removed): (Set<ManagedObject>, Set<ManagedObject>) = ([], [])
        for note in notes {
            if note.isAddition {
                if removed.remove(note.object) == nil { added.insert(note.object) }
            } else {
                if added.remove(note.object) == nil { removed.insert(note.object) }
            }
        }
        return (added, removed)
    }
}
