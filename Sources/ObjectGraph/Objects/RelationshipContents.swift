/// The to-many relationships of one object that have been read or changed, by property index.
final class RelationshipContents {
    var relationships: [Int: ToManyContents] = [:]

    /// What changed since pending changes were last processed.
    var eventMask = PropertyMask()

    /// The objects of fetched properties that have been asked for, by name.
    var fetched: [String: [ManagedObject]] = [:]

    /// Forgets what was unsaved, since the level above has it now, or it has come to nothing.
    func forgetNotes() {
        for index in relationships.keys { relationships[index]!.forgetNotes() }
    }

    /// Forgets what was unsaved about some objects.
    func forgetNotes(about isForgotten: (ManagedObject) -> Bool) {
        for index in relationships.keys { relationships[index]!.forgetNotes(about: isForgotten) }
    }

    /// Forgets in which order the members are to be saved, save for new ones, which have no places.
    func forgetOrders() {
        for index in relationships.keys { relationships[index]!.forgetOrder() }
    }

    /// Forgets the members of all of them; what is unsaved remains.
    func unload() {
        for index in relationships.keys { relationships[index]!.unload() }
    }

    /// Forgets objects that are gone.
    func drop(_ gone: Set<ManagedObject>) {
        for index in relationships.keys { relationships[index]!.drop(gone) }
    }
}

/// The contents of one to-many relationship.
///
/// Additions and removals are noted and applied to the members when these are read, so that setting the other end of a
/// relationship never loads this one (spec §2.11), and newer members keep the unsaved changes.
struct ToManyContents {
    typealias Note = (object: ManagedObject, isAddition: Bool)

    /// The members; nil as long as they have not been read.
    private(set) var objects: Set<ManagedObject>?

    /// The members in their order; nil unless they have been read and the relationship is ordered.
    private(set) var order: [ManagedObject]?

    /// The unsaved order that members read anew are to take.
    private var unsavedOrder: [ManagedObject]?

    /// What has been added and removed since the last save, oldest first.
    private(set) var notes: [Note] = []

    /// Whether the order may have changed since the last save.
    private(set) var isReordered = false

    /// Whether the places of the members have to be worked out before the next save.
    var needsPlaces = false

    /// Whether other contexts have put members where this one has, which the next save settles.
    var hasEqualPlaces = false

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
    ///
    /// - Parameter isMember: Whether an object that came or went since is a member now; nil where the notes alone say it.
    mutating func load(
        _ stored: [ManagedObject], isOrdered: Bool, isMember: ((ManagedObject) -> Bool)?
    ) {
        objects = Set(stored)
        if isOrdered { order = stored }
        for note in notes where isMember.map({ $0(note.object) == note.isAddition }) ?? true {
            // What its own end has brought was not here before, wherever others have put it since: it comes last.
            if isOrdered, isMember != nil, note.isAddition {
                apply((note.object, isAddition: false))
            }
            apply(note)
        }
        guard let unsavedOrder else { return }
        let places = Dictionary(
            zip(unsavedOrder, unsavedOrder.indices), uniquingKeysWith: { first, _ in first })
        order = order?.sorted(byPlaces: places)
        self.unsavedOrder = nil
    }

    /// Sorts members that were read anew by their places: unsaved ones, and those that others have given meanwhile. What
    /// has lost its place to others comes first, as in the store, where it is null.
    mutating func sort(by place: (ManagedObject) -> Int64?) {
        guard let order else { return }
        let places = order.map { place($0) ?? .min }
        self.order = order.indices.sorted { (places[$0], $0) < (places[$1], $1) }.map { order[$0] }
        hasEqualPlaces = Set(places).count < places.count
    }

    /// Forgets the members, so that they are read anew; an order that has no places yet is given to those.
    mutating func unload() {
        if needsPlaces, let order { unsavedOrder = order }
        objects = nil
        order = nil
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
        forgetOrder()
    }

    mutating func forgetOrder() {
        unsavedOrder = nil
        hasEqualPlaces = false
        guard difference.added.isEmpty else { return }
        isReordered = false
        needsPlaces = false
    }

    mutating func forgetNotes(about isForgotten: (ManagedObject) -> Bool) {
        notes.removeAll { isForgotten($0.object) }
    }

    mutating func drop(_ gone: Set<ManagedObject>) {
        objects?.subtract(gone)
        order?.removeAll(where: gone.contains)
        forgetNotes(about: gone.contains)
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

extension [ManagedObject] {
    /// The objects in the order of their places; those without one keep their order behind them.
    func sorted(byPlaces places: [ManagedObject: Int]) -> [ManagedObject] {
        enumerated().sorted {
            (places[$0.element] ?? .max, $0.offset) < (places[$1.element] ?? .max, $1.offset)
        }.map(\.element)
    }
}
