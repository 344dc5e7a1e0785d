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
            return try rows(of: Fetch(of: request, entity, in: self).objects(request))
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
        try answer { .keys(try object(key, scope).keysOfMembers(of: property)) }
    }

    func relatedRows(
        of property: Property, _ scope: ObjectIDScope, keys: [Int64]
    ) throws -> RelatedRows {
        try answer {
            let loaded = try Prefetch(in: self).destinations(
                of: property, keys.map { object($0, scope) })
            return RelatedRows(
                contents: Dictionary(
                    uniqueKeysWithValues: try keys.map {
                        ($0, try object($0, scope).keysOfMembers(of: property))
                    }),
                rows: RowList(try loaded.compactMap(currentRow)))
        }
    }

    /// Takes over what a child has saved, as pending changes of this context.
    func save(
        _ plans: [StorePlan], from origin: ChangeOrigin, ifCurrent isCurrent: @Sendable () -> Bool
    ) throws -> PersistentHistoryToken? {
        try answer {
            let saves = plans.map { ChildSave(context: self, plan: $0) }
            let unknown = try saves.flatMap { try $0.unknownObjects() }
            // The plans may name references that were replaced, also while this context looked for
            // their objects. The child finds the new ones in its pending updates.
            if !isCurrent() { throw RenewedKeys() }
            guard unknown.isEmpty else { throw SaveError.unknownObjects(unknown) }
            beginOperation()
            defer { endOperation() }
            let span = TraceSpan()
            defer {
                span.end(
                    .takeFromChild, on: queue.track,
                    count: saves.reduce(0) { $0 + $1.changes.rows.count })
            }
            for save in saves { save.run() }
            processPendingChanges()
            return nil
        }
    }

    // MARK: - Parts of answers

    /// Answers a child. Takes the permanent keys first, since the child may use them already.
    private func answer<Answer: Sendable>(
        _ block: @Sendable () throws -> Answer
    ) throws -> Answer {
        guard depth < Self.maximumDepth else {
            throw ContextDepthError(limit: Self.maximumDepth)
        }
        return try performAndWait {
            let span = TraceSpan()
            defer { span.end(.answer, on: queue.track) }
            takePendingUpdates()
            return try block()
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

    /// The row of an object with its unsaved changes, for a child context; nil if the object is
    /// gone.
    func currentRow(of object: ManagedObject) throws -> RowReference? {
        if object.state.isDeleted { return nil }
        // Values that were set after a failed read are combined with the row read now.
        if object.isFault, object.hasUnsavedValues { object.fireFault() }
        if object.isFault {
            if let row = object.row, !object.isRowSuperseded { return row }
            // The object remains a fault here: a child's read does not decide what this context
            // reads later.
            guard object.reference >= 0 || parent != nil else { return nil }
            let row = try askAbove {
                try channel.row(
                    object.reference, object.binding.scope,
                    ReadOptions(staleness: stalenessInterval))
            }
            if let row { object.takeRow(row) } else { object.row = nil }
            return row
        }
        if object.changes?.mask.isEmpty ?? true, let row = object.row {
            // Later changes in an event are not noted, so the row is superseded in advance.
            if object.state.flags.contains(.changedInEvent) { object.supersedeRow() }
            return row
        }
        var writer = RowWriter(expectedByteCount: 256)
        var references = RowReferences(context: self)
        let row = object.encode(
            into: &writer, &references, version: object.row?.version ?? 0,
            changes: object.changes)
        // The next change makes another row, so holders of this one must ask again.
        row.slab.hasSupersededRows.store(true, ordering: .relaxed)
        return row
    }
}

extension ManagedObject {
    fileprivate final func keysOfMembers(of property: Property) throws -> [EntityKey] {
        try loadMembers(of: property)
        return orderedMembers(of: property).filter { !$0.isDeleted }.map {
            EntityKey(entityIndex: $0.binding.entity.index, key: $0.reference)
        }
    }
}
