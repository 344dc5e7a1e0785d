import Foundation

// Reading: the unsaved value if there is one, otherwise the slot of the row.
extension ManagedObject {
    /// The value of an attribute.
    ///
    /// Reading fires the fault. Writing marks the object changed, even if the value is equal.
    /// Queue: the context's. Cost: none when realised; a fault costs at most one statement.
    @inlinable
    public final subscript<Value: ManagedValue>(attribute: Attribute<Value>) -> Value {
        get { Value.read(attribute.key, of: self) }
        set { newValue.assign(to: attribute.key, of: self) }
    }

    /// Sets an attribute to a value of its own type.
    public final func set(_ value: consuming AttributeValue, for key: PropertyKey) {
        setAttribute(value, at: key.index(in: binding))
    }

    @inline(__always)
    final func integer(_ key: PropertyKey) -> Int64? {
        let index = key.index(in: binding)
        if state.needsAttention { attend(reading: index) }
        if changesBesideDraft != nil, let value = changedValue(at: index) { return value.integer }
        let accessor = binding.accessors[index]
        guard let rowStart, accessor.slot >= 0, rowStart.rowHasValue(Int(accessor.slot)) else {
            return absentValue(at: index)?.integer
        }
        return rowStart.load(fromByteOffset: Int(accessor.byteOffset), as: Int64.self)
    }

    @inline(__always)
    final func real(_ key: PropertyKey) -> Double? {
        let index = key.index(in: binding)
        if state.needsAttention { attend(reading: index) }
        if changesBesideDraft != nil, let value = changedValue(at: index) { return value.double }
        let accessor = binding.accessors[index]
        guard let rowStart, accessor.slot >= 0, rowStart.rowHasValue(Int(accessor.slot)) else {
            return absentValue(at: index)?.double
        }
        return rowStart.load(fromByteOffset: Int(accessor.byteOffset), as: Double.self)
    }

    @inline(__always)
    final func text(_ key: PropertyKey) -> String? {
        let index = key.index(in: binding)
        if state.needsAttention { attend(reading: index) }
        if changesBesideDraft != nil, let value = changedValue(at: index) { return value.string }
        guard let bytes = bytes(at: index) else { return absentValue(at: index)?.string }
        return String(copying: bytes)
    }

    final func blob(_ key: PropertyKey) -> Data? {
        let index = key.index(in: binding)
        if state.needsAttention { attend(reading: index) }
        if changesBesideDraft != nil, let value = changedValue(at: index) {
            if case .data(let data) = value { return data }
            return nil
        }
        if let bytes = bytes(at: index) {
            let accessor = binding.accessors[index]
            guard rowStart?.rowFilePath(Int(accessor.byteOffset)) == nil else {
                return externalData(at: index)
            }
            return Data(bytes)
        }
        if case .data(let data)? = absentValue(at: index) { return data }
        return nil
    }

    /// The data of an attribute whose value is in a file; nil if the file cannot be read.
    @inline(never)
    private func externalData(at index: Int) -> Data? {
        guard let row = valuesRow,
            case .data(let data) = storedValue(of: binding.entity.properties[index], in: row)
        else { return nil }
        return data
    }

    /// The bytes of a text or blob in the row; valid while the object has this row.
    @inline(__always)
    private func bytes(at index: Int) -> UnsafeRawBufferPointer? {
        let accessor = binding.accessors[index]
        guard let rowStart, accessor.slot >= 0, rowStart.rowHasValue(Int(accessor.slot)) else {
            return nil
        }
        return rowStart.rowBytes(Int(accessor.byteOffset))
    }

    /// The value of an attribute that neither the row nor a setter has set: the default of a
    /// transient one.
    @inline(never)
    private func absentValue(at index: Int) -> AttributeValue? {
        guard binding.accessors[index].slot < 0, !state.isDetached else { return nil }
        return binding.entity.properties[index].defaultValue
    }

    @inline(never)
    private func changedValue(at index: Int) -> AttributeValue? {
        guard let changes = changesBesideDraft, changes.contains(index) else { return nil }
        return changes[index]
    }

    /// The unsaved value of an attribute, or the default of a transient one; nil if it has none.
    final func changedValue(_ key: PropertyKey) -> AttributeValue? {
        let index = key.index(in: binding)
        if state.needsAttention { attend(reading: index) }
        return changedValue(at: index) ?? absentValue(at: index)
    }

    /// The value of an attribute of any type; fires the fault.
    final func attributeValue(of property: Property) -> AttributeValue {
        if state.needsAttention { attend(reading: property.index) }
        if let changes = changesBesideDraft, changes.contains(property.index) {
            return changes[property.index]
        }
        guard property.slot != nil else {
            guard property.isComposite else { return absentValue(at: property.index) ?? .null }
            return property.composed { attributeValue(of: $0) }
        }
        return valuesRow.map { storedValue(of: property, in: $0) } ?? .null
    }

    /// The file with the value of an attribute; nil if the object has the value itself. Fires the
    /// fault.
    final func storedFile(of property: Property) -> ExternalValue? {
        if state.needsAttention { attend(reading: property.index) }
        guard let slot = property.slot, !(changesBesideDraft?.contains(property.index) ?? false)
        else { return nil }
        return valuesRow?.externalValue(slot, in: binding.entity.layout)
    }

    /// The value of an attribute in a row. A transformable value whose transformer fails is
    /// reported, and reads as nil. So is a value whose file cannot be read, which also counts as a
    /// failed read.
    final func storedValue(of property: Property, in row: RowReference) -> AttributeValue {
        if let slot = property.slot,
            let file = row.externalValue(slot, in: binding.entity.layout)
        {
            do {
                return .data(try file.data(of: property.name, binding.entity.name))
            } catch {
                managedObjectContext?.readFailed(of: self, error, givesValue: true)
                return .null
            }
        }
        do {
            return try row.value(of: property, in: binding.entity.layout)
        } catch {
            managedObjectContext?.faultHandler(objectID, error)
            return .null
        }
    }

    /// The value of a transformable attribute; nil if there is none.
    ///
    /// A property list is read and set as any Swift type that it can be made of, such as
    /// `[String: Int]`. A value that is not a `Value` is reported to the `faultHandler` of the
    /// context and reads as nil. Cost: each read makes the value from its data again.
    public final subscript<Value>(attribute: Transformable<Value>) -> Value? {
        get {
            let property = property(attribute.key)
            guard case .transformable(let transformable) = attributeValue(of: property) else {
                return nil
            }
            if let value = transformable.converted(to: Value.self) { return value }
            if let value = transformable.swiftValue ?? transformable.unreadableData {
                let error = PropertyError(
                    .unreadableValue("\(value)", as: "\(Value.self)"),
                    entity: binding.entity.name, key: property.name)
                managedObjectContext?.faultHandler(objectID, error)
            }
            return nil
        }
        set {
            let property = property(attribute.key)
            guard let newValue else { return setAttribute(.null, at: property.index) }
            guard let value = property.rules?.transformer?.transformed(newValue) else {
                fatalError(
                    "'\(binding.entity.name).\(property.name)' does not take values of type \(Value.self); see its transformer."
                )
            }
            setAttribute(.transformable(value), at: property.index)
        }
    }

    // MARK: - Writing

    /// Sets an attribute to a value, which must be of its type.
    final func setAttribute(_ value: consuming AttributeValue, at index: Int) {
        if binding.accessors[index].isComposite { return setComposite(value, at: index) }
        if state.flags.contains(.draft), putInDraft(value, at: index) { return }
        willChange()
        unsavedValues[index] = value
        if state.flags.contains(.observed) { notifyObservers(ofPropertyAt: index) }
    }

    /// Fires the fault and records with the context that the object is about to change.
    @inline(__always)
    final func willChange() {
        if state.needsAttention { attend(isForReading: false) }
        if !state.life.isToBeWritten || !state.flags.contains(.changedInEvent) {
            noteChange()
        }
    }

    @inline(never)
    private func noteChange() {
        guard let context = managedObjectContext else { return changeIsLost() }
        context.noteChange(of: self)
    }

    /// The persistent properties whose unsaved value differs from the row's. Of a composite
    /// attribute all elements do, or none.
    final var changedProperties: PropertyMask {
        guard let changes else { return PropertyMask() }
        var mask = PropertyMask()
        changes.mask.forEach { index in
            let accessor = binding.accessors[index]
            guard accessor.slot >= 0 else { return }
            if let rowStart, isStored(changes[index], at: index, rowStart) { return }
            mask.insert(index)
        }
        return binding.entity.composites.isEmpty ? mask : binding.entity.completing(mask)
    }

    /// Removes unsaved values that equal those of the row, since they are not changes when a newer
    /// row comes (spec §5.4). Relationships that delete rules have cut stay cut, and a composite
    /// attribute that differs in one element stays whole.
    final func forgetEqualValues() {
        guard let changes, let rowStart else { return }
        var kept = cutRelationships
        if !binding.entity.composites.isEmpty { kept.formUnion(changedProperties) }
        changes.mask.forEach { index in
            let accessor = binding.accessors[index]
            if accessor.slot >= 0, !kept.contains(index),
                isStored(changes[index], at: index, rowStart)
            {
                changes.remove(index)
            }
        }
    }

    /// Whether the row has an equal value.
    private func isStored(
        _ value: AttributeValue, at index: Int, _ row: UnsafeRawPointer
    ) -> Bool {
        let accessor = binding.accessors[index]
        guard row.rowHasValue(Int(accessor.slot)) else { return value.isNull }
        let offset = Int(accessor.byteOffset)
        switch accessor.slotKind {
        case .integer:
            let stored = row.load(fromByteOffset: offset, as: Int64.self)
            if case .objectID(let id) = value { return stored == id.reference }
            return stored == value.integer
        case .real: return row.load(fromByteOffset: offset, as: Double.self) == value.double
        case .blob where binding.entity.properties[index].attributeType == .transformable:
            return self.row.map {
                storedValue(of: binding.entity.properties[index], in: $0) == value
            } ?? false
        case .text: return value.hasBytes(row.rowBytes(offset))
        // A value in a file is not read to compare it.
        case .blob: return row.rowFilePath(offset) == nil && value.hasBytes(row.rowBytes(offset))
        }
    }
}

extension AttributeValue {
    /// Whether the value is a text or blob of exactly these bytes.
    fileprivate func hasBytes(_ bytes: UnsafeRawBufferPointer) -> Bool {
        switch self {
        case .string(var text): text.withUTF8 { $0.elementsEqual(bytes) }
        case .uri(let uri): uri.absoluteString.utf8.elementsEqual(bytes)
        case .data(let data): data.elementsEqual(bytes)
        case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { $0.elementsEqual(bytes) }
        default: false
        }
    }
}

extension RowReference {
    /// The value of an attribute according to its type; null if the row has none. The row must have
    /// it itself, and not in a file. A composite attribute consists of the values of its elements.
    ///
    /// - Throws: The error of a transformable attribute's transformer.
    package func value(of property: Property, in layout: RowLayout) throws -> AttributeValue {
        guard let slot = property.slot, hasValue(slot), let type = property.attributeType else {
            return try property.composed { element in try value(of: element, in: layout) }
        }
        switch type {
        case .integer16, .integer32, .integer64: return .integer(integer(slot, in: layout))
        case .boolean: return .boolean(integer(slot, in: layout) != 0)
        case .double, .float: return .double(real(slot, in: layout))
        case .decimal:
            return Decimal(shortest: real(slot, in: layout)).map { .decimal($0) } ?? .null
        case .date: return .date(Date(timeIntervalSinceReferenceDate: real(slot, in: layout)))
        case .string: return .string(text(slot, in: layout))
        case .uri: return URL(string: text(slot, in: layout)).map { .uri($0) } ?? .null
        case .binaryData: return .data(Data(bytes(slot, in: layout)))
        case .uuid: return UUID(bytes: Data(bytes(slot, in: layout))).map { .uuid($0) } ?? .null
        case .transformable:
            let data = Data(bytes(slot, in: layout))
            guard let transformer = property.rules?.transformer else { return .null }
            return .transformable(try transformer.value(from: data))
        case .undefined, .objectID, .composite: return .null
        }
    }
}
