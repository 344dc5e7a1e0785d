import Foundation

/// The functions and collations that generated SQL calls. Every connection registers them.
///
/// They read SQLite's bytes without a copy. The result of preparing a constant argument, such as a
/// folded pattern or a compiled expression, is kept for the next row.
enum QueryFunctions {
    static func register(on connection: Connection) throws(SQLiteError) {
        let operations: [StringMatcher.Operation] = [
            .beginsWith, .endsWith, .contains, .like, .matches,
        ]
        for operation in operations { try registerMatch(operation, on: connection) }
        try registerComparison(on: connection)
        try registerConversions(on: connection)
        for function in Operand.Function.allCases {
            try register(function, on: connection)
        }
        try registerLength(on: connection)
        try connection.register(collation: "OGCaseInsensitive") { left, right in
            ComparisonResult(order: StringComparison.folded(left, right, .caseInsensitive))
        }
        try connection.register(collation: "OGLocalizedStandard") { left, right in
            ComparisonResult(order: StringComparison.natural(left, right))
        }
    }

    /// `OGContains(text, pattern, options)` and similar functions: 1 or 0, and 0 for NULL (spec
    /// §7.4).
    private static func registerMatch(
        _ operation: StringMatcher.Operation, on connection: Connection
    ) throws(SQLiteError) {
        let cache = MatcherCache(operation)
        try connection.register(
            function: operation.function, argumentCount: 3, deterministic: true
        ) { arguments in
            let (text, pattern) = (arguments[0], arguments[1])
            if text.isNull || pattern.isNull { return .integer(0) }
            let matcher = try cache.matcher(pattern.text, options: arguments[2].integer)
            return .integer(matcher.matches(text.text) ? 1 : 0)
        }
    }

    /// `OGCompare(text, text, options)`: less than, equal to or greater than 0, and NULL for NULL.
    private static func registerComparison(on connection: Connection) throws(SQLiteError) {
        try connection.register(function: "OGCompare", argumentCount: 3, deterministic: true) {
            arguments in
            let (left, right) = (arguments[0], arguments[1])
            if left.isNull || right.isNull { return .null }
            let options = ObjectPredicate.Options(rawValue: Int(arguments[2].integer))
            return .integer(Int64(StringComparison.folded(left.text, right.text, options)))
        }
    }

    /// SQLite's own function ends at the first character 0.
    private static func registerLength(on connection: Connection) throws(SQLiteError) {
        let name = Operand.Function.length.sqlFunction!
        try connection.register(function: name, argumentCount: 1, deterministic: true) {
            arguments in
            guard arguments[0].type == .text else { return .null }
            // Each character has one byte that does not continue another.
            return .integer(Int64(arguments[0].text.count { $0 & 0xC0 != 0x80 }))
        }
    }

    private static func registerConversions(on connection: Connection) throws(SQLiteError) {
        try connection.register(function: "OGFold", argumentCount: 2, deterministic: true) {
            arguments in
            if arguments[0].isNull { return .null }
            let options = ObjectPredicate.Options(rawValue: Int(arguments[1].integer))
            let folded = StringFolding.fold(arguments[0].text, options)
            return .text(String(decoding: folded, as: UTF8.self))
        }
        for (name, kind) in [("OGText", ValueKind.string), ("OGNumber", .number)] {
            try connection.register(function: name, argumentCount: 1, deterministic: true) {
                SQLFunctionResult(AttributeValue($0[0]).cast(to: kind))
            }
        }
        // These decode the elements of long lists.
        try connection.register(function: "OGReal", argumentCount: 1, deterministic: true) {
            arguments in
            .real(Double(bitPattern: UInt64(bitPattern: arguments[0].integer)))
        }
        try connection.register(function: "OGBlob", argumentCount: 1, deterministic: true) {
            arguments in
            let digits = arguments[0].text
            return .blob(
                (0..<digits.count / 2).map {
                    digits[2 * $0].hexadecimalValue << 4 | digits[2 * $0 + 1].hexadecimalValue
                })
        }
    }
}

extension QueryFunctions {
    /// Registers the code that the in-memory evaluator also runs.
    private static func register(
        _ function: Operand.Function, on connection: Connection
    ) throws(SQLiteError) {
        guard let name = function.sqlFunction, function != .length else { return }
        let count = function.argumentKinds.count
        try connection.register(
            function: name, argumentCount: Int32(count), deterministic: true
        ) { arguments in
            let first = AttributeValue(arguments[0])
            return SQLFunctionResult(
                count == 1
                    ? function.result(first) : function.result(first, AttributeValue(arguments[1])))
        }
    }
}

extension AttributeValue {
    /// The value from SQLite; a blob counts as null.
    fileprivate init(_ value: SQLiteValueReference) {
        self =
            switch value.type {
            case .integer: .integer(value.integer)
            case .real: .double(value.real)
            case .text: .string(value.string)
            default: .null
            }
    }
}

extension SQLFunctionResult {
    fileprivate init(_ value: AttributeValue) {
        self =
            switch value {
            case .integer(let value): .integer(value)
            case .double(let value): .real(value)
            case .string(let value): .text(value)
            default: .null
            }
    }
}

/// The latest matchers of one function of one connection. A statement has few patterns.
private final class MatcherCache {
    private struct Entry {
        let pattern: [UInt8]
        let options: Int64
        let matcher: StringMatcher
    }

    private let operation: StringMatcher.Operation
    private var entries: [Entry] = []

    init(_ operation: StringMatcher.Operation) { self.operation = operation }

    func matcher(
        _ pattern: UnsafeRawBufferPointer, options: Int64
    ) throws(FetchError) -> StringMatcher {
        for entry in entries where entry.options == options {
            let isSame = entry.pattern.withUnsafeBytes {
                StringComparison.binary($0, pattern) == 0
            }
            if isSame { return entry.matcher }
        }
        let matcher = try StringMatcher(
            operation, String(decoding: pattern, as: UTF8.self),
            ObjectPredicate.Options(rawValue: Int(options)))
        if entries.count >= 8 { entries.removeFirst() }
        entries.append(Entry(pattern: Array(pattern), options: options, matcher: matcher))
        return matcher
    }
}

extension ComparisonResult {
    fileprivate init(order: Int) {
        self = order < 0 ? .orderedAscending : order > 0 ? .orderedDescending : .orderedSame
    }
}

extension UInt8 {
    /// The value of a lower-case hexadecimal digit.
    fileprivate var hexadecimalValue: UInt8 { self < 0x3A ? self - 0x30 : self - 0x57 }
}
