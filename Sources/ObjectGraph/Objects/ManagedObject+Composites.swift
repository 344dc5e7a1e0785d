// Composite attributes: one value to the program, of which each element has its own place.
extension ManagedObject {
    /// The value of a composite attribute; nil if no element has a value (spec §1.3).
    ///
    /// Setting it replaces the values of all elements that the type has, and nil those of all
    /// elements. To change one element, change a copy and set that.
    public final subscript<Value>(attribute: Composite<Value>) -> Value? {
        get { attribute.access.value(of: self) }
        set {
            guard let newValue else { return setNil(for: attribute.key) }
            attribute.access.assign(newValue, to: self)
            if state.flags.contains(.observed) {
                notifyObservers(ofPropertyAt: attribute.key.index(in: binding))
            }
        }
    }

    /// The values of a composite attribute: the present one, and each that replaces it, as for
    /// other attributes.
    ///
    /// - Parameter attribute: Is read as `object[attribute]` is, which may fire the fault.
    public final func values<Value>(for attribute: Composite<Value>) -> AsyncStream<Value?> {
        values(of: property(attribute.key)) { $0[attribute] }
    }

    /// Sets all elements. Those that the value lacks become nil.
    ///
    /// - Parameter value: A value as `Property.converted` returns it.
    @inline(never)
    final func setComposite(_ value: AttributeValue, at index: Int) {
        for part in binding.entity.properties[index].parts(of: value) {
            setAttribute(part.value, at: part.property.index)
        }
        if state.flags.contains(.observed) { notifyObservers(ofPropertyAt: index) }
    }

    /// The value with the types of the elements. One that does not fit is a mistake of the program.
    final func requireElements(
        _ value: AttributeValue, of property: Property
    ) -> AttributeValue {
        guard let converted = property.converted(value) else {
            fatalError(
                "'\(binding.entity.name).\(property.name)' cannot be \(value); see its elements in the model."
            )
        }
        return converted
    }

    /// Whether the attribute, or an element of a composite attribute, is not nil.
    final func hasValue(_ attribute: Property) -> Bool {
        attribute.isComposite
            ? attribute.elements.contains { hasValue($0.property) }
            : !attributeValue(of: attribute).isNull
    }
}

extension BatchInsertRow {
    /// Sets the elements of a composite attribute without looking up their names; nil removes the
    /// values of all elements.
    public mutating func set<Value>(_ value: Value?, for attribute: Composite<Value>) {
        attribute.access.insert(value, into: &self)
    }
}

/// A composite attribute as a dictionary by the names of its elements, for code that does not know
/// them: `Attribute<[String: AttributeValue]>`.
extension Dictionary: ManagedValue where Key == String, Value == AttributeValue {
    public static var attributeTypes: [AttributeType] { [.composite] }

    public static func read(_ key: PropertyKey, of object: ManagedObject) -> Self {
        readOptional(key, of: object) ?? [:]
    }

    public static func readOptional(_ key: PropertyKey, of object: ManagedObject) -> Self? {
        guard case .composite(let values) = object.attributeValue(of: object.property(key)) else {
            return nil
        }
        return values
    }

    public var attributeValue: AttributeValue { AttributeValue(elements: self) }

    public func assign(to key: PropertyKey, of object: ManagedObject) {
        object.set(object.requireElements(attributeValue, of: object.property(key)), for: key)
    }
}
