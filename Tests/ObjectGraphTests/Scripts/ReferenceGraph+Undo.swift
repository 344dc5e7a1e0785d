// Undo and redo: each event stores the state of its objects before it (spec §2.9).
extension ReferenceGraph {
    struct Event {
        var objects: [Int: Memory] = [:]

        /// Whether each pair of the event existed before it.
        var pairs: [Pair: Bool] = [:]

        /// Whether the level above had each of them.
        var pairsAbove: [Pair: Bool] = [:]
        var saveCount = 0
    }

    /// The state of an object before and after an event.
    struct Memory {
        enum Presence {
            case absent, clean, changed, deleted
        }

        let presence: Presence
        let values: Values

        /// Of a person.
        let items: [Int]

        /// After the event: whether the object exists, its values and items, and the keys of its
        /// changed values.
        var isPresentAfterwards = false
        var valuesAfterwards: Values = [:]
        var itemsAfterwards: [Int] = []
        var keys: [String] = []

        var wasPresent: Bool { presence == .clean || presence == .changed }
    }

    static func keys(of entity: Entity) -> [String] {
        // An owner has the place of a member until the member has left.
        ["number", "text"] + destinationKeys(of: entity) + (entity.isItem ? ["place"] : [])
    }

    static func destinationKeys(of entity: Entity) -> [String] {
        switch entity {
        case .person: ["card"]
        case .item, .box: ["owner"]
        case .card: ["holder"]
        case .group: []
        }
    }

    // MARK: - Remembering

    /// Stores the state of an object before an event first touches it.
    mutating func capture(_ object: Int, in level: Int, isAbsent: Bool = false) {
        guard levels[level].hasUndo, levels[level].event.objects[object] == nil else { return }
        if !isAbsent { realise(object, in: level) }
        if !isAbsent, isOrdered, entities[object] == .person {
            requireUndisputedItems(of: object, in: level)
        }
        let own = levels[level]
        let isChanged = own.inserted.contains(object) || own.updated.contains(object)
        levels[level].event.objects[object] = Memory(
            presence: isAbsent
                ? .absent : own.deleted.contains(object) ? .deleted : isChanged ? .changed : .clean,
            values: isAbsent ? [:] : ownValues(of: object, in: level),
            items: isOrdered ? items(of: object, in: level) : [])
    }

    mutating func capture(_ pair: Pair, in level: Int) {
        guard levels[level].hasUndo, levels[level].event.pairs[pair] == nil else { return }
        levels[level].event.pairs[pair] = hasPair(pair, in: level)
        levels[level].event.pairsAbove[pair] = pairs(in: levels[level].parent).contains(pair)
    }

    func hasPair(_ pair: Pair, in level: Int) -> Bool {
        levels[level].pairs[pair] ?? pairs(in: levels[level].parent).contains(pair)
    }

    /// Makes the changes since the last event one undo step, unless they cancel each other.
    mutating func endEvent(in level: Int) {
        if let event = takeEvent(in: level) {
            levels[level].undoStack.append(event)
            levels[level].redoStack = []
        }
    }

    private mutating func takeEvent(in level: Int) -> Event? {
        requireOwnOrders(in: level)
        closeLists(in: level)
        // A new object that was deleted leaves nothing.
        let dropped = levels[level].inserted.intersection(levels[level].deleted)
        levels[level].pairs = levels[level].pairs.filter {
            !dropped.contains($0.key.person) && !dropped.contains($0.key.group)
        }
        var event = levels[level].event
        levels[level].event = Event()
        event.saveCount = levels[level].saveCount
        // A pair that was taken back is not part of the event, whatever others have done since.
        let above = pairs(in: levels[level].parent)
        for (pair, wasAbove) in event.pairsAbove
        where levels[level].pairs[pair] == nil && above.contains(pair) != wasAbove {
            markUnclear()
        }
        event.pairs = event.pairs.filter { hasPair($0.key, in: level) != $0.value }
        var isSignificant = !event.pairs.isEmpty
        for (object, memory) in event.objects {
            var memory = memory
            if !levels[level].deleted.contains(object), !isUsable(object, in: level) {
                markUnclear()
            }
            memory.isPresentAfterwards = isPresent(object, in: level)
            if memory.isPresentAfterwards {
                if memory.wasPresent { realise(object, in: level) }
                memory.valuesAfterwards = view(object, in: level)?.values ?? [:]
                if isOrdered { memory.itemsAfterwards = items(of: object, in: level) }
            }
            memory.keys = Self.keys(of: entities[object])
            if memory.wasPresent, memory.isPresentAfterwards {
                memory.keys.removeAll {
                    memory.values[$0, default: .null]
                        == memory.valuesAfterwards[$0, default: .null]
                }
                if !memory.keys.isEmpty { isSignificant = true }
            } else if memory.wasPresent != memory.isPresentAfterwards {
                isSignificant = true
            }
            event.objects[object] = memory
        }
        levels[level].inserted.subtract(dropped)
        levels[level].deleted.subtract(dropped)
        for object in dropped { levels[level].changes[object] = nil }
        return isSignificant ? event : nil
    }

    /// If others have moved a person's items since the event first touched the person, it is open
    /// whether undo restores their order.
    private mutating func requireOwnOrders(in level: Int) {
        let own = levels[level]
        for (person, memory) in own.event.objects where isOrdered && memory.wasPresent {
            let before =
                own.listsBefore[person]
                ?? (isPresent(person, in: level) ? items(of: person, in: level) : memory.items)
            if before != memory.items { markUnclear() }
        }
    }

    private func isPresent(_ object: Int, in level: Int) -> Bool {
        !levels[level].deleted.contains(object) && isUsable(object, in: level)
    }

    // MARK: - Going back

    mutating func undo(in level: Int) {
        endEvent(in: level)
        guard let event = levels[level].undoStack.popLast() else { return }
        if let opposite = revert(event, in: level) { levels[level].redoStack.append(opposite) }
        if event.saveCount == levels[level].saveCount { clean(event, in: level) }
    }

    mutating func redo(in level: Int) {
        endEvent(in: level)
        guard let event = levels[level].redoStack.popLast() else { return }
        if let opposite = revert(event, in: level) { levels[level].undoStack.append(opposite) }
        if event.saveCount == levels[level].saveCount { clean(event, in: level) }
    }

    /// - Returns: The opposite event.
    private mutating func revert(_ event: Event, in level: Int) -> Event? {
        let objects = event.objects.sorted { $0.key < $1.key }
        // The result is open for objects that others have changed since.
        let isClear = objects.allSatisfy { object, memory in
            isAsLeft(object, memory, event, in: level)
                && isMutual(object, memory.values) { event.objects[$0]?.values }
                && isMutual(object, memory.valuesAfterwards) { view($0, in: level)?.values }
        }
        if !isClear { markUnclear() }
        for (object, memory) in objects
        where isOrdered && memory.wasPresent && memory.items != items(of: object, in: level) {
            openList(of: object, in: level)
        }
        for (object, memory) in objects where memory.wasPresent {
            if !isPresent(object, in: level) { bringBack(object, memory, in: level) }
        }
        for (object, memory) in objects where memory.wasPresent && !memory.keys.isEmpty {
            realise(object, in: level)
            for key in memory.keys
            where value(key, of: object, in: level) != memory.values[key, default: .null] {
                let value = memory.values[key, default: .null]
                // Others may have deleted the destination since.
                if let end = value.destination, !isUsable(end, in: level) { markUnclear() }
                assign(value, to: key, of: object, in: level)
            }
        }
        for (pair, wasThere) in event.pairs where hasPair(pair, in: level) != wasThere {
            setPair(pair, isAddition: wasThere, in: level)
        }
        for (object, memory) in objects
        where isOrdered && memory.wasPresent && memory.items != items(of: object, in: level) {
            let shown = items(of: object, in: level)
            // The members of that time get their old order relative to each other.
            var remembered = memory.items.filter(shown.contains)[...]
            reorder(
                shown.map { memory.items.contains($0) ? remembered.removeFirst() : $0 },
                of: object, in: level)
            if Set(memory.items) != Set(shown) { markUpdated(object, in: level) }
        }
        for (object, memory) in objects where !memory.wasPresent && isPresent(object, in: level) {
            takeAway(object, in: level)
        }
        return takeEvent(in: level)
    }

    private func isAsLeft(
        _ object: Int, _ memory: Memory, _ event: Event, in level: Int
    ) -> Bool {
        guard isPresent(object, in: level) == memory.isPresentAfterwards,
            !levels[level].kept.contains(object)
        else { return false }
        guard memory.isPresentAfterwards else {
            // The event deleted it, and it was not saved since: its row must still exist.
            return !levels[level].deleted.contains(object)
                || levels[level].inserted.contains(object)
                || event.saveCount == levels[level].saveCount
                    && isUndisputed(object, in: levels[level].parent)
        }
        // After another context inserted the row again, this context may have another object for it
        // than the event has.
        guard isUndisputed(object, in: level), !levels[level].lost.contains(object) else {
            return false
        }
        if isOrdered, items(of: object, in: level) != memory.itemsAfterwards { return false }
        return Self.destinationKeys(of: entities[object]).allSatisfy {
            value($0, of: object, in: level) == memory.valuesAfterwards[$0, default: .null]
        }
    }

    /// Whether both ends of a one-to-one relationship agree. They do not if one of them is an older
    /// copy.
    func isMutual(
        _ object: Int, _ values: Values, _ valuesOfOther: (Int) -> Values?
    ) -> Bool {
        [("card", "holder"), ("holder", "card")].allSatisfy { key, inverse in
            guard case .object(let other)? = values[key], let others = valuesOfOther(other) else {
                return true
            }
            return others[inverse] == .object(object)
        }
    }

    private mutating func bringBack(_ object: Int, _ memory: Memory, in level: Int) {
        levels[level].lost.remove(object)
        if levels[level].deleted.contains(object), !levels[level].inserted.contains(object) {
            capture(object, in: level)
            levels[level].deleted.remove(object)
        } else {
            capture(object, in: level, isAbsent: true)
            levels[level].deleted.remove(object)
            levels[level].inserted.insert(object)
            levels[level].changes[object] = [:]
        }
    }

    private mutating func takeAway(_ object: Int, in level: Int) {
        // If others have added items to an object that undo restored, it is deleted with its delete
        // rules.
        guard levels[level].inserted.contains(object), items(of: object, in: level).isEmpty
        else { return delete(object, in: level) }
        for key in Self.destinationKeys(of: entities[object]) {
            cut(key, of: object, in: level)
        }
        capture(object, in: level)
        levels[level].deleted.insert(object)
    }

    /// Makes an object clean again that was clean before the event and has the same state now.
    private mutating func clean(_ event: Event, in level: Int) {
        var cleaned: Set<Int> = []
        for (object, memory) in event.objects where memory.presence == .clean {
            guard levels[level].updated.contains(object), isPresent(object, in: level),
                !levels[level].inserted.contains(object),
                changedValues(of: object, in: level).isEmpty,
                !levels[level].hasItemThatMoves(object),
                !levels[level].pairs.keys.contains(where: {
                    $0.person == object || $0.group == object
                })
            else { continue }
            cleaned.insert(object)
            levels[level].updated.remove(object)
            levels[level].touched.remove(object)
            levels[level].reordered.remove(object)
            levels[level].changes[object] = nil
        }
        for object in event.objects.keys {
            levels[level].movedItems[object]?.subtract(cleaned)
            if cleaned.contains(object) { levels[level].movedItems[object] = nil }
        }
        let own = levels[level]
        let dirty = own.inserted.union(own.updated).union(own.deleted)
        levels[level].pairs = own.pairs.filter {
            dirty.contains($0.key.person) && dirty.contains($0.key.group)
        }
    }
}
