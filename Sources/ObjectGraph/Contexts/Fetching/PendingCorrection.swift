/// Corrects what the level above has found by pending changes (spec §3.8).
struct PendingCorrection {
    let context: ManagedObjectContext
    let request: FetchRequest
    let entity: Entity

    /// The objects whose pending changes may affect the result; at least one.
    let pending: [ManagedObject]

    /// The pending objects whose present values match the request.
    private func matches() throws -> [ManagedObject] {
        let predicate = try request.predicate.map {
            try CompiledPredicate($0, entity, in: context)
        }
        var known: Set<ManagedObject> = []
        return pending.filter {
            !$0.isDeleted && known.insert($0).inserted
                && predicate?.matches(ObjectSubject(object: $0)) ?? true
        }
    }

    // MARK: - Objects

    /// Adds the objects that match now, removes those that no longer do, sorts again and applies
    /// the limit.
    func correct(_ objects: [ManagedObject]) throws -> [ManagedObject] {
        let matches = try matches()
        // The ranks of several stores cannot be compared: `sorted` throws.
        if request.isRanked, Set(objects.map(\.binding.storeNumber)).count < 2 {
            let changed = Set(pending)
            let ranked = objects.filter { !changed.contains($0) }
            return try request.page(
                of: ranked + request.withoutRank.sorted(matches, entity, context.model))
        }
        let dropped = Set(pending).subtracting(matches)
        var result = objects.filter { !dropped.contains($0) }
        let known = Set(result)
        result += matches.filter { !known.contains($0) }
        return try request.page(of: request.sorted(result, entity, context.model))
    }

    // MARK: - Identities

    /// Corrects identities. Returns nil if the values of many rows are needed: for many pending
    /// objects, or for those of other stores.
    ///
    /// Finding the place of an object among n sorted ones reads about log₂ n of them.
    func correct(_ found: StoreKeys) throws -> StoreKeys? {
        guard pending.allSatisfy({ $0.binding.storeNumber == found.storeNumber }) else {
            return nil
        }
        let matches = try matches()
        let changed = Set(pending.map(\.reference))
        let unchanged = found.keys.filter { !changed.contains($0.key) }
        var keys = unchanged
        if request.sortKeys.isEmpty || request.isRanked {
            keys += try request.withoutRank.sorted(matches, entity, context.model).map(
                EntityKey.init)
        } else {
            guard matches.count * Self.rowsPerPlace <= max(unchanged.count, Self.rowsPerPlace)
            else { return nil }
            keys = try merge(
                request.sorted(matches, entity, context.model), into: unchanged, found.storeNumber)
        }
        return StoreKeys(storeNumber: found.storeNumber, keys: request.page(of: keys))
    }

    /// How many rows can be read together for about the cost of finding one place row by row.
    private static let rowsPerPlace = 64

    private func merge(
        _ matches: [ManagedObject], into keys: [EntityKey], _ storeNumber: Int
    ) throws -> [EntityKey] {
        let sort = try CompiledSort(request.sortKeys, entity: entity, model: context.model)
        var merged: [EntityKey] = []
        merged.reserveCapacity(keys.count + matches.count)
        var start = 0
        for match in matches {
            var (low, high) = (start, keys.count)
            while low < high {
                let middle = (low + high) / 2
                let other = context.object(
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

    // MARK: - Counts

    /// How many objects match; at most the limit if there is one.
    func count() throws -> Int {
        let matches = try matches()
        let others = try countAbove(besides: try knownAbove())
        return request.page(ofCount: others + matches.count)
    }

    /// How many objects the level above finds, except these.
    private func countAbove(besides objects: [ManagedObject]) throws -> Int {
        let request = request.withoutPage()
        do {
            return try context.askAbove {
                try context.channel.count(request.excluding(objects), entity: entity)
            }
        } catch FetchError.tooDeep, FetchError.tooManyConstants {
            // The predicate is within the limits, but not with the objects to exclude.
            return try context.askAbove {
                let excluded = Dictionary(grouping: objects, by: \.binding.storeNumber)
                    .mapValues { Set($0.map(\.reference)) }
                return try context.channel.fetchKeys(request, entity: entity).reduce(0) {
                    sum, found in
                    let keys = excluded[found.storeNumber] ?? []
                    return sum + found.keys.count(where: { !keys.contains($0.key) })
                }
            }
        }
    }

    /// The objects that the level above may count as well.
    private func knownAbove() throws -> [ManagedObject] {
        let candidates = pending.filter(\.mayBeKnownAbove)
        let unsure = candidates.filter { $0.isInserted && $0.reference < 0 }
        guard !unsure.isEmpty else { return candidates }
        // Asking the parent avoids a predicate with a term for each new object.
        let known = try Dictionary(grouping: unsure, by: \.binding.entity.index).flatMap {
            let binding = $1[0].binding
            let objects = $1
            return try context.askAbove {
                try context.channel.rows(
                    objects.map(\.reference), entity: binding.entity,
                    storeNumber: binding.storeNumber)
            }.map(\.key)
        }
        let unknown = Set(unsure.map(\.reference)).subtracting(known)
        return candidates.filter { !unknown.contains($0.reference) }
    }
}

extension FetchRequest {
    /// The request for the number of all objects that match.
    fileprivate func withoutPage() -> FetchRequest {
        var request = self
        request.fetchLimit = 0
        request.fetchOffset = 0
        request.sortKeys = []
        return request
    }

    /// The request for all objects that match, except these.
    fileprivate func excluding(_ objects: [ManagedObject]) -> FetchRequest {
        guard !objects.isEmpty else { return self }
        var request = self
        let others = ObjectPredicate.not(
            .comparison(
                .init(
                    .evaluatedObject, .in,
                    .aggregate(objects.map { .constant(.objectID($0.objectID)) }))))
        request.predicate = predicate.map { $0 && others } ?? others
        return request
    }
}

extension ManagedObject {
    /// Whether the level above may find the object as well. It may even if the object is new here:
    /// undo may have brought the object back here, and another context may have done so above.
    var mayBeKnownAbove: Bool {
        !isInserted || reference >= 0 || managedObjectContext?.parent != nil
    }
}

extension EntityKey {
    init(_ object: ManagedObject) {
        self.init(entityIndex: object.binding.entity.index, key: object.reference)
    }
}
