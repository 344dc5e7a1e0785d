import Foundation

/// Converts values of a transformable attribute to data and back (spec §1.3).
///
/// Attributes use `propertyList` if the model names no transformer.
///
/// A transformer creates only values of its own type, for any data. Nothing in a file can name a
/// type to create.
public final class ValueTransformer: Sendable {
    /// A name for people, which also identifies the transformer: transformers with the same name
    /// must behave alike.
    public let name: String
    private let transform: @Sendable (Any) throws -> Data?
    fileprivate let reverse: @Sendable (Data) throws -> any Hashable & Sendable
    private let accept: @Sendable (Any) -> (any Hashable & Sendable)?

    private let valueType: any (Hashable & Sendable).Type

    /// The type of the values, if it can be encoded and decoded.
    var codableType: (any Codable.Type)? { valueType as? any Codable.Type }

    /// `reverse` throws for data that `transform` did not produce.
    public init<Value: Hashable & Sendable>(
        _ name: String, of type: Value.Type,
        transform: @escaping @Sendable (Value) throws -> Data,
        reverse: @escaping @Sendable (Data) throws -> Value
    ) {
        self.name = name
        self.transform = { try ($0 as? Value).map(transform) }
        self.reverse = reverse
        valueType = type
        // For a property list, the plain Swift values that it can hold are accepted too.
        accept =
            if Value.self is PropertyList.Type { { PropertyList($0) } } else { { $0 as? Value } }
    }

    /// The transformer of a `Codable` type. It stores values as JSON.
    public static func codable<Value: Codable & Hashable & Sendable>(
        _ type: Value.Type
    ) -> ValueTransformer {
        ValueTransformer(
            "Codable<\(type)>", of: type,
            transform: { value in
                let encoder = JSONEncoder()
                encoder.outputFormatting = .sortedKeys
                return try encoder.encode(value)
            },
            reverse: { try JSONDecoder().decode(type, from: $0) })
    }

    /// The default transformer: property lists as keyed archives.
    ///
    /// Core Data's transformer with this name reads and writes the same data. It accepts every
    /// Swift value that a `PropertyList` can be made of.
    public static let propertyList = ValueTransformer(
        "NSSecureUnarchiveFromData", of: PropertyList.self,
        transform: { try $0.archived() }, reverse: { try PropertyList(unarchiving: $0) })

    /// A value for code that knows the type only at run time, such as the default value of an
    /// attribute. Nil if it is of another type.
    public func attributeValue(of value: Any) -> AttributeValue? {
        transformed(value).map { .transformable($0) }
    }

    /// The value with its data; nil if it is of another type.
    func transformed(_ value: Any) -> TransformableValue? {
        guard let accepted = accept(value) else { return nil }
        return TransformableValue(accepted, data: Result { try transform(accepted)! })
    }

    /// The value that was converted to this data.
    func value(from data: Data) throws -> TransformableValue {
        TransformableValue(try reverse(data), data: .success(data))
    }
}

extension ValueTransformer: Hashable {
    public static func == (first: ValueTransformer, second: ValueTransformer) -> Bool {
        first.name == second.name
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// A value of a transformable attribute, with its stored data.
///
/// Equality compares the values, not their data (spec §1.3).
public final class TransformableValue: Sendable, Hashable {
    public let value: any Hashable & Sendable

    /// The validation of the object reports a failure.
    let data: Result<Data, any Error>

    init(_ value: any Hashable & Sendable, data: Result<Data, any Error>) {
        self.value = value
        self.data = data
    }

    /// The value of data that a store holds. Data that makes no value is kept as it is and reads as
    /// nil.
    convenience init(stored data: Data, _ transformer: ValueTransformer) {
        let value: any Hashable & Sendable =
            (try? transformer.reverse(data)) ?? UnreadableData(data: data)
        self.init(value, data: .success(data))
    }

    /// The stand-in for a value that the transformer cannot make of its data.
    private struct UnreadableData: Hashable {
        let data: Data
    }

    /// The stored data of which the transformer makes no value.
    var unreadableData: Data? { (value as? UnreadableData)?.data }

    /// The data; nil if the transformer failed.
    var storedData: Data? { try? data.get() }

    /// The value as a Swift type; nil if it is of another type. A property list can become every
    /// type that it can be made of.
    func converted<Value>(to type: Value.Type) -> Value? {
        if let value = value as? Value { return value }
        guard let list = value as? PropertyList,
            let type = type as? any PropertyListConvertible.Type
        else { return nil }
        return type.init(propertyList: list) as? Value
    }

    /// The value in its own Swift type. A property list becomes plain Swift values; nil for `null`
    /// and for data that makes no value.
    var swiftValue: Any? {
        if value is UnreadableData { return nil }
        guard let list = value as? PropertyList else { return value }
        return list == .null ? nil : list.swiftValue.base
    }

    public static func == (first: TransformableValue, second: TransformableValue) -> Bool {
        AnyHashable(first.value) == AnyHashable(second.value)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(AnyHashable(value)) }
}
