import Foundation

extension SQLiteDialect {
    /// The greatest number of values that are bound one by one. A longer list is bound as one
    /// parameter.
    static let maximumListCount = 500

    func writeList(
        _ operand: Operand, _ values: [AttributeValue], orNull: Bool,
        _ options: ObjectPredicate.Options, to text: inout SQLText, _ place: Place,
        _ writer: inout SQLConditionWriter
    ) throws(FetchError) {
        let place = orNull ? place.optional : place
        if orNull {
            text.append("(")
            try writer.write(operand, to: &text, place)
            text.append(values.isEmpty ? " IS NULL)" : " IS NULL OR ")
        }
        guard !values.isEmpty else {
            if !orNull { text.append("0") }
            return
        }
        try writeFolded(operand, options, to: &text, place, &writer)
        let bindings = values.map { value in
            if !options.isEmpty, let string = value.string {
                return SQLBinding.text(StringFolding.fold(string, options))
            }
            return writer.binding(value)
        }
        if bindings.count <= Self.maximumListCount {
            text.append(" IN (")
            for (position, binding) in bindings.enumerated() {
                if position > 0 { text.append(",") }
                text.bind(binding)
            }
            text.append(")")
        } else {
            let list = SQLList(bindings)
            text.append(" IN (SELECT \(list.decoding) FROM json_each(")
            text.bind(.text(list.json))
            text.append("))")
        }
        if orNull { text.append(")") }
    }

    func writeMembership(
        _ operand: Operand, _ fetch: Condition.NestedFetch, _ options: ObjectPredicate.Options,
        to text: inout SQLText, _ place: Place, _ writer: inout SQLConditionWriter
    ) throws(FetchError) {
        try writeFolded(operand, options, to: &text, place, &writer)
        let selection = try writer.selection(of: fetch, nil)
        text.append(options.isEmpty ? " IN (" : " IN (WITH fetched(value) AS (")
        text.append(selection)
        if !options.isEmpty {
            text.append(") SELECT OGFold(value, \(options.rawValue)) FROM fetched")
        }
        text.append(")")
    }
}

/// Many values in one parameter, as a JSON array. SQLite's limit on parameters does not apply, and
/// the statement is the same for any number of values.
private struct SQLList {
    /// How values are encoded, since JSON cannot represent all of them.
    private enum Encoding {
        case integer
        case text
        /// The bit pattern of a double-precision value, as an integer.
        case real
        /// Integers as they are, and double-precision values as the digits of their bit patterns.
        case number
        /// Hexadecimal digits, for blobs, and for texts with a NUL, which SQLite's JSON would
        /// truncate.
        case blob
        case textWithNUL
    }

    let json: String

    /// The SQL expression that decodes an element `value` of the array.
    let decoding: String

    init(_ bindings: [SQLBinding]) {
        let encoding = Self.encoding(of: bindings)
        var json = Array("[".utf8)
        for (position, binding) in bindings.enumerated() {
            if position > 0 { json.append(UInt8(ascii: ",")) }
            switch (encoding, binding) {
            case (_, .integer(let value)): json += String(value).utf8
            case (.number, .real(let value)): Self.append(quoted: value.bits, to: &json)
            case (_, .real(let value)): json += value.bits.utf8
            case (.textWithNUL, .text(let value)): Self.append(hexadecimal: value.utf8, to: &json)
            case (_, .text(let value)): Self.append(quoted: value, to: &json)
            case (_, .blob(let value)): Self.append(hexadecimal: value, to: &json)
            case (_, .null): json += "null".utf8
            case (_, .array): preconditionFailure("a list has no lists")
            }
        }
        json.append(UInt8(ascii: "]"))
        self.json = String(decoding: json, as: UTF8.self)
        decoding =
            switch encoding {
            case .integer, .text: "value"
            case .real: "OGReal(value)"
            case .number: "CASE typeof(value) WHEN 'text' THEN OGReal(value) ELSE value END"
            case .blob: "OGBlob(value)"
            case .textWithNUL: "CAST(OGBlob(value) AS TEXT)"
            }
    }

    private static func encoding(of bindings: [SQLBinding]) -> Encoding {
        var encoding = Encoding.integer
        var hasIntegers = false
        for binding in bindings {
            switch binding {
            case .null: break
            case .integer: hasIntegers = true
            case .real: encoding = .real
            case .blob: return .blob
            case .array: preconditionFailure("a list has no lists")
            case .text(let text):
                if text.utf8.contains(0) { return .textWithNUL }
                encoding = .text
            }
        }
        return encoding == .real && hasIntegers ? .number : encoding
    }

    private static func append(quoted text: String, to json: inout [UInt8]) {
        json.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): json += [UInt8(ascii: "\\"), byte]
            case 0..<0x20:
                json += "\\u00".utf8
                append(digitsOf: byte, to: &json)
            default: json.append(byte)
            }
        }
        json.append(UInt8(ascii: "\""))
    }

    private static func append(hexadecimal bytes: some Sequence<UInt8>, to json: inout [UInt8]) {
        json.append(UInt8(ascii: "\""))
        for byte in bytes { append(digitsOf: byte, to: &json) }
        json.append(UInt8(ascii: "\""))
    }

    private static func append(digitsOf byte: UInt8, to json: inout [UInt8]) {
        let digits = Array("0123456789abcdef".utf8)
        json += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
}

extension Double {
    /// The digits of the bit pattern as an integer.
    fileprivate var bits: String { String(Int64(bitPattern: bitPattern)) }
}
