// One object for each row: making objects, finding them, removing them.
extension ManagedObjectContext {
    // MARK: - Looking objects up

    /// The object with this identifier, as a fault unless the context has it; no statement is run.
    ///
    /// Whether the row exists is found out when the fault fires (spec §2.13). Identifiers of
    /// another coordinator on the same store can be used.
    public func object(with id: ManagedObjectID) -> ManagedObject {
        checkQueue()
        let scope =
            localScope(of: id) ?? coordinator.unassignedScope(for: id)
        // First the case in which no hook or mail can change the table.
        let table = table(scope.entityIndex, scope.storeNumber)
        if parent == nil, table[id.reference] == nil {
            return makeFault(
                id.reference, entityIndex: scope.entityIndex, storeNumber: scope.storeNumber,
                in: table)
        }
        return heldObject(id.reference, scope) ?? object(id.reference, scope)
    }

    /// The object with this identifier, with its values read.
    ///
    /// - Throws: `FetchError.noSuchObject` if there is no such row; `StoreError` if it cannot be
    ///   read.
    /// - Note: Costs one statement unless the context or the row cache has the values.
    public func existingObject(with id: ManagedObjectID) throws -> ManagedObject {
        checkQueue()
        guard let scope = coordinator.localScope(of: id) else { throw FetchError.noSuchObject(id) }
        if let object = heldObject(id.reference, scope), !object.isFault,
            object.rowStart != nil || object.isInserted
        {
            return object
        }
        let found = try askAbove {
            try channel.row(
                id.reference, scope, ReadOptions(staleness: stalenessInterval))
        }
        guard let row = found else { throw FetchError.noSuchObject(id) }
        let object = object(id.reference, scope)
        if object.state.deletion == .foundGone { object.expectRow(in: self) }
        renew(object, row, realised: true, refreshes: false)
        return object
    }

    /// The object with this identifier if the context has it; no statement is run.
    public func registeredObject(for id: ManagedObjectID) -> ManagedObject? {
        checkQueue()
        return coordinator.localScope(of: id).flatMap { heldObject(id.reference, $0) }
    }

    /// The scope of an identifier in this coordinator. Asks the coordinator only if the context has
    /// no objects of the scope.
    private func localScope(of id: ManagedObjectID) -> ObjectIDScope? {
        let binding = identityMap.binding(id.scope.entityIndex, id.scope.storeNumber)
        if binding?.scope === id.scope { return id.scope }
        return coordinator.localScope(of: id)
    }

    /// The registered object. An unreferenced one first becomes a fault, as if it were new.
    private func heldObject(_ reference: Int64, _ scope: ObjectIDScope) -> ManagedObject? {
        let table = table(scope.entityIndex, scope.storeNumber)
        if !retainsRegisteredObjects, table[reference] != nil {
            table.turnIntoFaultIfUnheld(table.place(of: reference))
        }
        return registeredObject(reference, scope)
    }

    /// Looks again after taking updates: a save further up may have assigned this identifier
    /// after the queue was entered.
    private func registeredObject(_ reference: Int64, _ scope: ObjectIDScope) -> ManagedObject? {
        let table = table(scope.entityIndex, scope.storeNumber)
        if let object = table[reference] { return object }
        guard parent != nil else { return nil }
        takePermanentKeys()
        return table[reference]
    }

    /// Asks the level above. Asks again if a save further up has assigned keys before the answer,
    /// which names objects by these keys.
    ///
    /// The question must read the references that it names each time it is asked.
    func askAbove<Answer>(_ ask: () throws -> Answer) rethrows -> Answer {
        guard parent != nil else { return try ask() }
        while true {
            do {
                let answer = try ask()
                if !hasPendingKeys { return answer }
            } catch {
                if !hasPendingKeys { throw error }
            }
            takePermanentKeys()
        }
    }

    /// All registered objects, after unreferenced ones were removed.
    public var registeredObjects: Set<ManagedObject> {
        checkQueue()
        sweep()
        return Set(identityMap.objects)
    }

    // MARK: - Making objects

    func object(_ reference: Int64, _ scope: ObjectIDScope) -> ManagedObject {
        object(reference, entityIndex: scope.entityIndex, storeNumber: scope.storeNumber)
    }

    /// The registered object, or a new fault without a row.
    func object(_ reference: Int64, entityIndex: Int, storeNumber: Int) -> ManagedObject {
        let table = table(entityIndex, storeNumber)
        return table[reference]
            ?? makeFault(reference, entityIndex: entityIndex, storeNumber: storeNumber, in: table)
    }

    private func makeFault(
        _ reference: Int64, entityIndex: Int, storeNumber: Int, in table: ObjectRegistry.Table
    ) -> ManagedObject {
        let binding = binding(entityIndex, storeNumber)
        let object = binding.objectClass.init(
            seed: ObjectSeed(binding: binding, reference: reference, flags: .fault))
        identityMap.register(object, in: table)
        return object
    }

    /// The objects of rows just read. New objects are faults with their row, unless `realised`.
    ///
    /// - Parameter realised: Whether new objects and faults take these values at once, even if a
    ///   newer row is cached by now: the row may be gone, and the request asked for what was found.
    /// - Parameter refreshes: Whether clean realised objects take the new values.
    func objects(
        of fetched: StoreRows, root: Entity, realised: Bool, refreshes: Bool
    ) -> [ManagedObject] {
        // An array of no elements would write its count to the storage that all empty arrays share.
        guard fetched.rows.count > 0 else { return [] }
        if refreshes { beginOperation() }
        defer { if refreshes { endOperation() } }
        let table = identityMap.table(
            rootIndex: root.rootIndex, storeNumber: fetched.storeNumber)
        var newKeys: [Int64] = []
        newKeys.reserveCapacity(fetched.rows.count)
        var realisedCount: Int64 = 0
        var binding = binding(root.index, fetched.storeNumber)
        let objects = [ManagedObject](unsafeUninitializedCapacity: fetched.rows.count) {
            buffer, count in
            fetched.rows.forEachRun { slab, places in
                for place in places {
                    let position = table.place(of: place.key)
                    if position.pointee != nil {
                        let rowVersion =
                            (UnsafeRawPointer(slab.base) + Int(place.offset)).rowVersion
                        // An unreferenced object must read as if it were new (spec §2.12).
                        let isOutdated = position.pointee?.rowStart?.rowVersion != rowVersion
                        if isOutdated, !retainsRegisteredObjects {
                            table.turnIntoFaultIfUnheld(position)
                        }
                        let object = position.pointee.unsafelyUnwrapped
                        if object.binding.entityNumber == place.entityNumber {
                            (buffer.baseAddress! + count).initialize(to: object)
                            count += 1
                            let row = RowReference(slab: slab, offset: place.offset)
                            renew(object, row, realised: realised, refreshes: refreshes)
                            continue
                        }
                        // Made for an identifier that names an entity other than that of its row.
                        detach(object)
                    }
                    if place.entityNumber != binding.entityNumber {
                        binding = self.binding(Int(place.entityNumber) - 1, fetched.storeNumber)
                    }
                    let object = binding.objectClass.init(
                        seed: ObjectSeed(
                            binding: binding, reference: place.key, slab: slab,
                            rowStart: UnsafeRawPointer(slab.base) + Int(place.offset),
                            flags: realised ? [] : .fault))
                    position.initialize(to: object)
                    if place.key >= 0 { newKeys.append(place.key) }
                    if realised {
                        realisedCount += 1
                        object.awake()
                    }
                    // Last, so that the reference is moved there without another retain.
                    (buffer.baseAddress! + count).initialize(to: object)
                    count += 1
                }
            }
        }
        coordinator.graphCounters.faultsFired.add(realisedCount, ordering: .relaxed)
        identityMap.noteRegistrations(newKeys, in: table)
        return objects
    }

    /// Gives a registered object the row that was just read.
    private func renew(
        _ object: ManagedObject, _ row: RowReference, realised: Bool, refreshes: Bool
    ) {
        if object.state.isFault {
            object.takeRow(row)
            guard realised else { return }
            coordinator.graphCounters.faultsFired.add(1, ordering: .relaxed)
            object.awake()
        } else if refreshes, !object.hasChanges {
            object.row = row
            object.contents = nil
        }
    }

    func table(_ entityIndex: Int, _ storeNumber: Int) -> ObjectRegistry.Table {
        identityMap.table(
            rootIndex: model.entities[entityIndex].rootIndex, storeNumber: storeNumber)
    }

    func binding(_ entityIndex: Int, _ storeNumber: Int) -> EntityBinding {
        if let binding = identityMap.binding(entityIndex, storeNumber) { return binding }
        let scopes = coordinator.record(number: storeNumber)?.scopes ?? coordinator.unassignedScopes
        let made = EntityBinding(
            context: self, entity: model.entities[entityIndex], scope: scopes[entityIndex])
        identityMap.add(made, storeNumber: storeNumber)
        return made
    }

    // MARK: - Inserting

    /// Inserts a new object of the named entity.
    ///
    /// The object's row is stored in this store for good; `nil` means the first store that holds
    /// the entity and can be written.
    /// - Throws: `FetchError.unknownEntity` if the model has no such entity, `abstractEntity` if it
    ///   has no objects; `StoreError` if the store does not hold the entity.
    public func insertObject(
        entityName: String, into store: PersistentStoreHandle? = nil
    ) throws -> ManagedObject {
        checkQueue()
        guard let entity = model.entity(named: entityName) else {
            throw FetchError.unknownEntity(entityName)
        }
        guard !entity.isAbstract else { throw FetchError.abstractEntity(entityName) }
        let inserted =
            try store.map { try binding(of: entity, in: $0) } ?? bindingForInsertion(of: entity)
        let object = inserted.objectClass.init(seed: seedForInsertion(inserted))
        registerInserted(object)
        return object
    }

    func seedForInsertion(of type: ManagedObject.Type) -> ObjectSeed {
        checkQueue()
        let identifier = ObjectIdentifier(type)
        if let last = identityMap.lastInsertion, last.type == identifier,
            last.storeChangeCount == coordinator.storeChangeCount.load(ordering: .relaxed)
        {
            return seedForInsertion(last.binding)
        }
        let binding = bindingForInsertion(of: model.entityForInsertion(of: type))
        identityMap.noteInsertion(
            LastInsertion(
                type: identifier, binding: binding,
                storeChangeCount: coordinator.storeChangeCount.load(ordering: .relaxed)))
        return seedForInsertion(binding)
    }

    func seedForInsertion(
        of type: ManagedObject.Type, into store: PersistentStoreHandle
    ) throws(StoreError) -> ObjectSeed {
        checkQueue()
        return seedForInsertion(try binding(of: model.entityForInsertion(of: type), in: store))
    }

    private func binding(
        of entity: Entity, in store: PersistentStoreHandle
    ) throws(StoreError) -> EntityBinding {
        guard try coordinator.record(store).entityNames.contains(entity.name) else {
            throw StoreError(.noStore(entity: entity.name), url: store.url)
        }
        return binding(entity.index, store.number)
    }

    private func bindingForInsertion(of entity: Entity) -> EntityBinding {
        binding(entity.index, coordinator.scopeForInsertion(of: entity).storeNumber)
    }

    private func seedForInsertion(_ binding: EntityBinding) -> ObjectSeed {
        // Undo captures a new object's values one by one, and a checked queue needs a check for
        // each use.
        guard undoManager == nil, !queue.checksUse else {
            return ObjectSeed(
                binding: binding, reference: ObjectIDScope.newTemporaryReference(),
                life: .inserted, flags: .changedInEvent)
        }
        return draftSeed(binding)
    }

    func registerInserted(_ object: ManagedObject) {
        register(object)
        object.setDefaults()
        object.awakeFromInsert()
    }

    /// Registers a new object and lists it as inserted.
    func register(_ object: ManagedObject) {
        if undoManager != nil { capture(object, isAbsent: true) }
        identityMap.register(object)
        tracker.insert(object)
        beginEvent()
    }

    // MARK: - Letting go

    /// Sweeps if the number of registered objects has grown much since the last sweep.
    func sweepIfGrown() {
        if identityMap.hasGrown { sweep() }
    }

    func sweep() {
        // Hooks of the objects that leave may use the context.
        guard !retainsRegisteredObjects, let tables = identityMap.beginSweep() else { return }
        var remainingCount = 0
        for table in tables {
            let swept = table.sweep()
            remainingCount += swept.remaining
            if !swept.releasedKeys.isEmpty {
                identityMap.unregister(swept.releasedKeys, of: table)
            }
        }
        identityMap.endSweep(remainingCount: remainingCount)
    }

    /// Handles a fault whose row is gone: the object counts as deleted and reads as nil
    /// (spec §3.5).
    func faultIsInaccessible(_ object: ManagedObject) {
        guard !object.isDeleted else { return }
        guard shouldDeleteInaccessibleFaults else {
            object.state.flags.insert(.fault)
            return faultHandler(object.objectID, FetchError.noSuchObject(object.objectID))
        }
        tracker.delete(object, as: .foundGone)
    }
}

extension ManagedObjectModel {
    fileprivate func entityForInsertion(of type: ManagedObject.Type) -> Entity {
        let entities = self.entities(ofClass: type)
        guard entities.count == 1 else {
            fatalError(
                entities.isEmpty
                    ? "No entity of the model has the class \(type); name it as managedObjectClass of its entity, or in classes when the model is read from a file."
                    : "Several entities have the class \(type); insert with insertObject(entityName:)."
            )
        }
        guard !entities[0].isAbstract else {
            fatalError(
                "The entity '\(entities[0].name)' is abstract; insert an object of one of its subentities."
            )
        }
        return entities[0]
    }
}
