import Synchronization

/// The name of a property as an entity class declares it, with the place where it was last found.
public final class PropertyKey: Sendable {
    public let name: String

    /// Property identifier and index of the last look-up, packed into one word so that they are never mixed.
    private let lastFound = Atomic<UInt64>(0)

    init(_ name: String) { self.name = name }

    /// The index of the property in the entity of a binding.
    @inline(__always)
    func index(in binding: EntityBinding) -> Int {
        index(binding.accessors, count: binding.propertyCount) ?? search(in: binding.entity)
    }

    /// The index of the property in the entity.
    ///
    /// The remembered place is right for every entity that inherits the property, since a property keeps its index and
    /// identifier in descendants.
    @inline(__always)
    func index(in entity: Entity) -> Int {
        index(entity.accessors, count: entity.properties.count) ?? search(in: entity)
    }

    /// The remembered index if the property is there; nil if it has to be looked up.
    @inline(__always)
    func index(_ accessors: UnsafePointer<PropertyAccessor>, count: Int) -> Int? {
        let found = lastFound.load(ordering: .relaxed)
        let index = Int(truncatingIfNeeded: found & 0xffff_ffff)
        guard index < count, UInt64(accessors[index].identifier) == found >> 32 else { return nil }
        return index
    }

    @inline(never)
    private func search(in entity: Entity) -> Int {
        guard let property = entity.property(named: name) else {
            preconditionFailure(
                "The entity '\(entity.name)' has no property '\(name)'; correct the accessor, or add the property to the model."
            )
        }
        lastFound.store(
            UInt64(property.identifier) << 32 | UInt64(property.index), ordering: .relaxed)
        return property.index
    }
}

/// A typed accessor of an attribute: `object[Book.title]`.
///
/// `Value` is optional where the attribute may be nil; a value type reads 0, false or empty instead.
public struct Attribute<Value: ManagedValue>: Sendable {
    public let key: PropertyKey

    public init(_ name: String) { key = PropertyKey(name) }
}

/// A typed accessor of a to-one relationship.
public struct ToOne<Destination: ManagedObject>: Sendable {
    public let key: PropertyKey

    public init(_ name: String) { key = PropertyKey(name) }
}

/// A typed accessor of a to-many relationship.
public struct ToMany<Destination: ManagedObject>: Sendable {
    public let key: PropertyKey

    public init(_ name: String) { key = PropertyKey(name) }
}
