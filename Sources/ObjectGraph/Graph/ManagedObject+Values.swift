import Foundation

// Reading: the unsaved value if there is one, else the slot of the row.
extension ManagedObject {
    /// The value of an attribute.
    ///
    /// Reading fires the fault; writing marks the object changed, whether or not the value is another. Queue: the
    /// context's. Cost: none when realised; a fault costs at most one statement.
    @inlinable
    public final subscript<Value: ManagedValue>(attribute: Attribute<Value>) -> Value {
        get { Value.read(attribute.key, of: self) }
        set { set(newValue.attributeValue, for: attribute.key) }
    }

    /// Gives an attribute a value of its own type.
    public final func set(_ value: AttributeValue, for key: PropertyKey) {
        setAttribute(value, at: key.index(in: binding.entity))
    }

    @inline(__always)
    final func integer(_ key: PropertyKey) -> Int64? {
        let index = key.index(in: binding.entity)
        if state.contains(.fault) { fireFault() }
        if let changes, changes.contains(index) { return changes[index].integer }
        let accessor = binding.entity.accessors[index]
        guard let row, accessor.slot >= 0, row.hasValue(Int(accessor.slot)) else { return nil }
        return row.integer(at: Int(accessor.byteOffset))
    }

    @inline(__always)
    final func real(_ key: PropertyKey) -> Double? {
        let index = key.index(in: binding.entity)
        if state.contains(.fault) { fireFault() }
        if let changes, changes.contains(index) { return changes[index].double }
        let accessor = binding.entity.accessors[index]
        guard let row, accessor.slot >= 0, row.hasValue(Int(accessor.slot)) else { return nil }
        return Double(bitPattern: UInt64(bitPattern: row.integer(at: Int(accessor.byteOffset))))
    }

    @inline(__always)
    final func text(_ key: PropertyKey) -> String? {
        let index = key.index(in: binding.entity)
        if state.contains(.fault) { fireFault() }
        if let changes, changes.contains(index) { return changes[index].string }
        let slot = Int(binding.entity.accessors[index].slot)
        guard let row, slot >= 0, row.hasValue(slot) else { return nil }
        return row.text(slot, in: binding.entity.layout)
    }

    final func blob(_ key: PropertyKey) -> Data? {
        let index = key.index(in: binding.entity)
        if state.contains(.fault) { fireFault() }
        if let changes, changes.contains(index) {
            if case .data(let value) = changes[index] { return value }
            return nil
        }
        let slot = Int(binding.entity.accessors[index].slot)
        guard let row, slot >= 0, row.hasValue(slot) else { return nil }
        return Data(row.bytes(slot, in: binding.entity.layout))
    }

    /// The unsaved value of an attribute; nil if it has none.
    final func changedValue(_ key: PropertyKey) -> AttributeValue? {
        let index = key.index(in: binding.entity)
        guard let changes, changes.contains(index) else { return nil }
        return changes[index]
    }

    /// The value of an attribute of any type; fires the fault.
    final func attributeValue(of property: Property) -> AttributeValue {
        if state.contains(.fault) { fireFault() }
        if let changes, changes.contains(property.index) { return changes[property.index] }
        return row?.value(of: property, in: binding.entity.layout) ?? .null
    }

    // MARK: - Writing

    /// Gives an attribute a value, which must be of its type.
    final func setAttribute(_ value: AttributeValue, at index: Int) {
        willChange()
        changedValues[index] = value
    }

    /// Notes with the context that the object is about to change; fires its fault.
    @inline(__always)
    final func willChange() {
        if state.contains(.fault) { fireFault() }
        if state.isDisjoint(with: [.inserted, .updated]) || !state.contains(.changedInEvent) {
            noteChange()
        }
    }

    @inline(never)
    private func noteChange() {
        guard let context = managedObjectContext else {
            preconditionFailure(
                "\(self) has left its context and cannot be changed; fetch it again, or keep its context alive."
            )
        }
        context.noteChange(of: self)
    }

    /// The unsaved values, made when first needed.
    final var changedValues: ChangedValues {
        if let changes { return changes }
        let made = ChangedValues.make(propertyCount: binding.entity.properties.count)
        changes = made
        return made
    }

    /// The persistent properties whose unsaved value differs from the row's.
    final var changedProperties: PropertyMask {
        guard let changes else { return PropertyMask() }
        var mask = PropertyMask()
        let entity = binding.entity
        changes.mask.forEach { index in
            let property = entity.properties[index]
            guard property.slot != nil else { return }
            if let row, isStored(changes[index], in: row, property) { return }
            mask.insert(index)
        }
        return mask
    }

    /// Whether the row has this very value.
    private func isStored(_ value: AttributeValue, in row: RowReference, _ property: Property)
        -> Bool
    {
        if property.attributeType != nil {
            return row.value(of: property, in: binding.entity.layout) == value
        }
        guard case .objectID(let id) = value else { return !row.hasValue(property.slot!) }
        return row.hasValue(property.slot!)
            && row.integer(property.slot!, in: binding.entity.layout) == id.reference
    }
}

extension RowReference {
    /// The value of an attribute, as its type says; null for anything else.
    func value(of property: Property, in layout: RowLayout) -> AttributeValue {
        guard let slot = property.slot, hasValue(slot), let type = property.attributeType else {
            return .null
        }
        switch type {
        case .integer16, .integer32, .integer64: return .integer(integer(slot, in: layout))
        case .boolean: return .boolean(integer(slot, in: layout) != 0)
        case .double, .float: return .double(real(slot, in: layout))
        case .decimal: return .decimal(Decimal(shortest: real(slot, in: layout)))
        case .date: return .date(Date(timeIntervalSinceReferenceDate: real(slot, in: layout)))
        case .string: return .string(text(slot, in: layout))
        case .uri: return URL(string: text(slot, in: layout)).map { .uri($0) } ?? .null
        case .binaryData: return .data(Data(bytes(slot, in: layout)))
        case .uuid: return UUID(bytes: Data(bytes(slot, in: layout))).map { .uuid($0) } ?? .null
        }
    }
}
