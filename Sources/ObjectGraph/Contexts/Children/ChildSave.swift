/// What a child has saved to one store, taken over as pending changes of its parent context
/// (spec §4.2).
struct ChildSave {
    let context: ManagedObjectContext
    let plan: StorePlan

    var changes: SavePlan { plan.plan }

    /// The objects that the plan names and that exist neither here nor above.
    func unknownObjects() throws -> [ManagedObjectID] {
        var unknown = try plan.openReferences.filter { try !has($0) }
        for change in changes.rows where change.kind == .update {
            let id = id(of: change)
            if try !has(id) { unknown.append(id) }
        }
        return unknown
    }

    func run() {
        let differing = insertAll()
        keepOrders()
        for change in differing {
            var properties = PropertyMask()
            for property in change.entity.properties where property.slot != nil {
                properties.insert(property.index)
            }
            update(change, properties)
        }
        for change in changes.rows {
            switch change.kind {
            case .insert, .check: break
            case .update: update(change, change.changes)
            case .delete: delete(change)
            }
        }
        // Joins with a position list all members of an ordered relationship, changed or not.
        for join in changes.joins where join.position == nil {
            let source = object(join.sourceKey, join.entity)
            let destination = object(join.destinationKey, join.destinationEntity)
            source.change(destination, in: join.property, isAddition: join.isInsertion)
        }
        reorder()
        for change in plan.transients {
            let object = object(change.key, change.entity)
            for (index, value) in change.values { object.setAttribute(value, at: index) }
        }
    }

    func object(_ key: Int64, _ entity: Entity) -> ManagedObject {
        context.object(key, entityIndex: entity.index, storeNumber: plan.storeNumber)
    }

    private func id(of change: RowChange) -> ManagedObjectID {
        ManagedObjectID(
            scope: context.binding(change.entity.index, plan.storeNumber).scope,
            reference: change.key)
    }

    /// Whether an object exists here, above or in the store. The level above is not asked again for
    /// a row that was read, unless the object is a fault whose row is superseded.
    private func has(_ id: ManagedObjectID) throws -> Bool {
        let object = context.table(id.scope.entityIndex, id.scope.storeNumber)[id.reference]
        if let object, object.isInserted { return true }
        if let object, object.row != nil, !object.isFault || !object.isRowSuperseded { return true }
        return try context.row(id.reference, id.scope, ReadOptions()) != nil
    }

    // MARK: - New objects

    /// Inserts all new objects before anything else, since rows refer to each other.
    ///
    /// - Returns: The rows whose objects have other values here.
    private func insertAll() -> [RowChange] {
        var inserted: [ManagedObject] = []
        var differing: [RowChange] = []
        for change in changes.rows where change.kind == .insert {
            if takeBack(change) {
                differing.append(change)
            } else {
                let object = insert(change)
                inserted.append(object)
                // Values that the hook has set here are replaced by those of the child (spec §4.2).
                if object.hasUnsavedValues { differing.append(change) }
            }
        }
        for object in inserted { noteArrival(of: object) }
        return differing
    }

    /// Whether an object that is new in the child exists here already. The child has undone a
    /// deletion that it had saved and this context has not; the object is revived.
    private func takeBack(_ change: RowChange) -> Bool {
        guard let object = context.table(change.entity.index, plan.storeNumber)[change.key] else {
            return false
        }
        if object.state.deletion.isOfOthers { object.expectRow(in: context) }
        if object.isDeleted {
            context.revive(object)
            return true
        }
        return !object.isFault || (try? context.currentRow(of: object)) != nil
    }

    /// Inserts an object that uses the child's row without copying it.
    private func insert(_ change: RowChange) -> ManagedObject {
        let binding = context.binding(change.entity.index, plan.storeNumber)
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
        context.register(object)
        object.awakeFromInsert()
        return object
    }

    /// Unregisters the fault of a reference that had no row until now.
    ///
    /// - Returns: nil if there is none, or if it was made for another entity; it is detached then.
    private func fault(_ reference: Int64, of binding: EntityBinding) -> ManagedObject? {
        let table = context.table(binding.entity.index, binding.storeNumber)
        guard let fault = table[reference] else { return nil }
        guard fault.binding === binding else {
            context.detach(fault)
            return nil
        }
        context.identityMap.remove(fault)
        return fault
    }

    /// Adds a new object to the other ends of its to-one relationships.
    private func noteArrival(of object: ManagedObject) {
        for property in object.binding.entity.properties where property.kind == .toOne {
            guard let inverse = context.model.inverse(of: property.relationship!),
                let destination = object.destination(of: property)
            else { continue }
            if inverse.kind == .toMany {
                destination.note(object, in: inverse, isAddition: true)
            }
        }
    }

    // MARK: - Changed and deleted objects

    private func update(_ change: RowChange, _ properties: PropertyMask) {
        let object = object(change.key, change.entity)
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
                    context.object(
                        $0.key, entityIndex: $0.entityIndex, storeNumber: plan.storeNumber)
                }, of: property)
        }
    }

    private func delete(_ change: RowChange) {
        let id = id(of: change)
        // An object that was never saved may be gone from here already.
        if id.isTemporaryID, (try? has(id)) != true { return }
        context.delete(context.object(change.key, id.scope))
    }
}
