import Foundation

// Encoding objects as rows: for the store in a save, for a child context at any time.
extension ManagedObjectContext {
    /// The row that an object would have if it were saved now.
    ///
    /// A reference to an unsaved object is its temporary one, or its primary key if the current
    /// save has assigned one.
    ///
    /// - Parameter changes: Its unsaved values; nil leaves them out.
    func encode(
        _ object: ManagedObject, into writer: inout RowWriter, _ references: inout RowReferences,
        version: UInt32, changes: ChangedValues?
    ) -> RowReference {
        let binding = object.binding
        writer.begin(
            binding.extent, key: object.reference, version: version,
            entityNumber: binding.entityNumber)
        let row = object.rowStart
        for index in 0..<binding.propertyCount {
            let accessor = binding.accessors[index]
            guard accessor.slot >= 0 else { continue }
            if let changes, changes.contains(index) {
                write(changes.pointer(index), accessor, into: &writer, &references)
            } else if let row, row.rowHasValue(Int(accessor.slot)) {
                copy(row, accessor, index, binding, into: &writer, &references)
            }
        }
        return writer.finish()
    }

    /// The version of an inserted row: 1, or if the row was stored before, one above all that
    /// anybody can have read, so that a stale save conflicts (spec §5.3).
    ///
    /// The context may not know the last version of the row. Seconds since 2001 exceed it unless
    /// the row was updated more than once a second on average.
    func versionForInsertion(of object: ManagedObject) -> UInt32 {
        guard object.state.life == .broughtBack else { return 1 }
        let known = max(
            object.row?.version ?? 0, undoRecorder.deletedVersion(of: object.reference) ?? 0)
        return max(known &+ 1, UInt32(clamping: Int(Date.timeIntervalSinceReferenceDate)))
    }

    @inline(__always)
    func write(
        _ value: UnsafePointer<AttributeValue>, _ accessor: PropertyAccessor,
        into writer: inout some SlotWriter, _ references: inout RowReferences
    ) {
        let slot = Int(accessor.slot)
        guard case .objectID(let id) = value.pointee else {
            return writer.set(slot, value, accessor.slotKind)
        }
        let reference = currentReference(
            id.reference, entityIndex: id.scope.entityIndex, id.scope.storeNumber, &references)
        writer.set(slot, integer: reference)
        if accessor.entitySlot >= 0 {
            writer.set(Int(accessor.entitySlot), integer: Int64(id.scope.entityIndex + 1))
        }
    }

    @inline(__always)
    private func copy(
        _ row: UnsafeRawPointer, _ accessor: PropertyAccessor, _ index: Int,
        _ binding: EntityBinding, into writer: inout RowWriter, _ references: inout RowReferences
    ) {
        let (slot, offset) = (Int(accessor.slot), Int(accessor.byteOffset))
        switch accessor.slotKind {
        case .integer:
            var integer = row.load(fromByteOffset: offset, as: Int64.self)
            if integer < 0, accessor.isToOne {
                let destination = binding.entity.properties[index].relationship!.destinationIndex
                integer = currentReference(
                    integer, entityIndex: destination, binding.scope.storeNumber, &references)
            }
            writer.set(slot, integer: integer)
            // The entity number of a to-one destination is in the next slot.
            if accessor.entitySlot >= 0, row.rowHasValue(Int(accessor.entitySlot)) {
                writer.set(
                    Int(accessor.entitySlot),
                    integer: row.load(fromByteOffset: offset + 8, as: Int64.self))
            }
        case .real: writer.set(slot, real: row.load(fromByteOffset: offset, as: Double.self))
        case .text: writer.set(slot, bytes: row.rowBytes(offset))
        case .blob:
            if let path = row.rowFilePath(offset) {
                writer.set(slot, fileIn: path, UnsafeRawBufferPointer(start: nil, count: 0))
            } else {
                writer.set(slot, bytes: row.rowBytes(offset))
            }
        }
    }

    /// The primary key that the current save has assigned to an object, otherwise its reference.
    private func currentReference(
        _ reference: Int64, entityIndex: Int, _ storeNumber: Int,
        _ references: inout RowReferences
    ) -> Int64 {
        guard reference < 0 else { return reference }
        let object = table(entityIndex, storeNumber)[reference]
        let current = object?.reference ?? references.renewed[reference] ?? reference
        if current < 0, references.open != nil, !(object?.isInserted ?? false) || object!.isDeleted
        {
            let scope = binding(entityIndex, storeNumber).scope
            references.open!.append(ManagedObjectID(scope: scope, reference: current))
        }
        return current
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
        var references = RowReferences()
        let row = encode(
            object, into: &writer, &references, version: object.row?.version ?? 0,
            changes: object.changes)
        // The next change makes another row, so holders of this one must ask again.
        row.slab.hasSupersededRows.store(true, ordering: .relaxed)
        return row
    }
}
