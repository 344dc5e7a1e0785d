/// The state of contexts and a store in the simplest form: dictionaries of values, with one overlay
/// for each context.
///
/// Random scripts are compared with it. Objects are numbers. Where the specification leaves a
/// result open, for example for an object whose row another context has deleted, the graph sets
/// `isUnclear`; a step that leads there is not run.
struct ReferenceGraph {
    enum Entity: String, CaseIterable {
        case person = "Person"
        case item = "Item"
        case box = "Box"
        case card = "Card"
        case group = "Group"

        var isItem: Bool { self == .item || self == .box }
    }

    enum Value: Hashable {
        case null
        case integer(Int64)
        case text(String)
        case object(Int)

        var destination: Int? {
            if case .object(let destination) = self { return destination }
            return nil
        }
    }

    /// Absent values are null.
    typealias Values = [String: Value]

    struct Row: Equatable {
        var values: Values
        var version: Int
    }

    struct Pair: Hashable {
        let person: Int
        let group: Int
    }

    struct Level {
        /// The parent context; nil for a context on the store.
        let parent: Int?
        let policy: Policy
        var hasUndo = false
        /// The rows of realised objects.
        var snapshots: [Int: Row] = [:]
        var changes: [Int: Values] = [:]
        var inserted: Set<Int> = []
        var updated: Set<Int> = []
        var deleted: Set<Int> = []
        /// Objects that changed at the end of a relationship without a column, taken back or not.
        var touched: Set<Int> = []
        /// By person: the items that were added or removed.
        var movedItems: [Int: Set<Int>] = [:]
        /// Persons whose items got another order, which may be the stored one again.
        var reordered: Set<Int> = []
        /// By person: the ordered items before this event first changed them, and their order in
        /// this event.
        var listsBefore: [Int: [Int]] = [:]
        var lists: [Int: [Int]] = [:]
        /// Objects deleted here and saved; another context may insert the row again.
        var gone: Set<Int> = []
        /// Those of them that were not inserted here again.
        var lost: Set<Int> = []
        /// Deleted objects that others have deleted, and those of them that were not deleted here.
        var merged: Set<Int> = []
        var deletedByOthers: Set<Int> = []
        /// Objects whose rows the save under way has found gone.
        var foundGone: Set<Int> = []
        /// Objects deleted here, until a merge policy reverted the deletion.
        var kept: Set<Int> = []
        var pairs: [Pair: Bool] = [:]

        /// The current event, and the events to undo and redo; empty without undo.
        var event = Event()
        var undoStack: [Event] = []
        var redoStack: [Event] = []
        var saveCount = 0

        var isDirty: Bool {
            !pairs.isEmpty || !inserted.subtracting(deleted).isEmpty
                || !deleted.subtracting(inserted).isEmpty
                || !updated.subtracting(inserted).subtracting(deleted).isEmpty
        }

        /// The objects that a save deletes.
        var ordered: Set<Int> { deleted.subtracting(deletedByOthers) }

        /// Whether a person or group has a pair that is not saved.
        func hasUnsavedPair(_ object: Int) -> Bool {
            pairs.keys.contains {
                $0.person == object && !isGone($0.group)
                    || $0.group == object && !isGone($0.person)
            }
        }

        private func isGone(_ object: Int) -> Bool {
            deletedByOthers.contains(object) || foundGone.contains(object)
        }

        /// Whether an item was added to or removed from a person, and that change is unsaved.
        func hasItemThatMoves(_ person: Int) -> Bool {
            movedItems[person, default: []].contains { item in
                let stored = snapshots[item]?.values["owner"] ?? .null
                let value = changes[item]?["owner"] ?? stored
                return (value == .object(person)) != (stored == .object(person))
            }
        }

        var hasChangedObjects: Bool { !updated.isEmpty || inserted != deleted }
    }

    enum Policy: Int, CaseIterable {
        case error, storeTrump, objectTrump, overwrite, rollback
        var storeWins: Bool { self == .storeTrump || self == .rollback }
    }

    /// Whether a person's items have an order.
    let isOrdered: Bool
    private(set) var entities: [Entity] = []
    private(set) var rows: [Int: Row] = [:]
    /// The last version of each row that was ever stored. A row that is inserted again has a newer
    /// one.
    private var lastVersions: [Int: Int] = [:]
    private(set) var storedPairs: Set<Pair> = []
    var levels: [Level]
    var isUnclear = false

    init(_ arrangement: [Script.Place], isOrdered: Bool) {
        self.isOrdered = isOrdered
        levels = arrangement.map {
            Level(parent: $0.parent, policy: $0.policy, hasUndo: $0.hasUndo)
        }
    }

    mutating func markUnclear() { isUnclear = true }

    mutating func setRow(of object: Int, _ row: Row?) {
        rows[object] = row
        if let row { lastVersions[object] = row.version }
    }

    mutating func insertRow(of object: Int, _ values: Values) {
        setRow(of: object, Row(values: values, version: lastVersions[object, default: 0] + 1))
    }

    mutating func setStored(_ pair: Pair, _ isAddition: Bool) {
        if isAddition { storedPairs.insert(pair) } else { storedPairs.remove(pair) }
    }

    // MARK: - Seeing

    /// The object as a level shows it to the level below; nil if the level does not show it.
    func view(_ object: Int, in level: Int?) -> Row? {
        guard let level else { return rows[object] }
        let own = levels[level]
        if own.deleted.contains(object) { return nil }
        if own.inserted.contains(object) {
            return Row(values: own.changes[object] ?? [:], version: 0)
        }
        guard var row = own.snapshots[object] ?? view(object, in: own.parent) else { return nil }
        row.values.merge(own.changes[object] ?? [:]) { $1 }
        return row
    }

    func isUsable(_ object: Int, in level: Int?) -> Bool { view(object, in: level) != nil }

    /// Whether the level and all its ancestors have the object, or, for a new object, no ancestor
    /// has it.
    func isUndisputed(_ object: Int, in level: Int?) -> Bool {
        guard let level else { return rows[object] != nil }
        let own = levels[level]
        return isUsable(object, in: level)
            && (own.inserted.contains(object)
                ? view(object, in: own.parent) == nil : isUndisputed(object, in: own.parent))
    }

    /// The pairs of persons and groups that a level shows, without those of vanished objects.
    func pairs(in level: Int?) -> Set<Pair> {
        let pairs = allPairs(in: level)
        guard let level else { return pairs }
        return pairs.filter { isUsable($0.person, in: level) && isUsable($0.group, in: level) }
    }

    private func allPairs(in level: Int?) -> Set<Pair> {
        guard let level else {
            return storedPairs.filter { rows[$0.person] != nil && rows[$0.group] != nil }
        }
        var pairs = pairs(in: levels[level].parent)
        for (pair, isAddition) in levels[level].pairs {
            if isAddition { pairs.insert(pair) } else { pairs.remove(pair) }
        }
        return pairs
    }

    /// The pairs, including those of objects that vanished from a level or the store.
    private func notedPairs(in level: Int?) -> Set<Pair> {
        guard let level else { return storedPairs }
        let own = levels[level].pairs
        return notedPairs(in: levels[level].parent).filter { own[$0] != false }
            .union(own.filter(\.value).keys)
    }

    /// The objects that a fetch by the value of `number` finds (spec §3.8). Realises the objects
    /// that it examines.
    mutating func fetch(_ family: Set<Entity>, number: Int64?, in level: Int?) -> Set<Int> {
        func matches(_ object: Int, _ row: Row?) -> Bool {
            guard let row, family.contains(entities[object]) else { return false }
            return number == nil || row.values["number"] == .integer(number!)
        }
        guard let level else { return Set(rows.filter { matches($0.key, $0.value) }.keys) }
        if levels[level].hasChangedObjects { endEvent(in: level) }
        var found = fetch(family, number: number, in: levels[level].parent)
        let dirty = levels[level].inserted.union(levels[level].updated)
            .union(levels[level].deleted).filter { family.contains(entities[$0]) }
        for object in dirty {
            found.remove(object)
            if levels[level].deleted.contains(object) { continue }
            if !isUsable(object, in: level) { isUnclear = true }
            if number != nil { realise(object, in: level) }
            if matches(object, view(object, in: level)) { found.insert(object) }
        }
        return found
    }

    // MARK: - Changing

    /// Reads the values of the object in the level, like firing its fault.
    mutating func realise(_ object: Int, in level: Int) {
        let own = levels[level]
        if own.inserted.contains(object) || own.snapshots[object] != nil { return }
        guard let row = view(object, in: own.parent) else { return isUnclear = true }
        levels[level].snapshots[object] = row
    }

    func value(_ key: String, of object: Int, in level: Int) -> Value {
        view(object, in: level)?.values[key] ?? .null
    }

    mutating func insert(_ entity: Entity, in level: Int) -> Int {
        entities.append(entity)
        let object = entities.count - 1
        capture(object, in: level, isAbsent: true)
        levels[level].inserted.insert(object)
        levels[level].changes[object] = [:]
        return object
    }

    mutating func set(_ key: String, of object: Int, to value: Value, in level: Int) {
        realise(object, in: level)
        markUpdated(object, in: level)
        levels[level].changes[object, default: [:]][key] = value
    }

    mutating func markUpdated(_ object: Int, in level: Int) {
        capture(object, in: level)
        if !levels[level].inserted.contains(object) { levels[level].updated.insert(object) }
    }

    mutating func touch(_ object: Int, in level: Int) {
        if !isUsable(object, in: level), !levels[level].deleted.contains(object) {
            isUnclear = true
        }
        markUpdated(object, in: level)
        levels[level].touched.insert(object)
    }

    /// Sets `owner` of an item, `card` of a person or `holder` of a card, and the inverse.
    mutating func setDestination(
        _ key: String, of object: Int, to destination: Int?, in level: Int
    ) {
        realise(object, in: level)
        let old = currentDestination(key, of: object, in: level)
        let owners =
            key == "owner" && old != destination ? [old, destination].compactMap(\.self) : []
        for owner in owners { openList(of: owner, in: level) }
        set(key, of: object, to: destination.map { .object($0) } ?? .null, in: level)
        guard old != destination else { return }
        switch key {
        case "owner":
            for owner in owners {
                touch(owner, in: level)
                levels[level].movedItems[owner, default: []].insert(object)
                levels[level].lists[owner]?.removeAll { $0 == object }
            }
            if let destination { levels[level].lists[destination]?.append(object) }
        default:
            let inverse = key == "card" ? "holder" : "card"
            if let old { cutEnd(inverse, of: old, from: object, in: level) }
            guard let destination else { return }
            realise(destination, in: level)
            let previous = currentDestination(inverse, of: destination, in: level)
            if let previous, previous != object {
                cutEnd(key, of: previous, from: destination, in: level)
            }
            set(inverse, of: destination, to: .object(object), in: level)
        }
    }

    /// It is open whether an end is cut that leads elsewhere, as one of the two was read earlier.
    private mutating func cutEnd(_ key: String, of object: Int, from other: Int, in level: Int) {
        realise(object, in: level)
        if currentDestination(key, of: object, in: level) != other { isUnclear = true }
        set(key, of: object, to: .null, in: level)
    }

    /// The destination, also for a deleted object.
    func currentDestination(_ key: String, of object: Int, in level: Int) -> Int? {
        let own = levels[level]
        let value =
            own.changes[object]?[key] ?? own.snapshots[object]?.values[key] ?? .null
        if case .object(let destination) = value { return destination }
        return nil
    }

    mutating func setPair(_ pair: Pair, isAddition: Bool, in level: Int) {
        guard hasPair(pair, in: level) != isAddition else { return }
        touch(pair.person, in: level)
        touch(pair.group, in: level)
        capture(pair, in: level)
        let isUnsaved = levels[level].pairs[pair] != nil
        let isTakenBack = pairs(in: levels[level].parent).contains(pair) == isAddition
        levels[level].pairs[pair] = isUnsaved && isTakenBack ? nil : isAddition
    }

    /// Deletes the object and applies its delete rules.
    mutating func delete(_ object: Int, in level: Int) {
        guard !levels[level].deleted.contains(object) else { return }
        let pairs = pairs(in: level)
        let items = items(of: object, in: level)
        // The result is open for an object at the other end that has vanished.
        let vanished = notedPairs(in: level).subtracting(pairs)
        if vanished.contains(where: { $0.person == object || $0.group == object }) {
            isUnclear = true
        }
        if !items.allSatisfy({ isUndisputed($0, in: level) }) { isUnclear = true }
        realise(object, in: level)
        if let owner = currentDestination("owner", of: object, in: level) {
            openList(of: owner, in: level)
        }
        capture(object, in: level)
        levels[level].deleted.insert(object)
        switch entities[object] {
        case .person:
            for item in items {
                delete(item, in: level)
                if currentDestination("owner", of: item, in: level) == object {
                    setDestination("owner", of: item, to: nil, in: level)
                }
            }
            cut("card", of: object, in: level)
        case .item, .box: cut("owner", of: object, in: level)
        case .card: cut("holder", of: object, in: level)
        case .group: break
        }
        for pair in pairs where pair.person == object || pair.group == object {
            setPair(pair, isAddition: false, in: level)
        }
    }

    mutating func cut(_ key: String, of object: Int, in level: Int) {
        if currentDestination(key, of: object, in: level) != nil {
            setDestination(key, of: object, to: nil, in: level)
        }
    }
}
