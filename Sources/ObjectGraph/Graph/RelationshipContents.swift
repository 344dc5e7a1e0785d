/// The to-many relationships of one object that have been read or changed, by property index.
final class RelationshipContents {
    var relationships: [Int: ToManyContents] = [:]

    /// Forgets the members of all of them; what is unsaved remains.
    func unload() {
        for index in relationships.keys { relationships[index]!.unload() }
    }
}

/// The contents of one to-many relationship.
///
/// Additions and removals are noted and applied to the members when these are read, so that setting the other end of a
/// relationship never loads this one (spec §2.11), and newer members keep the unsaved changes.
struct ToManyContents {
    /// The members; nil as long as they have not been read.
    var objects: Set<ManagedObject>?

    /// What has been added and removed since the last save, oldest first.
    private(set) var notes: [(object: ManagedObject, isAddition: Bool)] = []

    mutating func note(_ object: ManagedObject, isAddition: Bool) {
        notes.append((object, isAddition))
        guard objects != nil else { return }
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
        objects = members
        return members
    }

    /// Forgets the members, so that they are read anew; what is unsaved remains.
    mutating func unload() { objects = nil }

    /// Forgets notes that have been saved, since the store has them now.
    mutating func forgetNotes() { notes = [] }
}
