import Foundation

/// A Swift type as which attributes can be read and written.
public protocol ManagedValue: Sendable {
    /// The types of the attributes that can be read and written as this one. The first is that of
    /// an attribute whose accessor names none.
    static var attributeTypes: [AttributeType] { get }

    /// The value of an attribute of the object. The type decides how it reads nil.
    static func read(_ key: PropertyKey, of object: ManagedObject) -> Self

    /// The value of an attribute of the object; nil if there is none.
    static func readOptional(_ key: PropertyKey, of object: ManagedObject) -> Self?

    /// The value as an `AttributeValue`, whose type is known at run time.
    var attributeValue: AttributeValue { get }

    /// Sets an attribute of an object to the value.
    func assign(to key: PropertyKey, of object: ManagedObject)

    /// Sets an attribute of a batch insert's row to the value.
    func insert(for key: PropertyKey, into row: inout BatchInsertRow)
}

extension ManagedValue {
    public func assign(to key: PropertyKey, of object: ManagedObject) {
        object.set(attributeValue, for: key)
    }

    public func insert(for key: PropertyKey, into row: inout BatchInsertRow) {
        row.write(attributeValue, at: row.index(of: key))
    }
}

extension BatchInsertRow {
    /// Sets an attribute without looking up its name. The value must be of the attribute's type.
    @inlinable
    public mutating func set<Value: ManagedValue>(_ value: Value, for attribute: Attribute<Value>) {
        value.insert(for: attribute.key, into: &self)
    }

    @usableFromInline
    mutating func setNil(for key: PropertyKey) { clear(at: index(of: key)) }

    @inline(__always)
    func index(of key: PropertyKey) -> Int {
        key.index(accessors, count: propertyCount) ?? key.index(in: entity)
    }
}

// Inlinable, since a generic function that callers cannot specialise costs several times its work.
extension Optional: ManagedValue where Wrapped: ManagedValue {
    public static var attributeTypes: [AttributeType] { Wrapped.attributeTypes }

    @inlinable
    public static func read(_ key: PropertyKey, of object: ManagedObject) -> Wrapped? {
        Wrapped.readOptional(key, of: object)
    }

    @inlinable
    public static func readOptional(_ key: PropertyKey, of object: ManagedObject) -> Wrapped?? {
        Wrapped.readOptional(key, of: object)
    }

    @inlinable
    public var attributeValue: AttributeValue { self?.attributeValue ?? .null }

    @inlinable
    public func assign(to key: PropertyKey, of object: ManagedObject) {
        if let self {
            self.assign(to: key, of: object)
        } else {
            object.setNil(for: key)
        }
    }

    @inlinable
    public func insert(for key: PropertyKey, into row: inout BatchInsertRow) {
        if let self {
            self.insert(for: key, into: &row)
        } else {
            row.setNil(for: key)
        }
    }
}

// MARK: - Integers

/// The common behaviour of the integer types. Reading clamps a value to the type's range.
public protocol ManagedInteger: ManagedValue, FixedWidthInteger {}

extension ManagedInteger {
    public static var attributeTypes: [AttributeType] {
        let own: AttributeType =
            bitWidth == 16 ? .integer16 : bitWidth == 32 ? .integer32 : .integer64
        let others: [AttributeType] = [.integer16, .integer32, .integer64].filter { $0 != own }
        return [own] + others + [.undefined]
    }

    public static func read(_ key: PropertyKey, of object: ManagedObject) -> Self {
        Self(clamping: object.integer(key) ?? 0)
    }

    public static func readOptional(_ key: PropertyKey, of object: ManagedObject) -> Self? {
        object.integer(key).map { Self(clamping: $0) }
    }

    public var attributeValue: AttributeValue { .integer(Int64(self)) }

    public func assign(to key: PropertyKey, of object: ManagedObject) {
        object.set(integer: Int64(self), for: key)
    }

    public func insert(for key: PropertyKey, into row: inout BatchInsertRow) {
        row.write(integer: Int64(self), at: row.index(of: key))
    }
}

extension Int: ManagedInteger {}
extension Int64: ManagedInteger {}
extension Int32: ManagedInteger {}
extension Int16: ManagedInteger {}

extension Bool: ManagedValue {
    public static var attributeTypes: [AttributeType] { [.boolean, .undefined] }

    public static func read(_ key: PropertyKey, of object: ManagedObject) -> Bool {
        object.integer(key) ?? 0 != 0
    }

    public static func readOptional(_ key: PropertyKey, of object: ManagedObject) -> Bool? {
        object.integer(key).map { $0 != 0 }
    }

    public var attributeValue: AttributeValue { .boolean(self) }

    public func assign(to key: PropertyKey, of object: ManagedObject) {
        object.set(boolean: self, for: key)
    }
}

// MARK: - Reals

extension Double: ManagedValue {
    public static var attributeTypes: [AttributeType] { [.double, .float, .decimal, .undefined] }

    public static func read(_ key: PropertyKey, of object: ManagedObject) -> Double {
        object.real(key) ?? 0
    }

    public static func readOptional(_ key: PropertyKey, of object: ManagedObject) -> Double? {
        object.real(key)
    }

    public var attributeValue: AttributeValue { .double(self) }

    public func assign(to key: PropertyKey, of object: ManagedObject) {
        object.set(real: self, for: key)
    }

    public func insert(for key: PropertyKey, into row: inout BatchInsertRow) {
        row.write(real: self, at: row.index(of: key))
    }
}

extension Float: ManagedValue {
    public static var attributeTypes: [AttributeType] { [.double, .float, .undefined] }

    public static func read(_ key: PropertyKey, of object: ManagedObject) -> Float {
        Float(object.real(key) ?? 0)
    }

    public static func readOptional(_ key: PropertyKey, of object: ManagedObject) -> Float? {
        object.real(key).map { Float($0) }
    }

    public var attributeValue: AttributeValue { .double(Double(self)) }
}

extension Date: ManagedValue {
    public static var attributeTypes: [AttributeType] { [.date, .undefined] }

    public static func read(_ key: PropertyKey, of object: ManagedObject) -> Date {
        readOptional(key, of: object)
            ?? object.missingValue(key, substitute: Date(timeIntervalSinceReferenceDate: 0))
    }

    public static func readOptional(_ key: PropertyKey, of object: ManagedObject) -> Date? {
        object.real(key).map { Date(timeIntervalSinceReferenceDate: $0) }
    }

    public var attributeValue: AttributeValue { .date(self) }

    public func assign(to key: PropertyKey, of object: ManagedObject) {
        object.set(date: self, for: key)
    }

    public func insert(for key: PropertyKey, into row: inout BatchInsertRow) {
        timeIntervalSinceReferenceDate.insert(for: key, into: &row)
    }
}

extension Decimal: ManagedValue {
    public static var attributeTypes: [AttributeType] { [.decimal, .undefined] }

    public static func read(_ key: PropertyKey, of object: ManagedObject) -> Decimal {
        readOptional(key, of: object) ?? 0
    }

    public static func readOptional(_ key: PropertyKey, of object: ManagedObject) -> Decimal? {
        if case .decimal(let value)? = object.changedValue(key) { return value }
        return object.real(key).flatMap { Decimal(shortest: $0) }
    }

    public var attributeValue: AttributeValue { .decimal(self) }
}

// MARK: - Texts and bytes

extension String: ManagedValue {
    public static var attributeTypes: [AttributeType] { [.string, .undefined] }

    public static func read(_ key: PropertyKey, of object: ManagedObject) -> String {
        object.text(key) ?? ""
    }

    public static func readOptional(_ key: PropertyKey, of object: ManagedObject) -> String? {
        object.text(key)
    }

    public var attributeValue: AttributeValue { .string(self) }

    public func assign(to key: PropertyKey, of object: ManagedObject) {
        object.set(text: self, for: key)
    }

    public func insert(for key: PropertyKey, into row: inout BatchInsertRow) {
        row.write(text: self, at: row.index(of: key))
    }
}

extension URL: ManagedValue {
    public static var attributeTypes: [AttributeType] { [.uri, .undefined] }

    public static func read(_ key: PropertyKey, of object: ManagedObject) -> URL {
        readOptional(key, of: object)
            ?? object.missingValue(key, substitute: URL(string: "about:blank"))
    }

    public static func readOptional(_ key: PropertyKey, of object: ManagedObject) -> URL? {
        object.text(key).flatMap { URL(string: $0) }
    }

    public var attributeValue: AttributeValue { .uri(self) }
}

extension Data: ManagedValue {
    public static var attributeTypes: [AttributeType] { [.binaryData, .undefined] }

    public static func read(_ key: PropertyKey, of object: ManagedObject) -> Data {
        object.blob(key) ?? Data()
    }

    public static func readOptional(_ key: PropertyKey, of object: ManagedObject) -> Data? {
        object.blob(key)
    }

    public var attributeValue: AttributeValue { .data(self) }
}

extension UUID: ManagedValue {
    public static var attributeTypes: [AttributeType] { [.uuid, .undefined] }

    public static func read(_ key: PropertyKey, of object: ManagedObject) -> UUID {
        let zeros = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        return readOptional(key, of: object) ?? object.missingValue(key, substitute: zeros)
    }

    public static func readOptional(_ key: PropertyKey, of object: ManagedObject) -> UUID? {
        if case .uuid(let value)? = object.changedValue(key) { return value }
        return object.blob(key).flatMap { UUID(bytes: $0) }
    }

    public var attributeValue: AttributeValue { .uuid(self) }
}

// MARK: - Identifiers

extension ManagedObjectID: ManagedValue {
    public static var attributeTypes: [AttributeType] { [.objectID, .undefined] }

    public static func read(_ key: PropertyKey, of object: ManagedObject) -> ManagedObjectID {
        readOptional(key, of: object) ?? object.missingValue(key, substitute: nil)
    }

    public static func readOptional(
        _ key: PropertyKey, of object: ManagedObject
    ) -> ManagedObjectID? {
        if case .objectID(let id)? = object.changedValue(key) { return id }
        return nil
    }

    public var attributeValue: AttributeValue { .objectID(self) }
}
