import Foundation

// Fetching, and the sections of what was fetched (spec §10.1).
extension FetchedResultsController {
    /// Fetches the objects and divides them into sections.
    ///
    /// Order and sections are those of the values in memory, where these differ from the store's.
    /// Notifies no delegate but that of snapshots. Cost: the fetch, and what the sections cost:
    /// nothing if the cache has them; one grouping statement for a batched list that is sorted by
    /// its section attribute first; otherwise a value of each object, which a batched list reads
    /// batch by batch. Of a long batched list another thread reads the identities that the first
    /// screen does not need; the first event that concerns the list, `indexPath(for:)` and a snapshot
    /// wait for them. A batched list is loaded whole if the context has a row of its objects that is
    /// out of date, which costs a statement to find out after batch requests.
    /// - Throws: `FetchedResultsError.noSortKeys`, `differencesWithSections` and
    ///   `outOfOrderSection`; the errors of `fetch` of the context. The content then stays as it
    ///   was.
    public func performFetch() throws {
        context.checkQueue()
        try checkDelegate()
        take(try load(fetchRequest, withItems: deliversSnapshots))
        if observation == nil {
            observation = context.followers.add { [weak self] in self?.receive($0) }
        }
        deliverSnapshot()
    }

    /// What a fetch has found.
    struct Content {
        let list: ResultList
        let order: ResultOrder
        let windows: ResultWindows
        let relatedStamps: [RelatedIdentity: Int]
    }

    func take(_ content: Content) {
        (list, order, windows) = (content.list, content.order, content.windows)
        relatedStamps = content.relatedStamps
        isStale = false
        renewedKeys = []
        fetchCount += 1
    }

    /// - Parameter withItems: Whether a list in batches gets its items, instead of showing its fetch.
    /// - Throws: as `performFetch`.
    func load(_ fetchRequest: FetchRequest, withItems: Bool) throws -> Content {
        var request = fetchRequest
        guard !request.sortKeys.isEmpty else {
            throw FetchedResultsError.noSortKeys(entity: request.entityName)
        }
        let entity = try context.entity(of: request, Object.self)
        let order = try ResultOrder(request, entity, section: sectionExpression, in: context)
        // Rows that are read whole are compared in memory.
        let needsRows =
            request.fetchBatchSize > 0 || !request.includesPropertyValues || cacheName != nil
        let mayDiffer = needsRows ? try order.differsFromStore() : order.holdsValues
        if mayDiffer { request.fetchBatchSize = 0 }
        let sections = SectionReader(
            order, sectionExpression, mayDiffer ? nil : cacheName.map { (cache, $0) })
        let fetched = try context.fetch(
            request, as: Object.self, needsAllIdentities: withItems)
        let list: ResultList
        var windows = ResultWindows()
        switch fetched.results {
        case .objects(var objects, let prefetched):
            if mayDiffer { objects = try order.sort(objects) }
            let items = objects.map {
                ResultList.Item(
                    key: EntityKey($0), storeNumber: $0.binding.storeNumber, object: $0,
                    stamp: order.stamp(of: $0))
            }
            let sorted = FetchedObjects<Object>(.objects(objects, prefetched: prefetched))
            list = ResultList(
                items, sections: try sections.runs(of: sorted, grouped: false), holdsObjects: true)
            windows.prefetched = prefetched
        case .batches(let batches):
            let runs = try sections.runs(of: fetched, grouped: true)
            if !withItems, batches.unsavedObjects.isEmpty {
                list = ResultList(showing: batches, sections: runs)
                break
            }
            let keys = try batches.currentKeys()
            let items = keys.keys.enumerated().map { position, key in
                ResultList.Item(
                    key: key, storeNumber: keys.storeNumber,
                    object: batches.unsavedObjects[position], stamp: nil)
            }
            list = ResultList(items, sections: runs, holdsObjects: false)
        }
        return Content(
            list: list, order: order, windows: windows, relatedStamps: order.relatedStamps())
    }
}

/// Finds the sections of a fetched list: in the cache, by a grouping statement, or object by
/// object.
struct SectionReader {
    private let order: ResultOrder
    private let expression: ObjectExpression?
    private let cached: (cache: SectionCache, name: String, key: SectionCache.Key)?

    init(
        _ order: ResultOrder, _ expression: ObjectExpression?,
        _ cache: (SectionCache, name: String)?
    ) {
        self.order = order
        self.expression = expression
        // The state of the stores is taken before the fetch, so that it is not newer.
        cached = cache.flatMap { cache, name in
            guard let expression else { return nil }
            return SectionCache.Key(of: order, expression).map { (cache, name, $0) }
        }
    }

    /// The sections in order; nil without a section key.
    ///
    /// - Parameter grouped: Whether to avoid reading all objects.
    func runs<Object: ManagedObject>(
        of objects: FetchedObjects<Object>, grouped: Bool
    ) throws -> [SectionRun]? {
        guard let expression else { return nil }
        if let (cache, name, key) = cached, key == SectionCache.Key(of: order, expression),
            let runs = cache.runs(named: name, for: key, count: objects.count)
        {
            return runs
        }
        var runs: [SectionRun] = []
        if grouped, let found = try groupedRuns(expression, count: objects.count) {
            runs = found
        } else {
            // Identities that cannot be read would be objects without values.
            if case .batches(let batches) = objects.results { _ = try batches.currentKeys() }
            for object in objects { runs.append(order.sectionName(of: object)) }
        }
        try requireOrder(of: runs, objects)
        if let (cache, name, key) = cached, key == SectionCache.Key(of: order, expression) {
            cache.keep(runs, named: name, for: key)
        }
        return runs
    }

    /// The sections from a statement that groups rows; nil if it would not see the same objects in
    /// the same order.
    private func groupedRuns(_ expression: ObjectExpression, count: Int) throws -> [SectionRun]? {
        let request = order.request
        guard let first = request.sortKeys.first, first.expression == expression,
            first.comparison == .binary, case .keyPath(let keyPath) = expression,
            case .attribute(_, let property)? = order.section, !property.isTransient,
            request.fetchLimit == 0, request.fetchOffset == 0, order.seesStoreOnly
        else { return nil }
        var groups = request
        groups.propertiesToFetch = [
            FetchedProperty(name: "name", expression: expression),
            FetchedProperty(name: "count", expression: .function("count:", [.evaluatedObject])),
        ]
        groups.propertiesToGroupBy = [keyPath]
        groups.sortKeys = [first]
        groups.fetchBatchSize = 0
        var runs: [SectionRun] = []
        for group in try order.context.fetchDictionaries(groups) {
            guard let count = group["count"]?.integer else { return nil }
            runs.append((group["name"] ?? .null).sectionName, count: Int(count))
        }
        // Others may have written since the fetch.
        return runs.reduce(0) { $0 + $1.count } == count ? runs : nil
    }

    private func requireOrder<Object: ManagedObject>(
        of runs: [SectionRun], _ objects: FetchedObjects<Object>
    ) throws(FetchedResultsError) {
        var starts: [String: Int] = [:]
        var start = 0
        for run in runs {
            if let first = starts.updateValue(start, forKey: run.name) {
                throw .outOfOrderSection(
                    name: run.name, first: objects[first].objectID,
                    second: objects[start].objectID)
            }
            start += run.count
        }
    }
}

extension ResultOrder {
    /// Whether a fetch finds exactly what one store has.
    var seesStoreOnly: Bool {
        context.parent == nil && context.coordinator.persistentStores.count == 1
            && context.pendingObjects(for: request, entity).isEmpty
    }
}

extension [SectionRun] {
    /// Adds objects with a section name at the end.
    mutating func append(_ name: String, count: Int = 1) {
        if last?.name == name {
            self[endIndex - 1].count += count
        } else {
            append(SectionRun(name: name, count: count))
        }
    }
}
