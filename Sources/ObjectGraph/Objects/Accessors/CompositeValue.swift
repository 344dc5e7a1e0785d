/// A Swift type as which a composite attribute is read and set (spec §1.3).
///
/// The type lists its elements once, which declares them too:
///
///     struct Location: CompositeValue {
///         var latitude = 0.0
///         var longitude = 0.0
///         var name: String?
///
///         static let elements: [CompositeElement<Location>] = [
///             CompositeElement("latitude", \.latitude),
///             CompositeElement("longitude", \.longitude),
///             CompositeElement("name", \.name),
///         ]
///     }
public protocol CompositeValue: Sendable {
    /// A value whose elements are read next.
    init()

    /// The elements of the attribute that the type reads and sets. Others keep their values.
    static var elements: [CompositeElement<Self>] { get }
}

/// An element of a composite attribute, and the property of a Swift type that has its value.
public struct CompositeElement<Owner: CompositeValue>: Sendable {
    let description: AttributeDescription

    /// Makes the access to the element in the composite attribute with a key path.
    let access: @Sendable (_ keyPath: String) -> CompositeAccess<Owner>.Element

    /// An element with a value. It is mandatory unless `Value` is optional: it must have a value if
    /// another element has one.
    ///
    /// - Parameters:
    ///   - name: The element's name in the model.
    ///   - property: The property of the Swift type.
    ///   - type: The element's type in the model; nil means the first of `Value.attributeTypes`.
    ///   - default: The element's value in a new object.
    ///   - allowsExternalStorage: Whether large values of an element of type Binary are kept in
    ///     files.
    ///   - preservesValueInHistoryOnDeletion: Whether the history keeps the last value.
    ///   - validationRules: Conditions on the value.
    ///   - codingKey: The key in JSON; nil means the name.
    ///   - renamingIdentifier: The name in an earlier model; nil means the same name.
    ///   - userInfo: Any information.
    ///   - versionHashModifier: Part of the version hash.
    public init<Value: ManagedValue>(
        _ name: String, _ property: WritableKeyPath<Owner, Value> & Sendable,
        _ type: AttributeType? = nil, default: Value? = nil, allowsExternalStorage: Bool = false,
        preservesValueInHistoryOnDeletion: Bool = false, validationRules: [ValidationRule] = [],
        codingKey: String? = nil, renamingIdentifier: String? = nil,
        userInfo: [String: String] = [:], versionHashModifier: String? = nil
    ) {
        var description = AttributeDescription(
            name, type ?? Value.attributeTypes[0],
            isOptional: Value.self is any ExpressibleByNilLiteral.Type,
            defaultValue: `default`?.attributeValue,
            allowsExternalStorage: allowsExternalStorage,
            preservesValueInHistoryOnDeletion: preservesValueInHistoryOnDeletion,
            validationRules: validationRules, renamingIdentifier: renamingIdentifier,
            userInfo: userInfo, versionHashModifier: versionHashModifier)
        if let codingKey { description.codingKey = codingKey }
        self.description = description
        access = { keyPath in
            let key = PropertyKey(element: "\(keyPath).\(name)", Value.attributeTypes)
            return CompositeAccess.Element(
                read: { value, object in value[keyPath: property] = Value.read(key, of: object) },
                assign: { value, object in
                    value[keyPath: property].assign(to: key, of: object)
                },
                insert: { value, row in value[keyPath: property].insert(for: key, into: &row) })
        }
    }

    /// An element that is a composite itself.
    ///
    /// - Parameters:
    ///   - name: The element's name in the model.
    ///   - property: The property of the Swift type.
    ///   - codingKey: The key in JSON; nil means the name.
    ///   - renamingIdentifier: The name in an earlier model; nil means the same name.
    ///   - userInfo: Any information.
    ///   - versionHashModifier: Part of the version hash.
    public init<Value: CompositeValue>(
        _ name: String, _ property: WritableKeyPath<Owner, Value?> & Sendable,
        codingKey: String? = nil, renamingIdentifier: String? = nil,
        userInfo: [String: String] = [:], versionHashModifier: String? = nil
    ) {
        var description = AttributeDescription(
            name, .composite, elements: Value.elements.map(\.description),
            renamingIdentifier: renamingIdentifier, userInfo: userInfo,
            versionHashModifier: versionHashModifier)
        if let codingKey { description.codingKey = codingKey }
        self.description = description
        access = { keyPath in
            let nested = CompositeAccess<Value>(
                PropertyKey(element: "\(keyPath).\(name)", [.composite]))
            return CompositeAccess.Element(
                read: { value, object in value[keyPath: property] = nested.value(of: object) },
                assign: { value, object in nested.assign(value[keyPath: property], to: object) },
                insert: { value, row in nested.insert(value[keyPath: property], into: &row) })
        }
    }
}

/// Access to a composite attribute, element by element, so that no dictionary is made.
struct CompositeAccess<Value: CompositeValue>: Sendable {
    let key: PropertyKey
    private let elements: [Element]

    struct Element: Sendable {
        let read: @Sendable (inout Value, ManagedObject) -> Void
        let assign: @Sendable (Value, ManagedObject) -> Void
        let insert: @Sendable (Value, inout BatchInsertRow) -> Void
    }

    init(_ key: PropertyKey) {
        self.key = key
        elements = Value.elements.map { $0.access(key.name) }
    }

    func value(of object: ManagedObject) -> Value? {
        guard object.hasValue(object.property(key)) else { return nil }
        var value = Value()
        for element in elements { element.read(&value, object) }
        return value
    }

    func assign(_ value: Value?, to object: ManagedObject) {
        guard let value else { return object.setNil(for: key) }
        for element in elements { element.assign(value, object) }
    }

    func insert(_ value: Value?, into row: inout BatchInsertRow) {
        guard let value else { return row.setNil(for: key) }
        for element in elements { element.insert(value, &row) }
    }
}
