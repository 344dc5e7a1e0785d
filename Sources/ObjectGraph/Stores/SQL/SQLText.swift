import Foundation

/// A value for a parameter of a statement.
package enum SQLBinding: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob(Data)
    /// The values of a list. SQLite has no arrays and gets a list as JSON.
    case array(SQLArray)

    /// The value in the form of a column (spec §8.5); an object identifier becomes its primary key.
    init(_ value: AttributeValue) {
        switch value {
        case .null: self = .null
        case .boolean(let value): self = .integer(value ? 1 : 0)
        case .integer(let value): self = .integer(value)
        case .double(let value): self = .real(value)
        case .decimal, .date: self = .real(value.double!)
        case .string(let value): self = .text(value)
        case .uri(let value): self = .text(value.absoluteString)
        case .data(let value): self = .blob(value)
        case .uuid(let value): self = .blob(withUnsafeBytes(of: value.uuid) { Data($0) })
        case .objectID(let value): self = .integer(value.reference)
        case .transformable(let value): self = value.storedData.map { .blob($0) } ?? .null
        // Only its elements have columns.
        case .composite: self = .null
        }
    }
}

/// Values of one type, without nulls.
package enum SQLArray: Sendable, Hashable {
    case integers([Int64])
    case reals([Double])
    case texts([String])
    case blobs([Data])

    var elements: [SQLBinding] {
        switch self {
        case .integers(let values): values.map { .integer($0) }
        case .reals(let values): values.map { .real($0) }
        case .texts(let values): values.map { .text($0) }
        case .blobs(let values): values.map { .blob($0) }
        }
    }
}

/// A piece of SQL and the values of its parameters, in their order.
struct SQLText: Sendable, Hashable {
    private(set) var sql = ""
    private(set) var bindings: [SQLBinding] = []

    init() { sql.reserveCapacity(256) }

    init(_ sql: String, _ bindings: [SQLBinding]) {
        self.sql = sql
        self.bindings = bindings
    }

    /// A whole statement, as a part of another.
    init(_ translation: FetchTranslation) {
        sql = translation.sql
        bindings = translation.bindings
    }

    mutating func append(_ text: String) { sql += text }

    /// - Parameter wrap: Puts SQL without parameters around the text.
    mutating func append(_ other: SQLText, wrap: (String) -> String = { $0 }) {
        sql += wrap(other.sql)
        bindings += other.bindings
    }

    /// Appends a parameter and its value.
    mutating func bind(_ binding: SQLBinding) {
        sql += "?"
        bindings.append(binding)
    }

    // MARK: - Parameters

    /// The text with literals for its parameters.
    func inlined(for dialect: any SQLDialect) -> String {
        replacingParameters(dialect.literal)
    }

    /// A question mark is always a parameter: values are bound, and names have letters and digits.
    func replacingParameters(_ replacement: (SQLBinding) -> String) -> String {
        var result: [UInt8] = []
        var values = bindings.makeIterator()
        for byte in sql.utf8 {
            if byte == UInt8(ascii: "?"), let value = values.next() {
                result += replacement(value).utf8
            } else {
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

extension Statement {
    /// Binds the values to the parameters from the first on. Texts and blobs are copied.
    func bind(_ bindings: [SQLBinding]) {
        var index: Int32 = 0
        for binding in bindings {
            index += 1
            switch binding {
            case .null: bindNull(at: index)
            case .integer(let value): bind(value, at: index)
            case .real(let value): bind(value, at: index)
            case .text(let value): bind(value, at: index)
            case .blob(let value): bind(blob: value, at: index)
            case .array: preconditionFailure("SQLite's statements have lists as JSON")
            }
        }
    }
}
