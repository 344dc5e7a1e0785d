/// The three passes of a migration over all mappings: objects are created, related and validated
/// (spec §9.3).
///
/// Objects pass in chunks. Both contexts are reset after each, so that memory does not grow with the
/// stores.
final class MigrationPasses {
    private let manager: MigrationManager

    /// Gets the part that is done, from 0 to 1. What it throws ends the migration.
    private let report: (Double) throws -> Void

    private let source: SQLiteStore
    private let destination: SQLiteStore
    private let names: Set<String>
    private var work = Work()

    /// The number of objects to go over, and how many are done.
    private struct Work {
        var total = 0
        var done = 0
        var fraction: Double { total == 0 ? 1 : min(1, Double(done) / Double(total)) }
    }

    init(_ manager: MigrationManager, report: @escaping (Double) throws -> Void) throws {
        self.manager = manager
        self.report = report
        let record = manager.destinationContext.coordinator.records[0]
        source = manager.sourceContext.coordinator.records[0].store as! SQLiteStore
        destination = record.store as! SQLiteStore
        names = record.entityNames
        for plan in manager.plans {
            guard let entity = plan.created else { continue }
            var request = FetchRequest(entityName: entity.name)
            request.includesSubentities = false
            let count = try manager.sourceContext.count(for: request)
            let isValidated = plan.destination.map(Self.needsValidation) ?? false
            work.total += count * (1 + (plan.isRelated ? 1 : 0) + (isValidated ? 1 : 0))
        }
    }

    func run() throws {
        try forEachPlan { _, plan in
            try calling { try plan.policy.begin(plan.mapping, with: manager) }
        }
        try forEachPlan { index, plan in
            try timing("\(plan.mapping.name): objects created") { try create(index, plan) }
        }
        manager.prepareRelating()
        try forEachPlan { index, plan in
            try timing("\(plan.mapping.name): objects related") { try relate(index, plan) }
        }
        try forEachPlan(arrange)
        try forEachPlan { _, plan in
            try calling {
                try plan.policy.performCustomValidation(for: plan.mapping, manager: manager)
            }
            try save()
        }
        try timing("new objects validated") { try validate() }
        try forEachPlan { _, plan in
            try calling { try plan.policy.end(plan.mapping, manager: manager) }
        }
        try save()
        try noteDone(work.total)
    }

    private func forEachPlan(_ body: (Int, MappingPlan) throws -> Void) throws {
        for index in manager.plans.indices {
            manager.currentPlan = index
            try body(index, manager.plans[index])
        }
    }

    private func timing(_ pass: String, _ body: () throws -> Void) rethrows {
        let start = ContinuousClock.now
        try body()
        manager.sourceContext.coordinator.debug.noteMigration(
            "\(pass) (\((ContinuousClock.now - start).inSeconds))")
    }

    // MARK: - Hooks and saves

    /// - Parameter object: The object that an error concerns.
    private func calling(about object: ManagedObject? = nil, _ hook: () throws -> Void) throws {
        do {
            try hook()
        } catch {
            throw failure(error, object?.objectID)
        }
        try manager.checkCancellation()
    }

    private func failure(_ error: any Error, _ object: ManagedObjectID? = nil) -> MigrationError {
        if let error = error as? MigrationError { return error }
        if case SaveError.constraintConflicts(let conflicts)? = error as? SaveError,
            let conflict = conflicts.first, let object = conflict.conflictingObjectIDs.first
        {
            return MigrationError(
                .constraintViolated(entity: object.entityName, constraint: conflict.constraint))
        }
        return MigrationError(
            .mappingFailed(
                mapping: manager.currentEntityMapping.name, object: object,
                UnderlyingError(error)))
    }

    /// Saves what hooks have made, and begins with empty contexts again.
    private func save() throws {
        do {
            // Objects that could not be read have read as nil.
            try manager.sourceContext.failedReads.requireNoneGiven()
        } catch {
            throw failure(error)
        }
        try saveDestination()
        manager.sourceContext.reset()
    }

    private func saveDestination() throws {
        do {
            try manager.destinationContext.save()
        } catch let error as StoreError {
            throw error
        } catch {
            throw failure(error)
        }
        try manager.associations.flush()
        manager.destinationContext.reset()
        manager.largeByteCount = 0
    }

    private func noteDone(_ count: Int) throws {
        work.done += count
        manager.fractionCompleted = work.fraction
        try report(work.fraction)
        try manager.checkCancellation()
    }

    // MARK: - The passes

    private func create(_ index: Int, _ plan: MappingPlan) throws {
        if let entity = plan.created {
            try forEachChunk(
                of: entity, in: source, manager.sourceContext, where: plan.mapping.predicate
            ) { objects in
                for object in objects {
                    manager.currentSource = object
                    try calling(about: object) {
                        try plan.policy.createDestinationInstances(
                            for: object, in: plan.mapping, manager: manager)
                    }
                    // The rows of the source do not have the values that are in files.
                    if manager.largeByteCount > Self.largeByteCount { try saveDestination() }
                }
                manager.currentSource = nil
                try save()
                try noteDone(objects.count)
            }
        }
        try calling { try plan.policy.endInstanceCreation(for: plan.mapping, manager: manager) }
        try save()
    }

    private func relate(_ index: Int, _ plan: MappingPlan) throws {
        if plan.isRelated {
            try forEachPair(of: index, plan) { object in
                try plan.policy.createRelationships(
                    for: object, in: plan.mapping, manager: manager)
            }
        }
        try calling { try plan.policy.endRelationshipCreation(for: plan.mapping, manager: manager) }
        try save()
    }

    private func arrange(_ index: Int, _ plan: MappingPlan) throws {
        guard !plan.orders.isEmpty else { return }
        try forEachPair(of: index, plan) { try manager.arrange($0) }
    }

    /// Calls the body with each object that a mapping has made, once for each object of the source
    /// that it is associated with.
    private func forEachPair(
        of index: Int, _ plan: MappingPlan, _ body: (ManagedObject) throws -> Void
    ) throws {
        guard let entity = plan.created else { return }
        try manager.associations.forEachChunk(of: index, size: Self.relatedCount) { pairs in
            let sources = try load(
                pairs.map { EntityKey(entityIndex: entity.index, key: $0.source) },
                in: manager.sourceContext, prefetching: plan.prefetched)
            let destinations = try load(
                pairs.map(\.destination), in: manager.destinationContext)
            for pair in pairs {
                guard let object = destinations[pair.destination] else { continue }
                manager.currentSource =
                    sources[EntityKey(entityIndex: entity.index, key: pair.source)]
                try calling(about: manager.currentSource) { try body(object) }
            }
            manager.currentSource = nil
            try save()
            try noteDone(pairs.count)
        }
    }

    /// Validates all new objects, whoever has made them, except those of entities whose objects all
    /// were valid when they were inserted and have not changed since. From here on, saves validate.
    private func validate() throws {
        let context = manager.destinationContext
        let unsure = context.deferredValidation ?? []
        context.deferredValidation = nil
        for entity in manager.mappingModel.destination.entities
        where names.contains(entity.name) && !entity.isAbstract && Self.needsValidation(entity)
            && (unsure.contains(entity.index) || !entity.counted.isEmpty)
        {
            manager.currentPlan =
                manager.plans.firstIndex { $0.destination === entity } ?? manager.currentPlan
            let counted = entity.properties.filter { entity.counted.contains($0.index) }
            try forEachChunk(of: entity, in: destination, context, where: nil) { objects in
                for property in counted {
                    _ = try Prefetch(in: context).destinations(of: property, objects)
                }
                for object in objects { try validate(object, counted) }
                try save()
                try noteDone(objects.count)
            }
        }
    }

    private func validate(_ object: ManagedObject, _ counted: [Property]) throws {
        // Contents that were not read count as valid.
        for property in counted { _ = try object.loadMembers(of: property) }
        do {
            try object.validateForInsert()
            try object.validateCounts(of: counted)
        } catch {
            throw failure(error, object.objectID)
        }
    }

    /// Whether an object of the entity can be invalid.
    private static func needsValidation(_ entity: Entity) -> Bool {
        if let type = entity.description.managedObjectClass, type != ManagedObject.self {
            return true
        }
        return !entity.counted.isEmpty
            || entity.properties.contains { property in
                entity.validated.contains(property.index)
                    && (!property.isOptional || property.rules != nil || property.isComposite)
            }
    }

    // MARK: - Chunks

    private static let relatedCount = 250
    private static let largeByteCount = 8 << 20

    /// Calls the body with the objects of exactly one entity, in the order of their keys.
    private func forEachChunk(
        of entity: Entity, in store: SQLiteStore, _ context: ManagedObjectContext,
        where predicate: ObjectPredicate?, _ body: ([ManagedObject]) throws -> Void
    ) throws {
        var size = ChunkSize()
        var last: Int64 = 0
        while true {
            let rows = try store.rows(
                of: entity, after: last, where: predicate, limit: size.count)
            guard rows.count > 0 else { return }
            size.adapt(to: rows)
            let objects = context.objects(
                of: StoreRows(storeNumber: context.coordinator.records[0].number, rows: rows),
                root: entity, realised: true, refreshes: false)
            last = objects[objects.count - 1].reference
            try body(objects)
        }
    }

    /// The number of rows of the next chunk, which depends on their size.
    private struct ChunkSize {
        private(set) var count = 100
        private static let byteCount = 1 << 20

        mutating func adapt(to rows: RowList) {
            var bytes = 0
            rows.forEachRun { slab, _ in bytes += slab.capacity }
            count = min(max(Self.byteCount * rows.count / max(bytes, 1), 10), 2000)
        }
    }

    /// The objects of these rows, those of entities of one table with one statement. Rows that are
    /// gone are left out.
    private func load(
        _ keys: [EntityKey], in context: ManagedObjectContext,
        prefetching relationships: [String] = []
    ) throws -> [EntityKey: ManagedObject] {
        let number = context.coordinator.records[0].number
        var found: [EntityKey: ManagedObject] = [:]
        let groups = Dictionary(grouping: Set(keys), by: \.entityIndex)
        for (index, group) in groups {
            let entity = context.model.entities[index]
            let rows = try context.channel.rows(
                group.map(\.key).sorted(), entity: entity, storeNumber: number)
            guard rows.count > 0 else { continue }
            let objects = context.objects(
                of: StoreRows(storeNumber: number, rows: rows), root: entity, realised: true,
                refreshes: false)
            for object in objects {
                found[
                    EntityKey(
                        entityIndex: object.binding.entity.index, key: object.reference)] = object
            }
            for name in relationships {
                guard let property = entity.property(named: name) else { continue }
                _ = try Prefetch(in: context).destinations(of: property, objects)
            }
        }
        return found
    }
}

extension MappingPlan {
    /// The entity whose objects the first pass maps; nil if there are none to make.
    var created: Entity? { destination == nil ? nil : source }
}
