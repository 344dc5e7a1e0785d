// Access without change tracking: no object is marked changed, no inverse is maintained, no
// observer is notified (spec §2.3). For hooks, and for setters that do more than set.
extension ManagedObject {
    /// The value of an attribute.
    public final func primitiveValue<Value: ManagedValue>(of attribute: Attribute<Value>) -> Value {
        Value.read(attribute.key, of: self)
    }

    /// Sets an attribute without marking the object changed. The value is saved if another change
    /// is.
    public final func setPrimitiveValue<Value: ManagedValue>(
        _ value: Value, of attribute: Attribute<Value>
    ) {
        setPrimitive(value.attributeValue, at: attribute.key.index(in: binding))
    }

    /// The value of a property by its name, as `value(forKey:)` returns it.
    ///
    /// - Throws: `PropertyError.unknownKey` if the entity has no such property.
    public final func primitiveValue(forKey key: String) throws -> Any? {
        try value(forKey: key)
    }

    /// Sets a property by its name without marking the object changed.
    ///
    /// - Throws: as `setValue(_:forKey:)`.
    public final func setPrimitiveValue(_ value: Any?, forKey key: String) throws {
        switch try acceptable(value, forKey: key) {
        case .attribute(let property, let value): setPrimitive(value, at: property.index)
        case .toOne(let property, let object):
            setPrimitive(object.map { .objectID($0.objectID) } ?? .null, at: property.index)
        case .toMany(let property, let objects):
            if state.needsAttention { attend() }
            guard let old = knownMembers(of: property), let contents else { return }
            let new = Set(objects)
            for object in old.subtracting(new) {
                contents.relationships[property.index]!.note(object, isAddition: false)
            }
            for object in new.subtracting(old) {
                contents.relationships[property.index]!.note(object, isAddition: true)
            }
        }
    }

    private final func setPrimitive(_ value: AttributeValue, at index: Int) {
        if binding.accessors[index].isComposite {
            let property = binding.entity.properties[index]
            for part in property.parts(of: requireElements(value, of: property)) {
                setPrimitive(part.value, at: part.property.index)
            }
            return
        }
        if state.isFault { fireFault() }
        unsavedValues[index] = value
    }
}
