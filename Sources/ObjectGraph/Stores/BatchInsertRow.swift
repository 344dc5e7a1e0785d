/// The next row of a batch insert. Values are written directly in the form that SQLite gets.
public struct BatchInsertRow: ~Copyable {
    let entity: Entity
    // These belong to the entity, which the row keeps alive.
    let accessors: UnsafePointer<PropertyAccessor>
    let propertyCount: Int
    var writer = RowWriter()

    /// The attributes that were set to nil.
    private var nils = PropertyMask()

    /// Values that a store cannot return unchanged, by attribute. `finish` throws unless they are
    /// replaced. Nil until there is one, so that other rows only pay a comparison for each value.
    private var unstorable: [Int: AttributeValue]?

    /// Attributes for which an omitted value means a default or an error.
    private let required: PropertyMask

    /// A bit for each slot of those attributes, to test quickly whether the row has all of them;
    /// nil if one has no bit.
    private let requiredSlots: UInt16?

    package init(_ entity: Entity) {
        self.entity = entity
        accessors = entity.accessors
        propertyCount = entity.properties.count
        var required = PropertyMask()
        var requiredSlots: UInt16? = 0
        for property in entity.properties {
            guard let slot = property.slot, property.derivation == nil,
                property.defaultValue != nil
                    || (property.attributeType != nil && !property.isOptional)
            else { continue }
            required.insert(property.index)
            requiredSlots =
                slot < RowLayout.headerSlotCount ? requiredSlots.map { $0 | 1 << slot } : nil
        }
        self.required = required
        self.requiredSlots = requiredSlots
    }

    /// Sets an attribute by its name, or an element of a composite attribute by its key path.
    ///
    /// - Throws: `StoreError` if the entity has no such persistent attribute, or the attribute
    ///   cannot store the value.
    public mutating func set(_ value: AttributeValue, forKey key: String) throws(StoreError) {
        guard let property = entity.property(at: key), property.isStoredAttribute else {
            throw StoreError(.unknownAttribute(key, entity: entity.name))
        }
        guard let converted = property.converted(value), converted.isStorable else {
            throw StoreError(.unacceptableValue(value, attribute: key, entity: entity.name))
        }
        guard property.isComposite else { return store(converted, property) }
        for part in property.parts(of: converted) { store(part.value, part.property) }
    }

    /// Sets an attribute to a value, converted to its type. A value that cannot be converted is a
    /// programming error in the accessor.
    mutating func write(_ value: AttributeValue, at index: Int) {
        let property = entity.properties[index]
        guard property.isStoredAttribute, let converted = property.converted(value) else {
            fatalError(
                "'\(entity.name).\(property.name)' cannot be \(value); declare its Attribute with the Swift type of the model's attribute, which must be stored."
            )
        }
        guard property.isComposite else { return take(converted, property) }
        for part in property.parts(of: converted) { take(part.value, part.property) }
    }

    private mutating func take(_ value: AttributeValue, _ property: Property) {
        store(value, property)
        if !value.isStorable { noteUnstorable(value, at: property.index) }
    }

    // These write directly if the Swift type is that of the slot.

    @inline(__always)
    mutating func write(integer: Int64, at index: Int) {
        let accessor = accessors[index]
        guard accessor.slotKind == .integer, accessor.slot >= 0 else {
            return write(.integer(integer), at: index)
        }
        writer.set(Int(accessor.slot), integer: integer)
    }

    @inline(__always)
    mutating func write(real: Double, at index: Int) {
        let accessor = accessors[index]
        guard accessor.slotKind == .real, accessor.slot >= 0 else {
            return write(.double(real), at: index)
        }
        if unstorable != nil { unstorable![index] = nil }
        if real.isNaN { noteUnstorable(.double(real), at: index) }
        writer.set(Int(accessor.slot), real: real)
    }

    @inline(__always)
    mutating func write(text: String, at index: Int) {
        let accessor = accessors[index]
        guard accessor.slotKind == .text, accessor.slot >= 0 else {
            return write(.string(text), at: index)
        }
        writer.set(Int(accessor.slot), text: text)
    }

    @inline(__always)
    mutating func clear(at index: Int) {
        let accessor = accessors[index]
        guard accessor.isPlain else { return write(.null, at: index) }
        if unstorable != nil { unstorable![index] = nil }
        nils.insert(index)
        writer.clear(Int(accessor.slot))
    }

    @inline(never)
    private mutating func noteUnstorable(_ value: AttributeValue, at index: Int) {
        unstorable = unstorable ?? [:]
        unstorable![index] = value
    }

    /// Replaces the value of an attribute that has a column with one of its type.
    private mutating func store(_ value: AttributeValue, _ property: Property) {
        let accessor = accessors[property.index]
        writer.clear(Int(accessor.slot))
        if value.isNull { nils.insert(property.index) }
        if unstorable != nil { unstorable![property.index] = nil }
        writer.set(Int(accessor.slot), value, accessor.slotKind)
    }

    /// Begins a row.
    ///
    /// - Parameter isAlone: Whether earlier rows are no longer needed. Their memory, which is in
    ///   the processor's cache, is then reused.
    package mutating func begin(key: Int64, isAlone: Bool) {
        if isAlone { writer.rewind() }
        if !nils.isEmpty { nils = PropertyMask() }
        if unstorable != nil { unstorable = nil }
        writer.begin(
            entity.layout.extent, key: key, version: 1, entityNumber: UInt32(entity.number))
    }

    /// The attributes that were set since `begin`, to nil too, without derived ones. Valid before
    /// `finish`.
    package var given: PropertyMask {
        var given = nils
        for index in 0..<propertyCount where accessors[index].slot >= 0 {
            if writer.hasValue(Int(accessors[index].slot)) { given.insert(index) }
        }
        return given.subtracting(entity.derived)
    }

    /// Gives omitted attributes their defaults and finishes the row.
    ///
    /// - Throws: `StoreError` if a mandatory attribute has no value, or an attribute has a value
    ///   that a store cannot return unchanged.
    package mutating func finish() throws -> RowReference {
        if let (index, value) = unstorable?.min(by: { $0.key < $1.key }) {
            throw StoreError(
                .unacceptableValue(
                    value, attribute: entity.properties[index].name, entity: entity.name))
        }
        if !(requiredSlots.map(writer.hasValues) ?? false) { try giveDefaults() }
        let row = writer.finish()
        if !entity.composites.isEmpty { try checkComposites(of: row) }
        return row
    }

    private mutating func giveDefaults() throws {
        for property in entity.properties
        where required.contains(property.index) && !writer.hasValue(property.slot!) {
            let isNil = nils.contains(property.index)
            if isNil, property.isOptional { continue }
            guard !isNil, let value = property.defaultValue else {
                throw StoreError(
                    .missingMandatoryValue(attribute: property.name, entity: entity.name))
            }
            store(value, property)
        }
    }

    /// Checks the composite attributes of which the columns alone do not show what they lack.
    private func checkComposites(of row: RowReference) throws {
        for composite in entity.composites where entity.validated.contains(composite.index) {
            let value = try row.value(of: composite, in: entity.layout)
            let missing =
                value.isNull
                ? composite.isOptional ? nil : composite : composite.missingElement(of: value)
            if let missing {
                throw StoreError(
                    .missingMandatoryValue(attribute: missing.name, entity: entity.name))
            }
        }
    }
}

extension Property {
    /// Whether the property is an attribute with columns.
    fileprivate var isStoredAttribute: Bool { attributeType != nil && !isTransient }
}
