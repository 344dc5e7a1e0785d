/// The to-many relationships of one object that have been read or changed, by property index.
final class RelationshipContents {
    var relationships: [Int: ToManyContents] = [:]

    /// The relationships that changed since pending changes were last processed.
    var eventMask = PropertyMask()

    /// The results of fetched properties, by name.
    var fetched: [String: [ManagedObject]] = [:]

    /// Removes all notes, since the level above has the changes now or they were discarded.
    func forgetNotes() {
        for index in relationships.keys { relationships[index]!.forgetNotes() }
    }

    /// Removes the notes about some objects.
    func forgetNotes(about isForgotten: (ManagedObject) -> Bool) {
        for index in relationships.keys { relationships[index]!.forgetNotes(about: isForgotten) }
    }

    /// Removes the unsaved orders, except where members were added, since these have no places.
    func forgetOrders() {
        for index in relationships.keys { relationships[index]!.forgetOrder() }
    }

    /// Unloads the members of all relationships; unsaved changes remain.
    func unload() {
        // Nothing is copied if nothing is loaded.
        for index in relationships.keys where relationships[index]!.objects != nil {
            relationships[index]!.unload()
        }
    }

    /// Removes objects that are gone.
    func drop(_ gone: Set<ManagedObject>) {
        for index in relationships.keys { relationships[index]!.drop(gone) }
    }
}

/// The contents of one to-many relationship.
///
/// Additions and removals are noted, and applied when the members are read. So setting the other
/// end of a relationship never loads this one (spec §2.11), and members read again keep the unsaved
/// changes.
struct ToManyContents {
    typealias Note = (object: ManagedObject, isAddition: Bool)

    /// The members; nil until they have been read.
    private(set) var objects: Set<ManagedObject>?

    /// The members in their order; nil until they have been read, or if the relationship is not
    /// ordered.
    private(set) var order: [ManagedObject]?

    /// The order that the level above had when the members were read.
    private var storedOrder: [ManagedObject]?

    /// The unsaved order, to be applied when the members are read again.
    private var unsavedOrder: [ManagedObject]?

    /// Additions and removals since the last save, oldest first. A removal takes back an addition,
    /// and the other way round.
    private(set) var notes: [Note] = []

    /// Whether the members were known when each note was made, and not read again since. Then each
    /// note is a change.
    private(set) var areNotesExact = true

    /// Whether the order may have changed since the last save.
    private(set) var isReordered = false

    var hasChanges: Bool { !notes.isEmpty || isReordered }

    /// Whether members must get places before the next save.
    var needsPlaces = false

    /// Whether members have equal places, given here and in other contexts. The next save settles
    /// this.
    var hasEqualPlaces = false

    mutating func note(_ object: ManagedObject, isAddition: Bool) {
        // The other end may not have known that this changes nothing.
        if objects?.contains(object) ?? isAddition == isAddition { areNotesExact = false }
        notes.append((object, isAddition))
        if objects != nil { apply(notes[notes.count - 1]) }
    }

    private mutating func apply(_ note: Note) {
        if note.isAddition {
            guard objects!.insert(note.object).inserted else { return }
            order?.append(note.object)
        } else {
            guard objects!.remove(note.object) != nil else { return }
            if let position = order?.position(of: note.object) { order?.remove(at: position) }
        }
    }

    /// Takes the stored members and applies the notes.
    ///
    /// - Parameters:
    ///   - storedOrder: All stored members, also those that have moved away here; nil if the
    ///     relationship is not ordered.
    ///   - isMember: Whether an object that was added or removed since is a member now; nil if the
    ///     notes alone decide. Its result is nil if the stored members decide.
    mutating func load(
        _ stored: [ManagedObject], storedOrder: [ManagedObject]?,
        isMember: ((ManagedObject) -> Bool?)?
    ) {
        let isOrdered = storedOrder != nil
        let isStored = Set(stored)
        objects = isStored
        order = isOrdered ? stored : nil
        self.storedOrder = storedOrder
        let effective =
            if let isMember {
                notes.filter {
                    (isMember($0.object) ?? isStored.contains($0.object)) == $0.isAddition
                }
            } else {
                netNotes
            }
        for note in effective {
            // A member added by its own end comes last, even if others have placed it here
            // meanwhile.
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

    /// Sorts members that were read again by their places: unsaved ones, and places from other
    /// contexts. Members without a place come first, as in the store, where the place is null.
    mutating func sort(by place: (ManagedObject) -> Int64?) {
        guard let order else { return }
        let places = order.map { place($0) ?? .min }
        self.order = order.indices.sorted { (places[$0], $0) < (places[$1], $1) }.map { order[$0] }
        hasEqualPlaces = Set(places).count < places.count
    }

    /// Unloads the members, so that they are read again. An order that has no places yet is applied
    /// again then.
    mutating func unload() {
        if needsPlaces, let order { unsavedOrder = order }
        objects = nil
        order = nil
        storedOrder = nil
        if !notes.isEmpty { areNotesExact = false }
    }

    /// Sets the order of the members, which must be the same as before.
    mutating func reorder(_ members: [ManagedObject]) {
        order = members
        noteReordering()
    }

    mutating func noteReordering() {
        isReordered = true
        needsPlaces = true
    }

    /// Removes notes that have been saved, since the store has the changes now.
    mutating func forgetNotes() {
        notes = []
        areNotesExact = true
        forgetOrder()
        storedOrder = order
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

    /// Whether the last note about an object is an addition, or a removal.
    func hasNote(_ object: ManagedObject, _ isAddition: Bool) -> Bool {
        notes.last { $0.object === object }?.isAddition == isAddition
    }

    mutating func drop(_ gone: Set<ManagedObject>) {
        objects?.subtract(gone)
        order?.removeAll(where: gone.contains)
        forgetNotes(about: gone.contains)
    }

    /// Whether the order may differ from that of the last save.
    var isOrderAnother: Bool { isReordered && (order == nil || order != storedOrder) }

    /// Whether the notes have an effect.
    var hasNetNotes: Bool {
        guard areNotesMixed else { return !notes.isEmpty }
        let (added, removed) = difference
        return !added.isEmpty || !removed.isEmpty
    }

    /// Whether there are additions and removals, so that some may take back others.
    private var areNotesMixed: Bool {
        notes.contains(where: \.isAddition) && notes.contains { !$0.isAddition }
    }

    /// The notes that have an effect, oldest first.
    private var netNotes: [Note] {
        guard areNotesMixed else { return notes }
        var (added, removed) = difference
        // Of several notes about an object the last one counts.
        return notes.reversed().filter {
            ($0.isAddition ? added.remove($0.object) : removed.remove($0.object)) != nil
        }.reversed()
    }

    /// The net effect of the notes: no object is in both sets.
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
    /// Compares addresses only: a search by `===` counts references to each element.
    fileprivate func position(of object: ManagedObject) -> Int? {
        let address = UInt(bitPattern: ObjectIdentifier(object))
        return withUnsafeBufferPointer { objects in
            objects.withMemoryRebound(to: UInt.self) { $0.firstIndex(of: address) }
        }
    }

    /// The objects in the order of their places. Objects without a place follow in their order.
    func sorted(byPlaces places: [ManagedObject: Int]) -> [ManagedObject] {
        enumerated().sorted {
            (places[$0.element] ?? .max, $0.offset) < (places[$1.element] ?? .max, $1.offset)
        }.map(\.element)
    }
}
