import Foundation

/// A value for a parameter of a statement.
package enum SQLBinding: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob(Data)

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

    /// The value as an SQL literal.
    var literal: String {
        switch self {
        case .null: "NULL"
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        // SQLite reads the text of a statement up to the first zero.
        case .text(let value) where value.utf8.contains(0):
            "CAST(\(Self.blob(Data(value.utf8)).literal) AS TEXT)"
        case .text(let value): "'\(value.replacing("'", with: "''"))'"
        case .blob(let value):
            "x'\(value.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())'"
        }
    }
}

/// A piece of SQL and the values of its parameters, in their order.
struct SQLText: Sendable, Hashable {
    private(set) var sql = ""
    private(set) var bindings: [SQLBinding] = []

    init() { sql.reserveCapacity(256) }

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
            }
        }
    }
}
