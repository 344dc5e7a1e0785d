/// The newest rows of objects, which others may have changed since a context has read them.
struct NewestRows {
    /// While conflicts are settled, the rows that were read for all of them together; nil for a row
    /// that is gone.
    private var kept: [ManagedObject: RowReference?] = [:]

    /// Reads the rows of objects in one statement a store for each entity, and keeps them. Of a
    /// single one only the cached row is forgotten, so that it is read when it is asked for.
    mutating func read(
        of objects: Set<ManagedObject>, in context: ManagedObjectContext
    ) throws {
        let unread = objects.filter { kept[$0] == nil }
        for group in Dictionary(grouping: unread, by: { ObjectIdentifier($0.binding) }).values {
            let binding = group[0].binding
            for object in group { context.coordinator.forgetRow(object.reference, binding.scope) }
            guard group.count > 1 else { continue }
            let rows = try context.channel.rows(of: group)
            for object in group { kept[object] = .some(rows[object.reference]) }
        }
    }

    mutating func forgetAll() { kept = [:] }

    func row(of object: ManagedObject, in context: ManagedObjectContext) throws -> RowReference? {
        if let known = kept[object] { return known }
        // Only contexts without a parent have conflicts.
        return try context.channel.row(object.reference, object.binding.scope, ReadOptions())
    }

    /// The row, read again even if it is cached.
    func uncachedRow(
        of object: ManagedObject, in context: ManagedObjectContext
    ) throws -> RowReference? {
        if kept[object] == nil {
            context.coordinator.forgetRow(object.reference, object.binding.scope)
        }
        return try row(of: object, in: context)
    }
}

extension ObjectChannel {
    /// The rows of objects with one binding, by key, in one statement. A row that is gone is missing.
    func rows(of objects: [ManagedObject]) throws -> [Int64: RowReference] {
        let binding = objects[0].binding
        let found = try rows(
            objects.map(\.reference).sorted(), entity: binding.entity,
            storeNumber: binding.storeNumber)
        // An identifier may name an entity other than that of its row.
        return Dictionary(found.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
            .filter { $0.value.entityIndex == binding.entity.index }
    }
}

extension ManagedObject {
    /// Gives an object that the save does not write its newest row, since others may have changed
    /// its own ends.
    ///
    /// - Returns: false if the row is gone.
    final func renewUnchanged(in context: ManagedObjectContext) throws -> Bool {
        guard !isDeleted else { return false }
        guard !isWritten else { return true }
        guard let newest = try context.newestRows.uncachedRow(of: self, in: context) else {
            return false
        }
        contents?.unload()
        forgetEqualValues()
        row = newest
        if !isFault { awake(fromSnapshotEvents: .refresh) }
        return true
    }

    /// - Returns: false if the row is gone.
    @discardableResult
    final func renew(in context: ManagedObjectContext) -> Bool {
        do { return try renewUnchanged(in: context) } catch {
            context.readFailed(of: self, error, givesValue: false)
            return true
        }
    }

    /// Gives an object whose row does not lead back its newest row, since others may have related
    /// the two after this context has read it. Otherwise no stored key would be cut.
    final func renewIfStale(
        _ property: Property, of owner: ManagedObject, in context: ManagedObjectContext
    ) {
        guard context.parent == nil,
            let inverse = context.model.inverse(of: property.relationship!),
            inverse.kind == .toOne, !state.isDetached
        else { return }
        if isFault { fireFault() }
        if storedDestination(of: inverse) !== owner { renew(in: context) }
    }

    /// Makes an object that only others have deleted an ordinary fault again if its row is back. Its
    /// unsaved changes are given up, as those of its other ends were when it was found gone.
    final func returnIfBack(in context: ManagedObjectContext) {
        guard context.parent == nil, state.deletion.isNews, !state.isDetached else { return }
        do {
            guard try context.newestRows.uncachedRow(of: self, in: context) != nil else { return }
            context.tracker.withdrawJoins { $0.source === self || $0.destination === self }
            if state.life == .updated { context.tracker.withdrawUpdate(of: self) }
            discardChanges()
            contents = nil
            expectRow(in: context)
        } catch {
            context.readFailed(of: self, error, givesValue: false)
        }
    }

    /// Whether a save writes the object's row.
    final var isWritten: Bool { state.life.isInsertion || hasPersistentChangedValues }
}
