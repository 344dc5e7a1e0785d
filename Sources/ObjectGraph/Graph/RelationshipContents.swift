/// The to-many relationships of one object that have been read or changed, by property index.
final class RelationshipContents {
    var relationships: [Int: ToManyContents] = [:]
}

/// The contents of one to-many relationship.
///
/// Until they are first read, additions and removals are only noted, so that setting the other end of a relationship
/// never loads this one (spec §2.11).
struct ToManyContents {
    /// The members; nil as long as they have not been read.
    var objects: Set<ManagedObject>?

    /// What has been added and removed since, oldest first; empty once the members have been read.
    private(set) var notes: [(object: ManagedObject, isAddition: Bool)] = []

    mutating func note(_ object: ManagedObject, isAddition: Bool) {
        guard objects != nil else { return notes.append((object, isAddition)) }
        if isAddition {
            objects!.insert(object)
        } else {
            objects!.remove(object)
        }
    }

    /// Takes the stored members and applies the notes.
    mutating func load(_ stored: Set<ManagedObject>) -> Set<ManagedObject> {
        var members = stored
        for note in notes {
            if note.isAddition {
                members.insert(note.object)
            } else {
                members.remove(note.object)
            }
        }
        notes = []
        objects = members
        return members
    }

    /// Forgets notes that have been saved, since the store has them now.
    mutating func forgetNotes() { notes = [] }
}
