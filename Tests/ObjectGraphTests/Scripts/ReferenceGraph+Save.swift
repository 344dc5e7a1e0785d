/// The objects of a save by what happened to them.
struct SavedObjects: Equatable {
    var inserted: Set<Int> = []
    var updated: Set<Int> = []
    var deleted: Set<Int> = []
}

extension ReferenceGraph {
    enum SaveOutcome: Equatable {
        case nothing
        case saved(SavedObjects)
        case invalid
        case conflict
        case unknownObjects
    }

    mutating func save(_ level: Int) -> SaveOutcome {
        endEvent(in: level)
        guard levels[level].isDirty else {
            forgetChanges(of: level)
            return .nothing
        }
        // Ends are settled before validation, so also if the save fails.
        if levels[level].parent == nil, displacesEnds(level) { markUnclear() }
        let own = levels[level]
        // The engine reads an order again here, with or without what others have moved since this
        // context read it.
        if isOrdered,
            own.touched.contains(where: {
                isOrderOpen($0, in: level) || hasStaleItem($0, in: level)
            })
        {
            markUnclear()
        }
        // A member that comes back is the last one.
        if isOrdered, own.touched.contains(where: { !isTouched($0, in: level) }) { markUnclear() }
        let updated = own.updated.subtracting(own.deleted).subtracting(own.inserted)
        for object in updated { realise(object, in: level) }
        let inserted = own.inserted.subtracting(own.deleted)
        for object in updated.union(inserted) where entities[object] == .group {
            if value("text", of: object, in: level) == .null { return .invalid }
        }
        return own.parent.map { push(level, to: $0) } ?? write(level)
    }

    /// Whether an object has other members than at the last save, or in another order.
    private func isTouched(_ object: Int, in level: Int) -> Bool {
        let own = levels[level]
        return own.hasUnsavedPair(object) || own.hasItemThatMoves(object)
            || own.reordered.contains(object)
                && items(of: object, in: level) != storedItems(of: object, in: level)
    }

    // MARK: - To a parent

    private mutating func push(_ level: Int, to parent: Int) -> SaveOutcome {
        let own = levels[level]
        if changesUnknownObject(level, in: parent) {
            // A parent with a parent assumes that objects that it has read still exist; its own
            // save finds out.
            if levels[parent].parent != nil { markUnclear() }
            return .unknownObjects
        }
        if setsContradictoryEnds(level, in: parent) { markUnclear() }
        for person in own.touched where isUsable(person, in: parent) {
            openList(of: person, in: parent)
        }
        var saved = SavedObjects(
            inserted: own.inserted.subtracting(own.deleted),
            deleted: own.ordered.subtracting(own.inserted))
        var revived: [Int] = []
        for object in saved.inserted {
            let isDeleted = levels[parent].deleted.contains(object)
            let isInserted = levels[parent].inserted.contains(object)
            if isDeleted ? isInserted : !isUsable(object, in: parent) {
                capture(object, in: parent, isAbsent: true)
                levels[parent].deleted.remove(object)
                levels[parent].inserted.insert(object)
                levels[parent].changes[object] = own.changes[object]
            } else {
                // The child has undone a deletion that the parent has not saved, or has undone as
                // well. If the parent has saved it, both have inserted the row again.
                if !isInserted, levels[parent].gone.contains(object) { markUnclear() }
                capture(object, in: parent)
                levels[parent].deleted.remove(object)
                markUpdated(object, in: parent)
                revived.append(object)
            }
        }
        for object in saved.inserted where !revived.contains(object) {
            if case .object(let owner)? = own.changes[object]?["owner"] {
                touchOwner(owner, of: object, in: parent)
            }
        }
        for object in revived {
            for key in Self.keys(of: entities[object]) {
                assign(own.changes[object]?[key] ?? .null, to: key, of: object, in: parent)
            }
        }
        for object in own.updated.subtracting(own.deleted).subtracting(own.inserted) {
            let changed = changedValues(of: object, in: level)
            guard !changed.isEmpty || isTouched(object, in: level) else { continue }
            saved.updated.insert(object)
            // The result of changes to an object that the parent has deleted and not saved is open.
            if levels[parent].deleted.contains(object) { markUnclear() }
            // The parent gets the child's values; its own relationships maintain their inverses.
            realise(object, in: parent)
            markUpdated(object, in: parent)
            for (key, value) in changed.sorted(by: { $0.key < $1.key }) {
                assign(value, to: key, of: object, in: parent)
            }
        }
        for object in saved.deleted where !levels[parent].deleted.contains(object) {
            // It is open whether an object that is already gone counts as deleted.
            if !isUsable(object, in: parent) { markUnclear() }
            delete(object, in: parent)
        }
        let pairs = own.pairs.filter { isWritten($0.key, $0.value, own) }
        for (pair, isAddition) in pairs {
            // A pair that the parent has is noted there unless it has read the members.
            if hasPair(pair, in: parent) == isAddition { markUnclear() }
            setPair(pair, isAddition: isAddition, in: parent)
        }
        for person in levels[parent].lists.keys {
            if isOrderOpen(person, in: parent) { markUnclear() }
            let items = items(of: person, in: parent)
            reorder(sortedByPlaces(items, in: parent), of: person, in: parent)
        }
        // A save without changes does not reach the parent.
        if saved != SavedObjects() || !pairs.isEmpty { endEvent(in: parent) }
        settle(level, saved)
        return .saved(saved)
    }

    /// Whether the child has changed an object that is gone from all its ancestors (spec §4.2). The
    /// parent then takes none of its changes.
    private func changesUnknownObject(_ level: Int, in parent: Int) -> Bool {
        changedObjects(level).subtracting(levels[level].deleted).contains {
            !isUsable($0, in: parent) && !levels[parent].deleted.contains($0)
        }
    }

    /// Whether a conflict or a refresh has left inconsistent ends in either context, so that the
    /// order of the assignments matters.
    private func setsContradictoryEnds(_ level: Int, in parent: Int) -> Bool {
        let own = levels[level]
        return own.updated.subtracting(own.deleted).subtracting(own.inserted).contains { object in
            let changed = changedValues(of: object, in: level)
            guard let value = changed["card"] ?? changed["holder"] else { return false }
            var ends = [object]
            if case .object(let destination) = value { ends.append(destination) }
            return ![level, parent].allSatisfy { level in
                ends.allSatisfy {
                    isMutual($0, view($0, in: level)?.values ?? [:]) {
                        view($0, in: level)?.values
                    }
                }
            }
        }
    }

    private mutating func touchOwner(_ owner: Int, of item: Int, in level: Int) {
        if !isUsable(owner, in: level) { return markUnclear() }
        markUpdated(owner, in: level)
        levels[level].touched.insert(owner)
        levels[level].movedItems[owner, default: []].insert(item)
        levels[level].lists[owner]?.append(item)
    }

    /// Sets any property, and the inverse of a relationship.
    mutating func assign(_ value: Value, to key: String, of object: Int, in level: Int) {
        switch (key, value) {
        case ("number", _), ("text", _), ("place", _): set(key, of: object, to: value, in: level)
        case (_, .object(let destination)):
            setDestination(key, of: object, to: destination, in: level)
        default: setDestination(key, of: object, to: nil, in: level)
        }
    }

    // MARK: - To the store

    private mutating func write(_ level: Int) -> SaveOutcome {
        let before = self
        let policy = levels[level].policy
        for object in levels[level].ordered.subtracting(levels[level].inserted)
        where levels[level].snapshots[object] == nil && rows[object] != nil {
            levels[level].snapshots[object] = rows[object]
        }
        let conflicting = conflictingObjects(level)
        for object in conflicting {
            guard policy != .error else {
                self = before
                return .conflict
            }
            resolve(object, level, policy)
        }
        if policy == .rollback {
            for object in conflicting
            where rows[object] != nil && !before.levels[level].deleted.contains(object) {
                // It is open whether the pair is forgotten before its other row is found gone.
                let isOpen = levels[level].pairs.keys.contains {
                    $0.person == object && levels[level].foundGone.contains($0.group)
                        || $0.group == object && levels[level].foundGone.contains($0.person)
                }
                if isOpen { markUnclear() }
                forgetPairs(of: object, in: level)
            }
        }
        // Others may have made the same order.
        if !conflicting.isEmpty, !levels[level].reordered.isEmpty { markUnclear() }
        if conflicting.contains(where: { hasOnlyMadeMoves($0, level) || isPairGone($0, level) }) {
            markUnclear()
        }
        for object in conflicting { settleEnds(of: object, level, before, policy) }
        let own = levels[level]
        var saved = SavedObjects(
            inserted: own.inserted.subtracting(own.deleted),
            deleted: own.ordered.subtracting(own.inserted))
        for object in saved.inserted {
            // Two contexts have inserted a deleted row again.
            if rows[object] != nil { markUnclear() }
            insertRow(of: object, ownValues(of: object, in: level))
        }
        for object in own.updated.subtracting(own.deleted).subtracting(own.inserted) {
            let changed = changedValues(of: object, in: level)
            guard !changed.isEmpty || isTouched(object, in: level) else { continue }
            saved.updated.insert(object)
            guard var row = rows[object] else {
                markUnclear()
                continue
            }
            row.values.merge(changed) { $1 }
            row.version += 1
            setRow(of: object, row)
        }
        for object in saved.deleted { setRow(of: object, nil) }
        for (pair, isAddition) in own.pairs where isWritten(pair, isAddition, own) {
            setStored(pair, isAddition)
        }
        if entities.indices.contains(where: { isOrderOpen($0, in: nil) }) { markUnclear() }
        settle(level, saved)
        return .saved(saved)
    }

    /// Whether others have related an object since that is related elsewhere here, or the rows of
    /// two ends disagree. The engine then reads rows again.
    private func displacesEnds(_ level: Int) -> Bool {
        let own = levels[level]
        return own.updated.union(own.ordered).contains { object in
            [("card", "holder"), ("holder", "card")].contains { key, inverse in
                func leadsBack(_ end: Int) -> Bool {
                    own.snapshots[end]?.values[inverse] == .object(object)
                }
                let isDeleted = own.deleted.contains(object)
                guard isDeleted || own.changes[object]?[key] != nil else { return false }
                let stored = own.snapshots[object]?.values[key]?.destination
                let current = isDeleted ? nil : own.changes[object]?[key]?.destination
                guard stored != current else { return false }
                return stored.map {
                    !leadsBack($0) || value(inverse, of: $0, in: level) == .object(object)
                } ?? false || current.map(leadsBack) ?? false
            }
        }
    }

    private func conflictingObjects(_ level: Int) -> [Int] {
        let own = levels[level]
        return changedObjects(level).filter {
            (rows[$0] != nil || !own.deleted.contains($0))
                && rows[$0]?.version != own.snapshots[$0]?.version
        }.sorted()
    }

    private func changedObjects(_ level: Int) -> Set<Int> {
        let own = levels[level]
        let updated = own.updated.subtracting(own.deleted).subtracting(own.inserted).filter {
            !changedValues(of: $0, in: level).isEmpty || isTouched($0, in: level)
        }
        return updated.union(own.ordered.subtracting(own.inserted))
    }

    /// Whether a person is written for items alone which others have moved there or deleted as well:
    /// nothing of it is left to be written once their rows are known.
    private func hasOnlyMadeMoves(_ person: Int, _ level: Int) -> Bool {
        let own = levels[level]
        guard own.updated.contains(person), entities[person] == .person,
            !own.hasUnsavedPair(person), changedValues(of: person, in: level).isEmpty
        else { return false }
        return own.movedItems[person, default: []].allSatisfy { item in
            guard let row = rows[item] else { return true }
            return ownValues(of: item, in: level)["owner"] == row.values["owner"]
        }
    }

    /// Whether both objects of a one-to-one relationship are found gone: it is open whether the
    /// unchanged one counts as deleted.
    private func isPairGone(_ object: Int, _ level: Int) -> Bool {
        let own = levels[level]
        return own.foundGone.contains(object)
            && ["card", "holder"].contains { key in
                let end = own.snapshots[object]?.values[key]?.destination
                return end.map { rows[$0] == nil && !own.deleted.contains($0) } ?? false
            }
    }

    /// Applies the policy to one object whose row was changed or deleted (spec §5.3, §5.4).
    private mutating func resolve(_ object: Int, _ level: Int, _ policy: Policy) {
        guard let theirs = rows[object] else {
            levels[level].updated.remove(object)
            if policy.storeWins {
                levels[level].deleted.insert(object)
                levels[level].foundGone.insert(object)
            } else {
                levels[level].inserted.insert(object)
            }
            return
        }
        guard let base = levels[level].snapshots[object] else { return markUnclear() }
        forgetEqualValues(of: object, in: level)
        levels[level].snapshots[object] = theirs
        if levels[level].deleted.contains(object) {
            if policy.storeWins {
                levels[level].deleted.remove(object)
                levels[level].kept.insert(object)
                levels[level].changes[object] = nil
                // What the deletion has cut stays cut, and is a change of both ends.
                let isCut =
                    levels[level].movedItems[object]?.isEmpty == false
                    || levels[level].pairs.keys.contains { [$0.person, $0.group].contains(object) }
                if isCut {
                    markUpdated(object, in: level)
                    levels[level].touched.insert(object)
                } else {
                    levels[level].updated.remove(object)
                    levels[level].touched.remove(object)
                }
            }
            return
        }
        let keys = Set(base.values.keys).union(theirs.values.keys)
            .union(levels[level].changes[object, default: [:]].keys)
        for key in keys {
            let isChangedThere =
                theirs.values[key, default: .null] != base.values[key, default: .null]
            switch policy {
            case .rollback: levels[level].changes[object]?[key] = nil
            case .storeTrump where isChangedThere: levels[level].changes[object]?[key] = nil
            case .overwrite where levels[level].changes[object]?[key] == nil:
                levels[level].changes[object, default: [:]][key] =
                    base.values[key, default: .null]
            default: break
            }
        }
    }

    /// Carries what the policy has decided to the other ends (spec §5.3.11, §5.4.12). Marks the graph
    /// unclear where ends of one-to-one relationships, orders or deletions depend on each other.
    private mutating func settleEnds(
        of object: Int, _ level: Int, _ before: Self, _ policy: Policy
    ) {
        let own = levels[level]
        let theirs = rows[object]?.values ?? [:]
        if own.deleted.contains(object) {
            if rows[object] == nil { return cutReferences(to: [object], in: level) }
            if isRelatedElsewhere(object, level, before) { markUnclear() }
            return
        }
        for key in ["owner", "card", "holder"] {
            let result = ownValues(of: object, in: level)[key, default: .null]
            let mine = before.value(key, of: object, in: level)
            let ends = [theirs[key, default: .null], result, mine].compactMap(\.destination)
            let isSettled = Set(ends).count > 1 || result != theirs[key, default: .null]
            if key == "owner", !isSettled || !isOrdered && rows[object] != nil {
                guard ends.allSatisfy({ rows[$0] != nil && !own.deleted.contains($0) }) else {
                    markUnclear()
                    continue
                }
                for end in Set(ends) {
                    let isMember = result == .object(end)
                    guard isMember != (theirs[key] == .object(end)) else { continue }
                    if !own.updated.contains(end) { levels[level].snapshots[end] = rows[end] }
                    touch(end, in: level)
                    levels[level].movedItems[end, default: []].insert(object)
                }
            } else if isSettled || mine != result
                || !ends.allSatisfy({ isLinked($0, back: object, key, level) })
            {
                markUnclear()
            }
        }
    }

    /// Whether the other end of a one-to-one relationship leads back.
    private func isLinked(_ end: Int, back object: Int, _ key: String, _ level: Int) -> Bool {
        let inverse = key == "card" ? "holder" : "card"
        let own = levels[level]
        let value = own.changes[end]?[inverse] ?? rows[end]?.values[inverse]
        return !own.deleted.contains(end) && value == .object(object)
    }

    /// Whether the store relates a deleted object to others than the context knows.
    private func isRelatedElsewhere(_ object: Int, _ level: Int, _ before: Self) -> Bool {
        let own = levels[level]
        let known = before.levels[level].snapshots[object]?.values ?? [:]
        return ["owner", "card", "holder"].contains {
            rows[object]?.values[$0, default: .null] != known[$0, default: .null]
        }
            || rows.contains { other, row in
                !own.deleted.contains(other)
                    && row.values.contains { key, value in
                        value == .object(object) && changedValues(of: other, in: level)[key] == nil
                    }
            }
            || storedPairs.contains {
                [$0.person, $0.group].contains(object) && own.pairs[$0] == nil
            }
    }

    /// Drops the unsaved pairs of an object, except those whose other end is deleted.
    private mutating func forgetPairs(of object: Int, in level: Int) {
        let deleted = levels[level].deleted
        levels[level].pairs = levels[level].pairs.filter { pair, _ in
            let ends = [pair.person, pair.group]
            return !ends.contains(object) || !deleted.isDisjoint(with: ends)
        }
    }

    // MARK: - Both

    private func isWritten(_ pair: Pair, _ isAddition: Bool, _ own: Level) -> Bool {
        let ends = [pair.person, pair.group]
        return isAddition
            ? own.deleted.isDisjoint(with: ends)
            : own.inserted.isDisjoint(with: ends)
    }

    func ownValues(of object: Int, in level: Int) -> Values {
        (levels[level].snapshots[object]?.values ?? [:])
            .merging(levels[level].changes[object, default: [:]]) { $1 }
    }

    /// The unsaved values that differ from the snapshot.
    func changedValues(of object: Int, in level: Int) -> Values {
        let base = levels[level].snapshots[object]?.values ?? [:]
        return levels[level].changes[object, default: [:]]
            .filter { base[$0.key, default: .null] != $0.value }
    }

    /// Updates the level after a save: the written values become its snapshots.
    private mutating func settle(_ level: Int, _ saved: SavedObjects) {
        let own = levels[level]
        for object in saved.inserted.union(saved.updated) {
            let row = own.parent == nil ? rows[object] : nil
            levels[level].snapshots[object] = Row(
                values: ownValues(of: object, in: level), version: row?.version ?? 0)
        }
        for object in own.deleted { levels[level].snapshots[object] = nil }
        levels[level].gone.formUnion(saved.deleted)
        levels[level].lost.formUnion(saved.deleted)
        forgetChanges(of: level)
        levels[level].saveCount += 1
    }
}
