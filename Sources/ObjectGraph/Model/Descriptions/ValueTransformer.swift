import Foundation

/// Makes data of the values of a transformable attribute, and values of data (spec §1.3).
///
/// An attribute for which the model names none has `propertyList`.
///
/// It yields values of the type it was made for and of no other, whatever the data say: nothing in a file can name a type to
/// be made.
public final class ValueTransformer: Sendable {
    /// For people, and to tell transformers apart: those of one name must do the same.
    public let name: String
    private let transform: @Sendable (Any) throws -> Data?
    private let reverse: @Sendable (Data) throws -> any Hashable & Sendable
    private let accept: @Sendable (Any) -> (any Hashable & Sendable)?

    /// `reverse` throws for data that `transform` did not make.
    public init<Value: Hashable & Sendable>(
        _ name: String, of type: Value.Type,
        transform: @escaping @Sendable (Value) throws -> Data,
        reverse: @escaping @Sendable (Data) throws -> Value
    ) {
        self.name = name
        self.transform = { try ($0 as? Value).map(transform) }
        self.reverse = reverse
        // A property list can be given as what it is made of.
        accept =
            if Value.self is PropertyList.Type { { PropertyList($0) } } else { { $0 as? Value } }
    }

    /// The transformer of a `Codable` type: its values as JSON.
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

    /// The transformer of attributes for which the model names none: property lists as keyed
    /// archives.
    ///
    /// Core Data's transformer of this name reads and writes the same data. Takes every Swift value
    /// that a `PropertyList` can be made of.
    public static let propertyList = ValueTransformer(
        "NSSecureUnarchiveFromData", of: PropertyList.self,
        transform: { try $0.archived() }, reverse: { try PropertyList(unarchiving: $0) })

    /// A value for use where the type is known only at run time, as the default value of an attribute; nil if it is of
    /// another type.
    public func attributeValue(of value: Any) -> AttributeValue? {
        transformed(value).map { .transformable($0) }
    }

    /// The value with its data; nil if it is of another type.
    func transformed(_ value: Any) -> TransformableValue? {
        guard let accepted = accept(value) else { return nil }
        return TransformableValue(accepted, data: Result { try transform(accepted)! })
    }

    /// The value that the data were made of.
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

/// A value of a transformable attribute, with the data that are stored for it.
///
/// Values are equal if they say so themselves; their data are not compared (spec §1.3).
public final class TransformableValue: Sendable, Hashable {
    public let value: any Hashable & Sendable

    /// A failure is reported when the object is validated.
    let data: Result<Data, any Error>

    init(_ value: any Hashable & Sendable, data: Result<Data, any Error>) {
        self.value = value
        self.data = data
    }

    /// The data; nil if the transformer failed.
    var storedData: Data? { try? data.get() }

    /// The value as a Swift type, a property list as any type that it can be made of; nil if the
    /// value is of another type.
    func converted<Value>(to type: Value.Type) -> Value? {
        if let value = value as? Value { return value }
        guard let list = value as? PropertyList,
            let type = type as? any PropertyListConvertible.Type
        else { return nil }
        return type.init(propertyList: list) as? Value
    }

    /// The value as its own Swift type, a property list as what it is made of; nil for `null`.
    var swiftValue: Any? {
        guard let list = value as? PropertyList else { return value }
        return list == .null ? nil : list.swiftValue.base
    }

    public static func == (first: TransformableValue, second: TransformableValue) -> Bool {
        AnyHashable(first.value) == AnyHashable(second.value)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(AnyHashable(value)) }
}
