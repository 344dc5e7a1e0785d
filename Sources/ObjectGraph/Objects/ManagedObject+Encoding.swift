// Encoding objects as rows: for the store in a save, for a child context at any time.
extension ManagedObject {
    /// The row that an object would have if it were saved now.
    ///
    /// A reference to an unsaved object is its temporary one, or its primary key if the current
    /// save has assigned one.
    ///
    /// - Parameter changes: Its unsaved values; nil leaves them out.
    final func encode(
        into writer: inout RowWriter, _ references: inout RowReferences,
        version: UInt32, changes: ChangedValues?
    ) -> RowReference {
        let binding = binding
        writer.begin(
            binding.extent, key: reference, version: version,
            entityNumber: binding.entityNumber)
        let row = rowStart
        for index in 0..<binding.propertyCount {
            let accessor = binding.accessors[index]
            guard accessor.slot >= 0 else { continue }
            if let changes, changes.contains(index) {
                references.write(changes.pointer(index), accessor, into: &writer)
            } else if let row, row.rowHasValue(Int(accessor.slot)) {
                references.copy(row, accessor, index, binding, into: &writer)
            }
        }
        return writer.finish()
    }

    /// Replaces an object's temporary references to others by permanent ones.
    final func renewReferences(_ references: inout RowReferences) {
        let entity = binding.entity
        if let changes = changesBesideDraft {
            for index in entity.toOneIndexes where changes.contains(index) {
                guard case .objectID(let id) = changes[index],
                    let key = references.renewed[id.reference]
                else { continue }
                changes[index] = .objectID(ManagedObjectID(scope: id.scope, reference: key))
            }
        }
        guard let row else { return }
        let refersToTemporary = entity.toOneIndexes.contains { index in
            let slot = entity.properties[index].slot!
            return row.hasValue(slot) && row.integer(slot, in: entity.layout) < 0
        }
        guard row.key < 0 || refersToTemporary else { return }
        // The level above has made a row of its own. It does not report changes for the row kept
        // here.
        if isFault { return self.row = nil }
        let isSuperseded = isRowSuperseded
        var writer = RowWriter(expectedByteCount: 256)
        self.row = encode(
            into: &writer, &references, version: row.version, changes: nil)
        if isSuperseded { supersedeRow() }
    }
}

extension RowReferences {
    /// Writes an unsaved value.
    @inline(__always)
    mutating func write(
        _ value: UnsafePointer<AttributeValue>, _ accessor: PropertyAccessor,
        into writer: inout some SlotWriter
    ) {
        let slot = Int(accessor.slot)
        guard case .objectID(let id) = value.pointee else {
            return writer.set(slot, value, accessor.slotKind)
        }
        let reference = current(
            id.reference, entityIndex: id.scope.entityIndex, id.scope.storeNumber)
        writer.set(slot, integer: reference)
        if accessor.entitySlot >= 0 {
            writer.set(Int(accessor.entitySlot), integer: Int64(id.scope.entityIndex + 1))
        }
    }

    /// Writes a value of the row that an object has.
    @inline(__always)
    fileprivate mutating func copy(
        _ row: UnsafeRawPointer, _ accessor: PropertyAccessor, _ index: Int,
        _ binding: EntityBinding, into writer: inout RowWriter
    ) {
        let (slot, offset) = (Int(accessor.slot), Int(accessor.byteOffset))
        switch accessor.slotKind {
        case .integer:
            var integer = row.load(fromByteOffset: offset, as: Int64.self)
            if integer < 0, accessor.isToOne {
                let destination = binding.entity.properties[index].relationship!.destinationIndex
                integer = current(
                    integer, entityIndex: destination, binding.scope.storeNumber)
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
}
