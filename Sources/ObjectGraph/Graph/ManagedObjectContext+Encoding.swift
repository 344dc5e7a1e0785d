// Objects become rows: for the store in a save, for a child context at any time.
extension ManagedObjectContext {
    /// The row that an object would have if it were saved now.
    ///
    /// A reference to an unsaved object is its temporary one, or its primary key if a save under way has given it one.
    func encode(
        _ object: ManagedObject, into writer: inout RowWriter, version: UInt32
    ) -> RowReference {
        let entity = object.binding.entity
        let layout = entity.layout
        writer.begin(
            layout, key: object.reference, version: version, entityNumber: UInt32(entity.number))
        for property in entity.properties {
            guard let slot = property.slot else { continue }
            if let changes = object.changes, changes.contains(property.index) {
                write(changes[property.index], property, slot, into: &writer)
            } else if let row = object.row, row.hasValue(slot) {
                copy(
                    row, property, slot, layout, storeNumber: object.binding.scope.storeNumber,
                    into: &writer)
            }
        }
        return writer.finish()
    }

    @inline(__always)
    private func write(
        _ value: AttributeValue, _ property: Property, _ slot: Int, into writer: inout RowWriter
    ) {
        switch value {
        case .null: break
        case .boolean(let value): writer.set(slot, integer: value ? 1 : 0)
        case .integer(let value):
            if property.attributeType?.slotKind == .real {
                writer.set(slot, real: Double(value))
            } else {
                writer.set(slot, integer: value)
            }
        case .double(let value): writer.set(slot, real: value)
        case .date(let value): writer.set(slot, real: value.timeIntervalSinceReferenceDate)
        case .decimal: writer.set(slot, real: value.double!)
        case .string(let value): writer.set(slot, text: value)
        case .uri(let value): writer.set(slot, text: value.absoluteString)
        case .data(let value): value.withUnsafeBytes { writer.set(slot, bytes: $0) }
        case .uuid(let value): withUnsafeBytes(of: value.uuid) { writer.set(slot, bytes: $0) }
        case .objectID(let id):
            writer.set(
                slot,
                integer: currentReference(
                    id.reference, entityIndex: id.scope.entityIndex, id.scope.storeNumber))
            if let entitySlot = property.entitySlot {
                writer.set(entitySlot, integer: Int64(id.scope.entityIndex + 1))
            }
        }
    }

    @inline(__always)
    private func copy(
        _ row: RowReference, _ property: Property, _ slot: Int, _ layout: RowLayout,
        storeNumber: Int, into writer: inout RowWriter
    ) {
        switch layout.slotKinds[slot] {
        case .integer:
            var integer = row.integer(slot, in: layout)
            if integer < 0, property.kind == .toOne {
                integer = currentReference(
                    integer, entityIndex: property.relationship!.destinationIndex, storeNumber)
            }
            writer.set(slot, integer: integer)
            if let entitySlot = property.entitySlot, row.hasValue(entitySlot) {
                writer.set(entitySlot, integer: row.integer(entitySlot, in: layout))
            }
        case .real: writer.set(slot, real: row.real(slot, in: layout))
        case .text, .blob: writer.set(slot, bytes: row.bytes(slot, in: layout))
        }
    }

    /// The primary key of an object that a save under way has given one, else its reference.
    private func currentReference(
        _ reference: Int64, entityIndex: Int, _ storeNumber: Int
    ) -> Int64 {
        guard reference < 0 else { return reference }
        return table(entityIndex, storeNumber)[reference]?.reference ?? reference
    }

    /// The row of an object with its unsaved changes, for a child context; nil if the object is gone.
    func currentRow(of object: ManagedObject) -> RowReference? {
        if object.state.contains(.deleted) { return nil }
        if object.isFault {
            if let row = object.row, !row.slab.hasSupersededRows.load(ordering: .relaxed) {
                return row
            }
            object.fireFault()
            if object.state.contains(.deleted) { return nil }
        }
        if object.changes == nil, let row = object.row { return row }
        var writer = RowWriter(expectedByteCount: 256)
        return encode(object, into: &writer, version: object.row?.version ?? 0)
    }
}
