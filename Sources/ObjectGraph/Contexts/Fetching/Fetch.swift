/// A fetch from the level above, beside the pending changes of a context (spec §3.8).
struct Fetch {
    // The request is passed along. A copy of it would count references to each of its parts.

    let context: ManagedObjectContext
    let entity: Entity

    /// The objects whose pending changes may affect the result.
    let pending: [ManagedObject]

    init(of request: FetchRequest, _ entity: Entity, in context: ManagedObjectContext) {
        self.context = context
        self.entity = entity
        pending = context.pendingObjects(for: request, entity)
    }

    func find(_ request: FetchRequest) throws -> FoundRows {
        // Does not copy the request if nothing is pending.
        pending.isEmpty
            ? try askAbove(for: request) : try askAbove(for: request.stored(beside: pending))
    }

    private func askAbove(for request: FetchRequest) throws -> FoundRows {
        // A program that looks one object up looks up more.
        let isLookUp = request.fetchLimit == 1
        return try context.askAbove {
            request.wantsKeys
                ? .keys(try context.channel.fetchKeys(request, entity: entity))
                : .rows(
                    try context.channel.fetchRows(
                        request, entity: entity,
                        ReadOptions(keepsSnapshot: isLookUp && context.queue.keepSnapshot())))
        }
    }

    /// All objects that match, without prefetching: a child context does its own.
    func objects(_ request: FetchRequest) throws -> [ManagedObject] {
        try objects(find(request), request)
    }

    // MARK: - From what the level above has found

    func results(_ found: FoundRows, _ request: FetchRequest) throws -> FetchedResults {
        if request.fetchBatchSize > 0, case .keys(let groups) = found,
            let keys = try keys(groups, request)
        {
            return .batches(FetchedBatches(keys, request, entity: entity, context: context))
        }
        let objects = try objects(found, request)
        return .objects(
            objects, prefetched: try Prefetch(in: context).run(for: objects, request, entity))
    }

    /// The identities in order, corrected by pending changes. Returns nil if the values of many
    /// rows are needed.
    func keys(_ groups: [StoreKeys], _ request: FetchRequest) throws -> StoreKeys? {
        guard groups.count == 1 else { return nil }
        return pending.isEmpty ? groups[0] : try correction(of: request).correct(groups[0])
    }

    func objects(_ found: FoundRows, _ request: FetchRequest) throws -> [ManagedObject] {
        var objects: [ManagedObject]
        let storeCount: Int
        switch found {
        case .rows(let groups):
            storeCount = groups.count
            objects = groups.joined { $0.objects(request, entity, in: context) }
        case .keys(let groups):
            if let keys = try keys(groups, request) { return keys.objects(in: context) }
            storeCount = groups.count
            objects = groups.joined { $0.objects(in: context) }
            if !request.sortKeys.isEmpty { try context.load(objects, entity) }
        }
        if !pending.isEmpty { return try correction(of: request).correct(objects) }
        guard storeCount > 1 else { return objects }
        return try request.page(of: request.sorted(objects, entity, context.model))
    }

    /// How many objects match; at most the limit if there is one.
    func count(_ request: FetchRequest) throws -> Int {
        pending.isEmpty
            ? try context.channel.count(request, entity: entity)
            : try correction(of: request).count()
    }

    private func correction(of request: FetchRequest) -> PendingCorrection {
        PendingCorrection(context: context, request: request, entity: entity, pending: pending)
    }
}

/// The results of the level above: rows, or identities if no values are needed yet.
enum FoundRows: Sendable {
    case rows([StoreRows])
    case keys([StoreKeys])
}

extension FetchRequest {
    /// Whether a fetch of objects reads their identities first.
    var wantsKeys: Bool { fetchBatchSize > 0 || !includesPropertyValues }

    /// Runs the statements of a request with prefetching so that they see one state.
    func inOneState<T>(
        of entity: Entity, in context: ManagedObjectContext, _ body: () throws -> T
    ) throws -> T {
        guard !relationshipKeyPathsForPrefetching.isEmpty else { return try body() }
        return try context.channel.stores().readingOneState(self, entity: entity, body)
    }

    /// The objects in the order of the request.
    func sorted(
        _ objects: [ManagedObject], _ entity: Entity, _ model: ManagedObjectModel
    ) throws -> [ManagedObject] {
        guard !sortKeys.isEmpty else { return objects }
        let sort = try CompiledSort(sortKeys, entity: entity, model: model)
        return objects.map(ObjectSubject.init).sorted(by: sort.areInIncreasingOrder).map(\.object)
    }

    /// The request to the level above. Each object with pending changes may leave the page, so as
    /// many more rows are read.
    func stored(beside pending: [ManagedObject]) -> FetchRequest {
        pending.isEmpty ? self : untilPage(and: pending.count(where: \.mayBeKnownAbove))
    }
}

extension StoreRows {
    func objects(
        _ request: FetchRequest, _ entity: Entity, in context: ManagedObjectContext
    ) -> [ManagedObject] {
        context.objects(
            of: self, root: entity, realised: !request.returnsObjectsAsFaults,
            refreshes: request.shouldRefreshRefetchedObjects)
    }
}

extension StoreKeys {
    func objects(in context: ManagedObjectContext) -> [ManagedObject] {
        keys.map {
            context.object($0.key, entityIndex: $0.entityIndex, storeNumber: storeNumber)
        }
    }

    init(_ fetched: StoreRows) {
        self.init(storeNumber: fetched.storeNumber, keys: fetched.rows.map(EntityKey.init))
    }
}

extension Array {
    /// Concatenates the results of the groups. The result of a single group is not copied.
    fileprivate func joined<Result>(_ results: (Element) -> [Result]) -> [Result] {
        count == 1 ? results(self[0]) : flatMap(results)
    }
}
