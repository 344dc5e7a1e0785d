// A context as the level above its children: it answers with its own view, pending changes included
// (spec §4.2).
extension ManagedObjectContext: ObjectChannel {
    func stores() throws -> any StoreChannel {
        try answer { try channel.stores() }
    }

    func fetchRows(
        _ request: FetchRequest, entity: Entity, _ options: ReadOptions
    ) throws -> [StoreRows] {
        try answer {
            let request = coordinator.spreads(request, entity) ? request.untilPage() : request
            return try rows(of: fetchObjects(request, entity))
        }
    }

    func fetchKeys(_ request: FetchRequest, entity: Entity) throws -> [StoreKeys] {
        try answer {
            // Only the child reads values, one batch at a time.
            var request = coordinator.spreads(request, entity) ? request.untilPage() : request
            request.includesPropertyValues = false
            var groups: [Int: [EntityKey]] = [:]
            for id in try fetchObjectIDs(request) {
                groups[id.scope.storeNumber, default: []].append(
                    EntityKey(entityIndex: id.scope.entityIndex, key: id.reference))
            }
            return groups.sorted { $0.key < $1.key }.map {
                StoreKeys(storeNumber: $0.key, keys: $0.value)
            }
        }
    }

    func count(_ request: FetchRequest, entity: Entity) throws -> Int {
        try answer { try count(for: request) }
    }

    func row(
        _ key: Int64, _ scope: ObjectIDScope, _ options: ReadOptions
    ) throws -> RowReference? {
        try answer {
            let table = table(scope.entityIndex, scope.storeNumber)
            if let object = table[key] {
                // An identifier may name an entity other than that of its row.
                return object.binding.scope.entityIndex == scope.entityIndex
                    ? try currentRow(of: object) : nil
            }
            guard key >= 0 || parent != nil else { return nil }
            let found = try askAbove {
                try channel.row(key, scope, options)
            }
            guard let row = found else { return nil }
            // Rows that a child reads are registered here as well.
            _ = objects(
                of: StoreRows(storeNumber: scope.storeNumber, rows: RowList([row])),
                root: model.entities[scope.entityIndex], realised: false, refreshes: false)
            return row
        }
    }

    func rows(_ keys: [Int64], entity: Entity, storeNumber: Int) throws -> RowList {
        try answer {
            let table = table(entity.index, storeNumber)
            let missing = keys.filter { key in
                guard key >= 0 || parent != nil else { return false }
                guard let object = table[key] else { return true }
                return object.isFault && object.row == nil
            }
            var loaded: [ManagedObject] = []
            if !missing.isEmpty {
                let rows = try askAbove {
                    try channel.rows(missing, entity: entity, storeNumber: storeNumber)
                }
                loaded = objects(
                    of: StoreRows(storeNumber: storeNumber, rows: rows), root: entity,
                    realised: false, refreshes: false)
            }
            return try withExtendedLifetime(loaded) {
                let rows = RowList(try keys.compactMap { try table[$0].flatMap(self.currentRow) })
                sweepIfGrown()
                return rows
            }
        }
    }

    func members(
        of property: Property, _ scope: ObjectIDScope, key: Int64, _ options: ReadOptions?
    ) throws -> FoundMembers {
        try answer { .keys(try keysOfMembers(of: property, scope, key: key)) }
    }

    func relatedRows(
        of property: Property, _ scope: ObjectIDScope, keys: [Int64]
    ) throws -> RelatedRows {
        try answer {
            let loaded = try prefetch(property, of: keys.map { object($0, scope) })
            return RelatedRows(
                contents: Dictionary(
                    uniqueKeysWithValues: try keys.map {
                        ($0, try keysOfMembers(of: property, scope, key: $0))
                    }),
                rows: RowList(try loaded.compactMap(currentRow)))
        }
    }

    /// Answers a child. Takes the permanent keys first, since the child may use them already.
    private func answer<Answer: Sendable>(
        _ block: @Sendable () throws -> Answer
    ) throws -> Answer {
        guard depth < Self.maximumDepth else {
            throw ContextDepthError(limit: Self.maximumDepth)
        }
        return try performAndWait {
            takePendingUpdates()
            return try block()
        }
    }

    private func keysOfMembers(
        of property: Property, _ scope: ObjectIDScope, key: Int64
    ) throws -> [EntityKey] {
        let owner = object(key, scope)
        try owner.loadMembers(of: property)
        return owner.orderedMembers(of: property).filter { !$0.isDeleted }.map {
            EntityKey(entityIndex: $0.binding.entity.index, key: $0.reference)
        }
    }

    private func rows(of objects: [ManagedObject]) throws -> [StoreRows] {
        var groups: [Int: RowList] = [:]
        for object in objects {
            guard let row = try currentRow(of: object) else { continue }
            groups[object.binding.scope.storeNumber, default: RowList()].append(row)
        }
        return groups.sorted { $0.key < $1.key }.map {
            StoreRows(storeNumber: $0.key, rows: $0.value)
        }
    }

    // MARK: - A child's save

    /// Takes over what a child has saved, as pending changes of this context.
    func save(
        _ plans: [StorePlan], from origin: ChangeOrigin, ifCurrent isCurrent: @Sendable () -> Bool
    ) throws -> PersistentHistoryToken? {
        try answer {
            var unknown = try plans.flatMap(\.openReferences).filter { try !has($0) }
            for plan in plans {
                for change in plan.plan.rows where change.kind == .update {
                    let scope = binding(change.entity.index, plan.storeNumber).scope
                    let id = ManagedObjectID(scope: scope, reference: change.key)
                    if try !has(id) { unknown.append(id) }
                }
            }
            // The plans may name references that were replaced, also while this context looked for
            // their objects. The child finds the new ones in its pending updates.
            if !isCurrent() { throw RenewedKeys() }
            guard unknown.isEmpty else { throw SaveError.unknownObjects(unknown) }
            beginOperation()
            defer { endOperation() }
            for plan in plans {
                apply(plan.plan, storeNumber: plan.storeNumber)
                for change in plan.transients {
                    let object = object(
                        change.key, entityIndex: change.entity.index, storeNumber: plan.storeNumber)
                    for (index, value) in change.values { object.setAttribute(value, at: index) }
                }
            }
            processPendingChanges()
            return nil
        }
    }

    /// Whether an object exists here, above or in the store. The level above is not asked again for
    /// a row that was read, unless the object is a fault whose row is superseded.
    private func has(_ id: ManagedObjectID) throws -> Bool {
        let object = table(id.scope.entityIndex, id.scope.storeNumber)[id.reference]
        if let object, object.isInserted { return true }
        if let object, object.row != nil, !object.isFault || !object.isRowSuperseded { return true }
        return try row(id.reference, id.scope, ReadOptions()) != nil
    }

    private func apply(_ plan: SavePlan, storeNumber: Int) {
        // All new objects first, since rows refer to each other.
        var inserted: [ManagedObject] = []
        var differing: [RowChange] = []
        for change in plan.rows where change.kind == .insert {
            if takeBack(change, storeNumber: storeNumber) {
                differing.append(change)
            } else {
                let object = insert(change, storeNumber: storeNumber)
                inserted.append(object)
                // Values that the hook has set here are replaced by those of the child (spec §4.2).
                if object.hasUnsavedValues { differing.append(change) }
            }
        }
        for object in inserted { noteArrival(of: object) }
        keepOrders(before: plan, storeNumber: storeNumber)
        for change in differing {
            var properties = PropertyMask()
            for property in change.entity.properties where property.slot != nil {
                properties.insert(property.index)
            }
            update(change, properties, storeNumber: storeNumber)
        }
        for change in plan.rows {
            switch change.kind {
            case .insert, .check: break
            case .update: update(change, change.changes, storeNumber: storeNumber)
            case .delete:
                let scope = binding(change.entity.index, storeNumber).scope
                let id = ManagedObjectID(scope: scope, reference: change.key)
                // An object that was never saved may be gone from here already.
                if id.isTemporaryID, (try? has(id)) != true { continue }
                delete(object(change.key, scope))
            }
        }
        // Joins with a position list all members of an ordered relationship, changed or not.
        for join in plan.joins where join.position == nil {
            let source = object(
                join.sourceKey, entityIndex: join.entity.index, storeNumber: storeNumber)
            let destination = object(
                join.destinationKey, entityIndex: join.destinationEntity.index,
                storeNumber: storeNumber)
            source.change(destination, in: join.property, isAddition: join.isInsertion)
        }
        reorder(after: plan, storeNumber: storeNumber)
    }

    /// Whether an object that is new in the child exists here already. The child has undone a
    /// deletion that it had saved and this context has not; the object is revived.
    private func takeBack(_ change: RowChange, storeNumber: Int) -> Bool {
        guard let object = table(change.entity.index, storeNumber)[change.key] else {
            return false
        }
        if object.state.deletion.isOfOthers { expectRow(of: object) }
        if object.isDeleted {
            revive(object)
            return true
        }
        return !object.isFault || (try? currentRow(of: object)) != nil
    }

    /// Inserts an object that uses the child's row without copying it.
    private func insert(_ change: RowChange, storeNumber: Int) -> ManagedObject {
        let binding = binding(change.entity.index, storeNumber)
        let object: ManagedObject
        let life = (change.row?.version ?? 1) == 1 ? ObjectLife.inserted : .broughtBack
        if let fault = fault(change.key, of: binding) {
            object = fault
            object.contents = nil
            object.row = change.row
            object.enter(life)
            object.state.flags.remove(.fault)
        } else {
            object = binding.objectClass.init(
                seed: ObjectSeed(
                    binding: binding, reference: change.key, slab: change.row?.slab,
                    rowStart: change.row?.start, life: life))
        }
        register(object)
        object.awakeFromInsert()
        return object
    }

    /// Unregisters the fault of a reference that had no row until now.
    ///
    /// - Returns: nil if there is none, or if it was made for another entity; it is detached then.
    private func fault(_ reference: Int64, of binding: EntityBinding) -> ManagedObject? {
        guard let fault = table(binding.entity.index, binding.storeNumber)[reference] else {
            return nil
        }
        guard fault.binding === binding else {
            detach(fault)
            return nil
        }
        identityMap.remove(fault)
        return fault
    }

    /// Adds a new object to the other ends of its to-one relationships.
    private func noteArrival(of object: ManagedObject) {
        for property in object.binding.entity.properties where property.kind == .toOne {
            guard let inverse = model.inverse(of: property.relationship!),
                let destination = object.destination(of: property)
            else { continue }
            if inverse.kind == .toMany {
                destination.note(object, in: inverse, isAddition: true)
            }
        }
    }

    private func update(_ change: RowChange, _ properties: PropertyMask, storeNumber: Int) {
        let object = object(
            change.key, entityIndex: change.entity.index, storeNumber: storeNumber)
        object.willChange()
        properties.forEach { index in
            let property = change.entity.properties[index]
            guard property.kind == .toOne else {
                return object.setAttribute(
                    object.storedValue(of: property, in: change.row!), at: index)
            }
            let destination = change.row!.destination(of: property, in: change.entity.layout)
            object.setDestination(
                destination.map {
                    self.object($0.key, entityIndex: $0.entityIndex, storeNumber: storeNumber)
                }, of: property)
        }
    }
}
