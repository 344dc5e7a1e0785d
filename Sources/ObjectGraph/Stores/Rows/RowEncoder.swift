import Foundation

/// Encodes values into the row of a batch insert. A key is the name of an attribute, or within the
/// value of a composite attribute that of an element.
///
/// Nothing is kept of a value: containers write to the row, one attribute after the other.
final class RowEncoder {
    private let entity: Entity

    /// Set while a value encodes itself. `encode(_:into:)` resets it before the row moves, so that
    /// an encoder that a value has kept finds no row.
    private var row: UnsafeMutablePointer<BatchInsertRow>?

    private var elementNumber = 0

    /// The first error found by a function that cannot throw.
    private var failure: RowEncodingError?

    init(_ entity: Entity) { self.entity = entity }

    /// - Throws: `RowEncodingError`.
    func encode(_ value: some Encodable, into row: inout BatchInsertRow) throws(RowEncodingError) {
        elementNumber += 1
        let result = withUnsafeMutablePointer(to: &row) { pointer in
            self.row = pointer
            defer { self.row = nil }
            return Result { try value.encode(to: PlaceEncoder(self, [])) }
        }
        if let failure { throw failure }
        guard case .failure(let error) = result else { return }
        throw error as? RowEncodingError ?? self.error(.failed(error), [])
    }

    // MARK: - Setting attributes

    /// Sets the attribute of a key, unless something has failed already.
    ///
    /// - Parameter key: Nil for the value itself, which no attribute takes.
    fileprivate func set(
        _ value: AttributeValue, _ key: (any CodingKey)?, in path: [any CodingKey]
    ) throws {
        try throwFailure()
        guard let key else { throw error(.noKeys, path) }
        guard let row else {
            fatalError("A value has kept its encoder; encode everything within encode(to:).")
        }
        do throws(StoreError) {
            try row.pointee.set(value, forKey: Self.keyPath(key, in: path))
        } catch {
            guard case .unacceptableValue = error.reason else {
                throw self.error(.unknownAttribute, path + [key])
            }
            // A transformer may take a number, a text or a date.
            if let transformer = transformer(of: key, in: path), !value.isTransformable,
                let transformed = value.swiftValue.flatMap(transformer.attributeValue)
            {
                return try set(transformed, key, in: path)
            }
            throw self.error(.unacceptableValue(value), path + [key])
        }
    }

    /// Sets the attribute of a key to a value of a type that is stored as it is or by a
    /// transformer. Others encode themselves.
    fileprivate func encode(
        _ value: some Encodable, _ key: (any CodingKey)?, in path: [any CodingKey]
    ) throws {
        switch value {
        case let value as Date: try set(.date(value), key, in: path)
        case let value as Data:
            // For a transformable attribute, data alone would be the stored form.
            guard let key, let transformer = transformer(of: key, in: path) else {
                return try set(.data(value), key, in: path)
            }
            guard let transformed = transformer.attributeValue(of: value) else {
                throw error(.unacceptableValue(.data(value)), path + [key])
            }
            try set(transformed, key, in: path)
        case let value as UUID: try set(.uuid(value), key, in: path)
        case let value as URL: try set(.uri(value), key, in: path)
        case let value as Decimal: try set(.decimal(value), key, in: path)
        default:
            if let key,
                let transformed = transformer(of: key, in: path)?.attributeValue(of: value)
            {
                return try set(transformed, key, in: path)
            }
            try value.encode(to: PlaceEncoder(self, key.map { path + [$0] } ?? path))
        }
    }

    private func transformer(
        of key: any CodingKey, in path: [any CodingKey]
    ) -> ValueTransformer? {
        entity.property(at: Self.keyPath(key, in: path))?.rules?.transformer
    }

    private static func keyPath(_ key: any CodingKey, in path: [any CodingKey]) -> String {
        path.isEmpty
            ? key.stringValue : (path + [key]).map(\.stringValue).joined(separator: ".")
    }

    /// Begins the value of a composite attribute: elements that are not encoded become nil. Other
    /// attributes have no place for a container.
    fileprivate func begin(_ path: [any CodingKey]) {
        guard let key = path.last else { return }
        let outer = Array(path.dropLast())
        guard entity.property(at: Self.keyPath(key, in: outer))?.isComposite == true,
            (try? set(.null, key, in: outer)) != nil
        else { return refuse(.nested, path) }
    }

    /// Notes a container that the row has no place for.
    fileprivate func refuse(_ reason: RowEncodingError.Reason, _ path: [any CodingKey]) {
        failure = failure ?? error(reason, path)
    }

    /// Throws the error of a container that was refused.
    fileprivate func throwFailure() throws {
        if let failure { throw failure }
    }

    private func error(
        _ reason: RowEncodingError.Reason, _ path: [any CodingKey]
    ) -> RowEncodingError {
        RowEncodingError(
            reason: reason, entity: entity.name, codingPath: path.map(\.stringValue),
            elementNumber: elementNumber)
    }
}

/// Encodes the value itself, if the path is empty, or the value of a key.
private struct PlaceEncoder: Encoder {
    let row: RowEncoder
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ row: RowEncoder, _ path: [any CodingKey]) {
        self.row = row
        codingPath = path
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        row.begin(codingPath)
        return KeyedEncodingContainer(KeyedContainer(row: row, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        row.refuse(codingPath.isEmpty ? .noKeys : .nested, codingPath)
        return RefusedContainer(row: row, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleContainer(row: row, codingPath: codingPath)
    }
}

private struct KeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let row: RowEncoder
    let codingPath: [any CodingKey]

    func encodeNil(forKey key: Key) throws { try row.set(.null, key, in: codingPath) }
    func encode(_ value: Bool, forKey key: Key) throws {
        try row.set(.boolean(value), key, in: codingPath)
    }
    func encode(_ value: String, forKey key: Key) throws {
        try row.set(.string(value), key, in: codingPath)
    }
    func encode(_ value: Double, forKey key: Key) throws {
        try row.set(.double(value), key, in: codingPath)
    }
    func encode(_ value: Float, forKey key: Key) throws {
        try row.set(.double(Double(value)), key, in: codingPath)
    }
    func encode(_ value: some Encodable & BinaryInteger, forKey key: Key) throws {
        try row.set(AttributeValue(integer: value), key, in: codingPath)
    }
    func encode(_ value: some Encodable, forKey key: Key) throws {
        try row.encode(value, key, in: codingPath)
    }

    // Without these a nil would be left out, and so take the attribute's default.
    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
        try encodeAny(value, key)
    }

    private func encodeAny<Value: Encodable>(_ value: Value?, _ key: Key) throws {
        guard let value else { return try row.set(.null, key, in: codingPath) }
        try row.encode(value, key, in: codingPath)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy keyType: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        PlaceEncoder(row, codingPath + [key]).container(keyedBy: keyType)
    }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        PlaceEncoder(row, codingPath + [key]).unkeyedContainer()
    }
    func superEncoder() -> any Encoder { PlaceEncoder(row, codingPath + [SuperKey()]) }
    func superEncoder(forKey key: Key) -> any Encoder { PlaceEncoder(row, codingPath + [key]) }
}

private struct SingleContainer: SingleValueEncodingContainer {
    let row: RowEncoder
    let codingPath: [any CodingKey]

    func encodeNil() throws {
        try row.set(.null, codingPath.last, in: Array(codingPath.dropLast()))
    }
    func encode(_ value: Bool) throws {
        try row.set(.boolean(value), codingPath.last, in: Array(codingPath.dropLast()))
    }
    func encode(_ value: String) throws {
        try row.set(.string(value), codingPath.last, in: Array(codingPath.dropLast()))
    }
    func encode(_ value: Double) throws {
        try row.set(.double(value), codingPath.last, in: Array(codingPath.dropLast()))
    }
    func encode(_ value: Float) throws {
        try row.set(.double(Double(value)), codingPath.last, in: Array(codingPath.dropLast()))
    }
    func encode(_ value: some Encodable & BinaryInteger) throws {
        try row.set(
            AttributeValue(integer: value), codingPath.last, in: Array(codingPath.dropLast()))
    }
    func encode(_ value: some Encodable) throws {
        try row.encode(value, codingPath.last, in: Array(codingPath.dropLast()))
    }
}

/// The container of a list, which no attribute takes: every use throws.
private struct RefusedContainer: UnkeyedEncodingContainer {
    let row: RowEncoder
    let codingPath: [any CodingKey]
    let count = 0

    func encodeNil() throws { try row.throwFailure() }
    func encode(_ value: some Encodable) throws { try row.throwFailure() }
    func nestedContainer<Nested: CodingKey>(
        keyedBy keyType: Nested.Type
    ) -> KeyedEncodingContainer<Nested> {
        PlaceEncoder(row, codingPath).container(keyedBy: keyType)
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
    func superEncoder() -> any Encoder { PlaceEncoder(row, codingPath) }
}

/// The key of a superclass that is encoded apart, as other encoders have it.
private struct SuperKey: CodingKey {
    let stringValue = "super"
    let intValue: Int? = nil

    init() {}
    init?(stringValue: String) { nil }
    init?(intValue: Int) { nil }
}

extension AttributeValue {
    fileprivate var isTransformable: Bool {
        if case .transformable = self { true } else { false }
    }

    /// An integer of any size. No integer attribute accepts one of more than 64 bits.
    fileprivate init(integer value: some BinaryInteger) {
        self = Int64(exactly: value).map { .integer($0) } ?? .decimal(Decimal(string: "\(value)")!)
    }
}
