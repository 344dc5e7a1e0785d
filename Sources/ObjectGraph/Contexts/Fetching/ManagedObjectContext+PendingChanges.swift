// Correcting what the level above has found by pending changes (spec §3.8).
extension ManagedObjectContext {
    /// The objects whose pending changes may affect the result.
    func pendingObjects(for request: FetchRequest, _ entity: Entity) -> [ManagedObject] {
        guard request.includesPendingChanges, !tracker.isEmpty else { return [] }
        processPendingChanges()
        let family =
            request.includesSubentities ? entity.familyIndexes : entity.index...entity.index
        func isConcerned(_ object: ManagedObject) -> Bool {
            guard object.hasChanges, family.contains(object.binding.entity.index) else {
                return false
            }
            guard let stores = request.affectedStores else { return true }
            return stores.contains(object.binding.scope.storeIdentifier ?? "")
        }
        return tracker.objects.filter(isConcerned)
    }

    /// The pending objects whose present values match the request.
    func matches(
        among pending: [ManagedObject], _ request: FetchRequest, _ entity: Entity
    ) throws -> [ManagedObject] {
        let predicate = try request.predicate.map { try compiled($0, entity) }
        var known: Set<ManagedObject> = []
        return pending.filter {
            !$0.isDeleted && known.insert($0).inserted
                && predicate?.matches(ObjectSubject(object: $0)) ?? true
        }
    }

    /// Adds the objects that match now, removes those that no longer do, sorts again and applies
    /// the limit.
    func correct(
        _ objects: [ManagedObject], for request: FetchRequest, _ entity: Entity,
        _ pending: [ManagedObject]
    ) throws -> [ManagedObject] {
        let matches = try matches(among: pending, request, entity)
        // The ranks of several stores cannot be compared: `sort` throws.
        if request.isRanked, Set(objects.map(\.binding.storeNumber)).count < 2 {
            let changed = Set(pending)
            let ranked = objects.filter { !changed.contains($0) }
            return try request.page(of: ranked + sort(matches, by: request.withoutRank, entity))
        }
        let dropped = Set(pending).subtracting(matches)
        var result = objects.filter { !dropped.contains($0) }
        let known = Set(result)
        result += matches.filter { !known.contains($0) }
        return try request.page(of: sort(result, by: request, entity))
    }

    func sort(
        _ objects: [ManagedObject], by request: FetchRequest, _ entity: Entity
    ) throws -> [ManagedObject] {
        guard !request.sortKeys.isEmpty else { return objects }
        let sort = try CompiledSort(request.sortKeys, entity: entity, model: model)
        return objects.map(ObjectSubject.init).sorted(by: sort.areInIncreasingOrder).map(\.object)
    }

    // MARK: - Identities

    /// The identities in order, corrected by pending changes. Returns nil if the values of many
    /// rows are needed: for results of several stores, or for many pending objects.
    ///
    /// Finding the place of an object among n sorted ones reads about log₂ n of them.
    func keys(
        _ groups: [StoreKeys], _ request: FetchRequest, _ entity: Entity, _ pending: [ManagedObject]
    ) throws -> StoreKeys? {
        guard groups.count == 1 else { return nil }
        guard !pending.isEmpty else { return groups[0] }
        guard pending.allSatisfy({ $0.binding.storeNumber == groups[0].storeNumber }) else {
            return nil
        }
        let matches = try matches(among: pending, request, entity)
        let changed = Set(pending.map(\.reference))
        let unchanged = groups[0].keys.filter { !changed.contains($0.key) }
        var keys = unchanged
        if request.sortKeys.isEmpty || request.isRanked {
            keys += try sort(matches, by: request.withoutRank, entity).map(EntityKey.init)
        } else {
            guard matches.count * Self.rowsPerPlace <= max(unchanged.count, Self.rowsPerPlace)
            else { return nil }
            keys = try merge(
                sort(matches, by: request, entity), into: unchanged, request, entity,
                groups[0].storeNumber)
        }
        return StoreKeys(storeNumber: groups[0].storeNumber, keys: request.page(of: keys))
    }

    /// How many rows can be read together for about the cost of finding one place row by row.
    private static let rowsPerPlace = 64

    private func merge(
        _ matches: [ManagedObject], into keys: [EntityKey], _ request: FetchRequest,
        _ entity: Entity, _ storeNumber: Int
    ) throws -> [EntityKey] {
        let sort = try CompiledSort(request.sortKeys, entity: entity, model: model)
        var merged: [EntityKey] = []
        merged.reserveCapacity(keys.count + matches.count)
        var start = 0
        for match in matches {
            var (low, high) = (start, keys.count)
            while low < high {
                let middle = (low + high) / 2
                let other = object(
                    keys[middle].key, entityIndex: keys[middle].entityIndex,
                    storeNumber: storeNumber)
                let order = sort.compare(ObjectSubject(object: other), ObjectSubject(object: match))
                if order <= 0 { low = middle + 1 } else { high = middle }
            }
            merged += keys[start..<low]
            merged.append(EntityKey(match))
            start = low
        }
        return merged + keys[start...]
    }
}

extension EntityKey {
    init(_ object: ManagedObject) {
        self.init(entityIndex: object.binding.entity.index, key: object.reference)
    }
}
