extension ManagedObject {
    /// Takes over the attributes of another object that this one has too, for migrations that make
    /// objects of a new entity from those of an old one.
    ///
    /// The attributes of a new object are set as primitive values: no observer is notified, and
    /// nothing can be undone. Derived and transient attributes, and relationships, are left out.
    ///
    /// - Parameters:
    ///   - other: The object with the values.
    ///   - mapping: Gets the name of each attribute of the other object and its value, as
    ///     `value(forKey:)` returns it; returns the name and the value for this object, or nil to
    ///     leave the attribute out. By default both are taken as they are.
    /// - Throws: `PropertyError` if this object lacks an attribute that the mapping has renamed, or
    ///   does not accept a value; the error of the mapping. Attributes before it are set then.
    public final func copyAttributes(
        from other: ManagedObject,
        _ mapping: (_ name: String, _ value: Any?) throws -> (name: String, value: Any?)? = {
            ($0, $1)
        }
    ) throws {
        let entity = binding.entity
        for attribute in other.binding.entity.properties where attribute.isCopied {
            let current = other.currentValue(of: attribute)
            guard let (name, value) = try mapping(attribute.name, current) else { continue }
            if name == attribute.name, entity.property(named: name)?.isCopied != true { continue }
            // Primitive values alone do not mark a stored object as changed.
            if isInserted {
                try setPrimitiveValue(value, forKey: name)
            } else {
                try setValue(value, forKey: name)
            }
        }
    }
}

extension Property {
    fileprivate var isCopied: Bool {
        relationship == nil && !isHidden && !isTransient && derivation == nil
    }
}
