@testable import ObjectGraph

// The order of a person's items, in a model with ordered items. Each item has a number, which is a
// value like others (spec §8.3), so that saves, conflicts, refreshes and undo treat it as one. Only
// the code here sorts by it.
extension ReferenceGraph {
    /// The items of a person, in their order if they are ordered.
    func items(of person: Int, in level: Int?) -> [Int] {
        guard entities[person] == .person else { return [] }
        if let level, let list = levels[level].lists[person] { return list }
        let items = entities.indices.filter {
            entities[$0].isItem && view($0, in: level)?.values["owner"] == .object(person)
        }
        return isOrdered ? sortedByPlaces(items, in: level) : items
    }

    /// The items of a person as the level last read them, in their order.
    func storedItems(of person: Int, in level: Int) -> [Int] {
        let own = levels[level]
        let stored = entities.indices.compactMap { item -> (place: Int64, item: Int)? in
            let row = own.snapshots[item] ?? view(item, in: own.parent)
            guard entities[item].isItem, let row, row.values["owner"] == .object(person) else {
                return nil
            }
            guard case .integer(let place)? = row.values["place"] else { return (.min, item) }
            return (place, item)
        }
        return stored.sorted(by: <).map(\.item)
    }

    func sortedByPlaces(_ items: [Int], in level: Int?) -> [Int] {
        items.map { (place(of: $0, in: level) ?? .min, $0) }.sorted(by: <).map(\.1)
    }

    private func place(of item: Int, in level: Int?) -> Int64? {
        guard case .integer(let place)? = view(item, in: level)?.values["place"] else { return nil }
        return place
    }

    /// Whether several contexts have put items at the same place, so that their order is undefined.
    func isOrderOpen(_ person: Int, in level: Int?) -> Bool {
        guard isOrdered else { return false }
        let places = items(of: person, in: level).compactMap { place(of: $0, in: level) }
        return Set(places).count < places.count
    }

    /// Marks the graph unclear for items whose row another context has deleted, and for items that
    /// another context has moved and this one has deleted or not read again.
    mutating func requireUndisputedItems(of person: Int, in level: Int) {
        let deleted = levels[level].deleted
        let items = items(of: person, in: level) + levels[level].movedItems[person, default: []]
        let areThere = (items + [person]).allSatisfy {
            deleted.contains($0) || isUndisputed($0, in: level)
        }
        let isCutOff = deleted.allSatisfy {
            currentDestination("owner", of: $0, in: level) != person
        }
        if !areThere || !isCutOff || hasStaleItem(person, in: level)
            || isOrderOpen(person, in: level)
        {
            markUnclear()
        }
    }

    func hasStaleItem(_ person: Int, in level: Int) -> Bool {
        let own = levels[level]
        return own.snapshots.contains { item, row in
            let newest = view(item, in: own.parent)?.values["owner"] ?? .null
            let known = row.values["owner"] ?? .null
            return own.changes[item]?["owner"] == nil && newest != known
                && [newest, known].contains(.object(person))
        }
    }

    // MARK: - Changing

    /// Sets a person's items to these, in this order (spec §2.11).
    mutating func arrange(_ items: [Int], of person: Int, in level: Int) {
        requireUndisputedItems(of: person, in: level)
        realise(person, in: level)
        let old = self.items(of: person, in: level)
        for item in old where !items.contains(item) {
            setDestination("owner", of: item, to: nil, in: level)
        }
        for item in items where !old.contains(item) {
            setDestination("owner", of: item, to: person, in: level)
        }
        markUpdated(person, in: level)
        if isOrdered { reorder(items, of: person, in: level) }
    }

    /// Sets the order of a person's items, if they are the same items.
    mutating func reorder(_ items: [Int], of person: Int, in level: Int) {
        let old = self.items(of: person, in: level)
        guard old != items, Set(old) == Set(items) else { return }
        openList(of: person, in: level)
        touch(person, in: level)
        levels[level].reordered.insert(person)
        levels[level].lists[person] = items
    }

    /// Records the items of a person before an event first changes them.
    mutating func openList(of person: Int, in level: Int) {
        guard isOrdered, levels[level].lists[person] == nil else { return }
        requireUndisputedItems(of: person, in: level)
        let items = items(of: person, in: level)
        levels[level].listsBefore[person] = items
        levels[level].lists[person] = items
    }

    /// Numbers the items whose order this event has changed.
    mutating func closeLists(in level: Int) {
        let lists = levels[level].lists
        for (person, items) in lists where isUsable(person, in: level) {
            // The snapshot makes changes by others detectable.
            realise(person, in: level)
            let places = OrderedPlaces.rising(from: items.map { place(of: $0, in: level) })
            let moved = zip(items, places).filter { place(of: $0, in: level) != $1 }
            // A child that has arranged what is already so keeps its order, or takes a later one of
            // its parent: both are right.
            if moved.isEmpty, levels[level].parent != nil, levels[level].reordered.contains(person)
            {
                markUnclear()
            }
            for (item, place) in moved { set("place", of: item, to: .integer(place), in: level) }
        }
        levels[level].listsBefore = [:]
        levels[level].lists = [:]
    }
}
