/// A row of a result, whose values are asked for by position.
protocol StoredRow {
    associatedtype Value: StoredValue

    /// Whether a row with an entity number that the model does not have is damaged.
    static var isStrict: Bool { get }

    func value(at column: Int32) -> Value

    /// Whether a computed column, which is not NULL, has an integer.
    func isInteger(at column: Int32) -> Bool
}

/// A value of a row, borrowed for as long as the row is.
protocol StoredValue {
    var isNull: Bool { get }

    /// 0 for NULL.
    var integer: Int64 { get }

    /// 0 for NULL.
    var real: Double { get }

    /// UTF-8 bytes; without an address for NULL.
    var text: UnsafeRawBufferPointer { get }
    var blob: UnsafeRawBufferPointer { get }

    /// `text` copied; bytes that are not UTF-8 become U+FFFD.
    var string: String { get }

    /// Whether the value, which is not NULL, cannot be read as one of this kind.
    func isDamaged(as kind: SlotKind) -> Bool
}

extension StoredValue {
    var string: String { String(decoding: text, as: UTF8.self) }
}

extension Statement: StoredRow {
    static var isStrict: Bool { false }

    @inline(__always)
    func isInteger(at column: Int32) -> Bool { value(at: column).type == .integer }
}

extension SQLFunctionArguments: StoredRow {
    static var isStrict: Bool { false }

    @inline(__always)
    func isInteger(at column: Int32) -> Bool { value(at: column).type == .integer }
}

extension SQLiteValueReference: StoredValue {
    /// SQLite converts values of any type.
    @inline(__always)
    func isDamaged(as kind: SlotKind) -> Bool { false }
}
