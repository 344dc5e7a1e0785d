import Foundation

// Properties by name, for code that does not know the class.
extension ManagedObject {
    /// The value of a property by its name.
    ///
    /// An attribute comes as its Swift type (`Int64` for the integers), a to-one relationship as a `ManagedObject`, a
    /// to-many relationship as a `Set<ManagedObject>`, as an array if it is ordered; nil means no value. Fires the fault.
    /// - Throws: `PropertyError.unknownKey` if the entity has no such property.
    public final func value(forKey key: String) throws -> Any? {
        guard let property = binding.entity.property(named: key) else {
            throw PropertyError(.unknownKey, entity: binding.entity.name, key: key)
        }
        return currentValue(of: property)
    }

    /// The value of a property as its Swift type.
    final func currentValue(of property: Property) -> Any? {
        switch property.kind {
        case .attribute: attributeValue(of: property).swiftValue
        case .toOne: destination(of: property)
        case .toMany where property.relationship!.isOrdered: orderedDestinations(of: property)
        case .toMany: destinations(of: property)
        }
    }

    /// Gives a property a value by its name; nil removes it, or empties a to-many relationship.
    ///
    /// - Throws: `PropertyError` if the entity has no such property, or the value is not acceptable to it; the object is
    ///   then as before.
    public final func setValue(_ value: Any?, forKey key: String) throws {
        switch try acceptable(value, forKey: key) {
        case .attribute(let property, let value): setAttribute(value, at: property.index)
        case .toOne(let property, let object): setDestination(object, of: property)
        case .toMany(let property, let objects): setDestinations(objects, of: property)
        }
    }

    /// A property with a value that fits it.
    enum Assignment {
        case attribute(Property, AttributeValue)
        case toOne(Property, ManagedObject?)
        case toMany(Property, [ManagedObject])
    }

    /// Finds the property of the key and converts the value to its type.
    final func acceptable(_ value: Any?, forKey key: String) throws(PropertyError) -> Assignment {
        let entity = binding.entity
        guard let property = entity.property(named: key) else {
            throw PropertyError(.unknownKey, entity: entity.name, key: key)
        }
        func unacceptable(_ expected: String) -> PropertyError {
            PropertyError(
                .unacceptableValue("\(value ?? "nil")", expected: expected), entity: entity.name,
                key: key)
        }
        switch property.kind {
        case .attribute(let type):
            guard let converted = property.attributeValue(of: value) else {
                throw unacceptable("\(type)")
            }
            return .attribute(property, converted)
        case .toOne:
            let destination = binding.model.destination(of: property.relationship!)
            guard let value else { return .toOne(property, nil) }
            guard let object = value as? ManagedObject,
                object.binding.entity.isKind(of: destination)
            else { throw unacceptable(destination.name) }
            return .toOne(property, object)
        case .toMany:
            let destination = binding.model.destination(of: property.relationship!)
            guard let objects = (value ?? []) as? any Collection,
                let members = Array(objects) as? [ManagedObject],
                members.allSatisfy({ $0.binding.entity.isKind(of: destination) })
            else { throw unacceptable("objects of \(destination.name)") }
            return .toMany(property, members)
        }
    }
}

extension Property {
    /// The value in the form in which the attribute keeps it; nil if it is not acceptable.
    fileprivate func attributeValue(of value: Any?) -> AttributeValue? {
        if let value, let transformer = rules?.transformer, !(value is AttributeValue) {
            return transformer.transformed(value).map { .transformable($0) }
        }
        return attributeType.flatMap { AttributeValue(any: value)?.converted(to: $0) }
    }
}

/// A property of an object that was asked for, or given a value, in vain.
public struct PropertyError: Error, Sendable, Hashable {
    public enum Reason: Sendable, Hashable {
        case unknownKey
        /// The value as text, and what the property takes.
        case unacceptableValue(String, expected: String)
    }

    public let reason: Reason
    public let entity: String
    public let key: String

    init(_ reason: Reason, entity: String, key: String) {
        self.reason = reason
        self.entity = entity
        self.key = key
    }
}

extension PropertyError: CustomStringConvertible {
    public var description: String {
        switch reason {
        case .unknownKey:
            "The entity '\(entity)' has no property '\(key)'; correct the key or add it to the model."
        case .unacceptableValue(let value, let expected):
            "'\(entity).\(key)' takes \(expected) and cannot be \(value)."
        }
    }
}

extension AttributeValue {
    /// The value of a Swift type that attributes have; nil for any other type.
    init?(any value: Any?) {
        guard let value else {
            self = .null
            return
        }
        switch value {
        case let value as AttributeValue: self = value
        case let value as any ManagedValue: self = value.attributeValue
        default: return nil
        }
    }

    /// The value as its Swift type; nil for null.
    var swiftValue: Any? {
        switch self {
        case .null: nil
        case .boolean(let value): value
        case .integer(let value): value
        case .double(let value): value
        case .decimal(let value): value
        case .string(let value): value
        case .date(let value): value
        case .data(let value): value
        case .uuid(let value): value
        case .uri(let value): value
        case .objectID(let value): value
        case .transformable(let value): value.value
        }
    }
}

extension ManagedObject: PredicateArgument {
    /// The object by its identifier, so that a predicate never holds an object.
    public final var predicateExpression: ObjectExpression { .constant(.objectID(objectID)) }
}
