/// A typed accessor of an attribute: `object[Book.title]`.
///
/// `Value` is optional if the attribute may be nil. Other types read nil as 0, false or empty.
public struct Attribute<Value: ManagedValue>: Sendable {
    public let key: PropertyKey

    public init(_ name: String) { key = PropertyKey(name, .attribute(Value.attributeTypes)) }
}

/// A typed accessor of a transformable attribute, which reads as nil if there is no value.
///
/// `Value` is the type of the attribute's transformer. If the model names none, it is any type that
/// can be made of a `PropertyList`.
public struct Transformable<Value: Hashable & Sendable>: Sendable {
    public let key: PropertyKey

    public init(_ name: String) { key = PropertyKey(name, .attribute([.transformable])) }
}

/// A typed accessor of a to-one relationship.
public struct ToOne<Destination: ManagedObject>: Sendable {
    public let key: PropertyKey

    public init(_ name: String) { key = PropertyKey(name, .toOne(.init(Destination.self))) }
}

/// A typed accessor of a to-many relationship.
public struct ToMany<Destination: ManagedObject>: Sendable {
    public let key: PropertyKey

    public init(_ name: String) { key = PropertyKey(name, .toMany(.init(Destination.self))) }
}

/// A typed accessor of an ordered to-many relationship.
public struct OrderedToMany<Destination: ManagedObject>: Sendable {
    public let key: PropertyKey

    public init(_ name: String) { key = PropertyKey(name, .toMany(.init(Destination.self))) }
}
