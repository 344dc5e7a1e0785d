import Foundation

// Properties by name, for code that does not use the class.
extension ManagedObject {
    /// The value of a property by its name.
    ///
    /// - An attribute has its own Swift type: `Int16` to `Int64` for the integers, `Float` for a
    ///   float, and so on. An integer out of the range of its type, which cannot be saved, is an
    ///   `Int64`.
    /// - A to-one relationship is a `ManagedObject`, a to-many relationship a `Set<ManagedObject>`,
    ///   or an array if it is ordered.
    /// - A composite attribute is a dictionary by the names of its elements, without those that
    ///   have no value, and can be cast: `value as? [String: Double]`.
    /// - A property list is the value that it is made of, with integers as `Int`, and can be cast:
    ///   `value as? [String: Int]`.
    /// - nil means no value.
    ///
    /// Fires the fault.
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
        case .attribute: property.swiftValue(of: attributeValue(of: property))
        case .toOne: destination(of: property)
        case .toMany where property.relationship!.isOrdered: orderedDestinations(of: property)
        case .toMany: destinations(of: property)
        }
    }

    /// Sets a property by its name; nil removes the value, or empties a to-many relationship. A
    /// number may be of any integer or floating-point type, or an `NSNumber`. A dictionary replaces
    /// the whole value of a composite attribute: elements that it lacks become nil.
    ///
    /// - Throws: `PropertyError` if the entity has no such property or it does not accept the
    ///   value; the object is then unchanged.
    public final func setValue(_ value: Any?, forKey key: String) throws {
        assign(try acceptable(value, forKey: key))
    }

    final func assign(_ assignment: Assignment) {
        switch assignment {
        case .attribute(let property, let value): setAttribute(value, at: property.index)
        case .toOne(let property, let object): setDestination(object, of: property)
        case .toMany(let property, let objects): setDestinations(objects, of: property)
        }
    }

    /// A property with a value that it accepts.
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
                throw unacceptable(property.isComposite ? property.elementList : "\(type)")
            }
            return .attribute(property, converted)
        case .toOne:
            let destination = binding.model.destination(of: property.relationship!)
            guard let value else { return .toOne(property, nil) }
            guard let object = value as? ManagedObject,
                object.binding.entity.isKind(of: destination)
            else { throw unacceptable(destination.name) }
            if let owner = requiredOwner(of: property) {
                throw unacceptable("nil, unless the object is of '\(owner.name)'")
            }
            return .toOne(property, object)
        case .toMany:
            let destination = binding.model.destination(of: property.relationship!)
            guard let objects = (value ?? []) as? any Collection,
                let members = Array(objects) as? [ManagedObject],
                members.allSatisfy({ $0.binding.entity.isKind(of: destination) })
            else { throw unacceptable("objects of \(destination.name)") }
            if !members.isEmpty, let owner = requiredOwner(of: property) {
                throw unacceptable("nothing, unless the object is of '\(owner.name)'")
            }
            return .toMany(property, members)
        }
    }
}

extension Property {
    /// The value in the form in which the attribute keeps it; nil if the attribute does not accept
    /// it.
    func attributeValue(of value: Any?) -> AttributeValue? {
        if let value, let transformer = rules?.transformer, !(value is AttributeValue) {
            return transformer.transformed(value).map { .transformable($0) }
        }
        if isComposite, let values = value as? [String: Any?] {
            var elements: [String: AttributeValue] = [:]
            for (name, value) in values {
                guard let element = element(named: name)?.attributeValue(of: value) else {
                    return nil
                }
                elements[name] = element
            }
            return AttributeValue(elements: elements)
        }
        return AttributeValue(any: value).flatMap { converted($0) }
    }

    /// The value as the Swift type of the attribute; nil for null.
    func swiftValue(of value: AttributeValue) -> Any? {
        guard case .composite(let values) = value else {
            return value.swiftValue(of: attributeType)
        }
        // Values that can be hashed let two dictionaries be compared.
        var dictionary: [String: AnyHashable] = [:]
        for element in elements {
            guard let value = values[element.name],
                let swiftValue = element.property.swiftValue(of: value)
            else { continue }
            dictionary[element.name] = swiftValue as? AnyHashable
        }
        return dictionary
    }

    /// What a composite attribute takes, in words.
    fileprivate var elementList: String {
        "a dictionary with " + elements.map { "'\($0.name)'" }.joined(separator: ", ")
    }
}

/// Why a property could not be read or set.
public struct PropertyError: Error, Sendable, Hashable {
    public enum Reason: Sendable, Hashable {
        case unknownKey
        /// The value as text, and the type that the property accepts.
        case unacceptableValue(String, expected: String)
        /// The value as text, and the Swift type of the accessor.
        case unreadableValue(String, as: String)
        /// There is no value, and the accessor's Swift type has none that means nil.
        case missingValue(as: String)
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
        case .unreadableValue(let value, let type):
            """
            '\(entity).\(key)' is \(value) and cannot be read as \(type); give the \
            accessor the type of the values.
            """
        case .missingValue(let type):
            """
            '\(entity).\(key)' has no value to be read as \(type); set it first, give it a default, \
            declare Attribute<\(type)?>, or use value(forKey:).
            """
        }
    }
}

extension AttributeValue {
    /// The value of a Swift type that attributes can have; nil for any other type.
    init?(any value: Any?) {
        guard let value else {
            self = .null
            return
        }
        switch value {
        case let value as AttributeValue: self = value
        case let value as any ManagedValue: self = value.attributeValue
        case let value as any BinaryInteger:
            guard let integer = Int64(exactly: value) else { return nil }
            self = .integer(integer)
        case let value as any BinaryFloatingPoint: self = .double(Double(value))
        case let value as NSNumber: self.init(value)
        default: return nil
        }
    }

    /// The number in the type that it was made with; a Boolean as 0 or 1.
    private init(_ number: NSNumber) {
        if let decimal = number as? NSDecimalNumber {
            self = .decimal(decimal.decimalValue)
            return
        }
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "d"), UInt8(ascii: "f"): self = .double(number.doubleValue)
        case UInt8(ascii: "Q"):
            self =
                Int64(exactly: number.uint64Value).map { .integer($0) }
                ?? .double(number.doubleValue)
        default: self = .integer(number.int64Value)
        }
    }

    /// The value as the Swift type of an attribute of this type; nil for null.
    func swiftValue(of type: AttributeType?) -> Any? {
        switch (type, self) {
        case (.integer16, .integer(let value)): Int16(exactly: value).map { $0 as Any } ?? value
        case (.integer32, .integer(let value)): Int32(exactly: value).map { $0 as Any } ?? value
        case (.float, .double(let value)): Float(value)
        default: swiftValue
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
        case .transformable(let value): value.swiftValue
        case .composite(let values): values.compactMapValues { $0.swiftValue as? AnyHashable }
        }
    }
}

extension ManagedObject: PredicateArgument {
    /// The object's identifier, so that a predicate never holds an object.
    public final var predicateExpression: ObjectExpression { .constant(.objectID(objectID)) }
}
