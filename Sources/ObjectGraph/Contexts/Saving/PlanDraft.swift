import Foundation

/// Makes the plans of a save, one for each store: rows inserted, updated, deleted, then pairs.
struct PlanDraft {
    private(set) var plans: [StorePlan] = []

    /// The objects of the rows of each plan, in the same order.
    private(set) var objects: [[Unmanaged<ManagedObject>]] = []

    /// The updated objects that have something to write.
    private(set) var changed: [ManagedObject] = []

    private let context: ManagedObjectContext
    private let isForParent: Bool
    private let recordsHistory: Bool
    private var writer: RowWriter
    private var references: RowReferences

    /// Objects referred to that have no permanent identifier and are not inserted by this save.
    private var openReferences: [ManagedObjectID] = []

    /// The position of the plan that was last added to.
    private var current = 0

    /// The rows that the first plan has, unless others take some of them.
    private let expectedRowCount: Int

    /// - Throws: `SaveError.unknownObjects` if rows refer to objects that have no row.
    init(of work: SaveWork, in context: ManagedObjectContext) throws {
        self.context = context
        isForParent = context.parent != nil
        recordsHistory = !isForParent && context.coordinator.recordsHistory
        references = RowReferences(open: [], context: context)
        expectedRowCount = work.count
        changed.reserveCapacity(work.updated.count)
        writer = RowWriter(
            expectedByteCount: (work.inserted.count / 8 + work.updated.count) * 256)
        addInserted(work.inserted)
        addUpdated(work.updated)
        try addDeleted(work.deleted)
        if !isForParent { addChecked() }
        addJoins()
        if context.model.hasOrderedRelationships { addPlacedJoins(work.inserted + work.updated) }
        guard !openReferences.isEmpty else { return }
        guard isForParent else { throw SaveError.unknownObjects(openReferences) }
        plans[0].openReferences = openReferences
    }

    // MARK: - Rows

    private mutating func addInserted(_ inserted: [ManagedObject]) {
        let context = context
        inserted.forEachBorrowed { object in
            if isForParent { addTransients(of: object, committed: nil) }
            let row =
                object.finishedDraft(&references)
                ?? object.encode(
                    into: &writer, &references, version: object.versionForInsertion(in: context),
                    changes: object.changes)
            add(
                RowChange(
                    kind: .insert, entity: object.binding.entity, key: object.reference,
                    row: row, changes: PropertyMask(), previousVersion: 0), object)
        }
        openReferences = references.open ?? []
        references.open = nil
    }

    private mutating func addUpdated(_ updated: [ManagedObject]) {
        let context = context
        for object in updated {
            if object.isFault { object.fireFault() }
            if isForParent {
                addTransients(
                    of: object, committed: context.tracker.committedTransients[object])
            }
            let properties = object.changedProperties
            guard !properties.isEmpty || object.hasChangedRelationships else {
                continue
            }
            // A store computes derived attributes, whatever they were set to.
            var changes =
                isForParent ? properties : properties.subtracting(object.binding.entity.derived)
            if recordsHistory { changes.formUnion(object.changedRelationships) }
            // 0 if the row is gone, which is a conflict (spec §5.3).
            let version = object.row?.version ?? 0
            changed.append(object)
            noteReferences(of: object, properties)
            let row = object.encode(
                into: &writer, &references, version: version &+ 1, changes: object.changes)
            add(
                RowChange(
                    kind: .update, entity: object.binding.entity, key: object.reference,
                    row: row, changes: changes, previousVersion: version), object)
        }
    }

    private mutating func addDeleted(_ deleted: [ManagedObject]) throws {
        let rows = deleted.filter { !$0.isInserted && $0.state.deletion.isOrder }
        context.readTogether(rows)
        for object in rows { addVersion(of: object, .delete) }
        if !isForParent { try addReturned(rows.filter { $0.row == nil }) }
    }

    /// An object that was found gone has no version to compare. If its row is back, the merge policy
    /// decides on the deletion, as if another version had been read (spec §5.3). A pinned context
    /// asks for the newest rows too.
    private mutating func addReturned(_ gone: [ManagedObject]) throws {
        for group in Dictionary(grouping: gone, by: { ObjectIdentifier($0.binding) }).values {
            let (binding, coordinator) = (group[0].binding, context.coordinator)
            for object in group { coordinator.forgetRow(object.reference, binding.scope) }
            let rows = try coordinator.rows(of: group)
            for object in group where rows[object.reference] != nil {
                add(
                    RowChange(
                        kind: .delete, entity: binding.entity, key: object.reference, row: nil,
                        changes: PropertyMask(), previousVersion: 0), object)
            }
        }
    }

    private mutating func addChecked() {
        for object in context.tracker.checked where !object.hasChanges {
            addVersion(of: object, .check)
        }
    }

    /// Adds a row without values, unless the row is gone.
    private mutating func addVersion(of object: ManagedObject, _ kind: RowChange.Kind) {
        if object.isFault { object.fireFault() }
        guard let row = object.row else { return }
        add(
            RowChange(
                kind: kind, entity: object.binding.entity, key: object.reference, row: nil,
                changes: PropertyMask(), previousVersion: row.version), object)
    }

    /// - Parameter committed: The transient values that the parent context has already.
    private mutating func addTransients(
        of object: ManagedObject, committed: [Int: AttributeValue]?
    ) {
        guard object.binding.hasTransients, let changes = object.changesBesideDraft else { return }
        var values: [Int: AttributeValue] = [:]
        for index in object.binding.entity.transientIndexes
        where changes.contains(index) && committed?[index] != changes[index] {
            values[index] = changes[index]
        }
        guard !values.isEmpty else { return }
        select(object.binding.storeNumber)
        plans[current].transients.append(
            TransientChange(
                entity: object.binding.entity, key: object.reference, values: values))
    }

    // MARK: - Pairs

    private mutating func addJoins() {
        // Sorted, since a dictionary has another order in each process.
        for (note, isInsertion) in context.tracker.joins.sorted(by: { $0.key < $1.key }) {
            guard
                isInsertion
                    ? !note.source.isDeleted && !note.destination.isDeleted
                    : !note.source.isInserted && !note.destination.isInserted
                        && !note.isLeftToRows
            else { continue }
            if isInsertion {
                noteReference(to: note.source)
                noteReference(to: note.destination)
            }
            add(
                JoinChange(
                    property: note.source.binding.entity.properties[note.propertyIndex],
                    entity: note.source.binding.entity, sourceKey: note.source.reference,
                    destinationEntity: note.destination.binding.entity,
                    destinationKey: note.destination.reference, isInsertion: isInsertion),
                storeNumber: note.source.binding.scope.storeNumber)
        }
    }

    private mutating func addPlacedJoins(_ objects: [ManagedObject]) {
        for object in objects {
            for change in object.placedJoins {
                add(change, storeNumber: object.binding.storeNumber)
            }
        }
    }

    // MARK: - References

    /// Notes a changed object and its new destinations. Unchanged destinations are not checked.
    private mutating func noteReferences(of object: ManagedObject, _ properties: PropertyMask) {
        noteReference(to: object)
        let context = context
        properties.forEach { index in
            guard object.binding.accessors[index].isToOne,
                case .objectID(let id)? = object.changes?[index], id.reference < 0
            else { return }
            noteReference(to: context.object(id.reference, id.scope))
        }
    }

    private mutating func noteReference(to object: ManagedObject) {
        guard object.reference < 0, !object.isInserted || object.isDeleted else { return }
        openReferences.append(object.objectID)
    }

    // MARK: - Plans

    private mutating func add(_ change: consuming RowChange, _ object: ManagedObject) {
        select(object.binding.storeNumber)
        plans[current].plan.rows.append(change)
        objects[current].append(.passUnretained(object))
    }

    private mutating func add(_ change: JoinChange, storeNumber: Int) {
        select(storeNumber)
        plans[current].plan.joins.append(change)
    }

    /// Finds or makes the plan of a store.
    private mutating func select(_ storeNumber: Int) {
        if current < plans.count, plans[current].storeNumber == storeNumber { return }
        if let found = plans.firstIndex(where: { $0.storeNumber == storeNumber }) {
            current = found
        } else {
            current = plans.count
            plans.append(StorePlan(storeNumber: storeNumber))
            objects.append([])
            guard current == 0 else { return }
            plans[0].plan.rows.reserveCapacity(expectedRowCount)
            objects[0].reserveCapacity(expectedRowCount)
        }
    }
}

extension ManagedObject {
    /// The version of an inserted row: 1, or if the row was stored before, one above all that
    /// anybody can have read, so that a stale save conflicts (spec §5.3).
    ///
    /// The context may not know the last version of the row. Seconds since 2001 exceed it unless
    /// the row was updated more than once a second on average.
    fileprivate final func versionForInsertion(in context: ManagedObjectContext) -> UInt32 {
        guard state.life == .broughtBack else { return 1 }
        let known = max(
            row?.version ?? 0, context.undoRecorder.deletedVersion(of: reference) ?? 0)
        return max(known &+ 1, UInt32(clamping: Int(Date.timeIntervalSinceReferenceDate)))
    }

    /// Additions to join tables for the changed ordered relationships: all members, in order.
    fileprivate final var placedJoins: [JoinChange] {
        binding.entity.orderedIndexes.flatMap { index -> [JoinChange] in
            let property = binding.entity.properties[index]
            guard hasOtherMembers(in: index),
                property.relationship?.isInJoinTable == true
            else { return [] }
            let members = orderedDestinations(of: property).filter { !$0.isDeleted }
            return members.enumerated().map { position, member in
                JoinChange(
                    property: property, entity: binding.entity,
                    sourceKey: reference, destinationEntity: member.binding.entity,
                    destinationKey: member.reference, isInsertion: true, position: position)
            }
        }
    }
}

extension JoinNote {
    /// Whether a removal leaves the pair to its rows: others have deleted one, with which the pair is
    /// gone or back, and this save deletes neither.
    fileprivate var isLeftToRows: Bool {
        let (source, destination) = (source.state.deletion, destination.state.deletion)
        return (source.isNews || destination.isNews) && !source.isOrder && !destination.isOrder
    }
}
