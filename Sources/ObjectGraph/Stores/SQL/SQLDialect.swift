import Foundation

/// The SQL of a database. This file has the words that differ, `SQLConditionWriter+PostgreSQL`
/// and its neighbours the expressions.
package enum SQLDialect: Sendable, Hashable {
    case sqlite
    case postgreSQL

    // MARK: - Expressions

    func truth(_ value: Bool) -> String {
        switch self {
        case .sqlite: value ? "1" : "0"
        case .postgreSQL: value ? "TRUE" : "FALSE"
        }
    }

    /// The function that returns its first argument that is not NULL.
    var coalesce: String {
        switch self {
        case .sqlite: "IFNULL"
        case .postgreSQL: "COALESCE"
        }
    }

    /// Whether an operand has one type for all rows, which `SQLType` says. PostgreSQL refuses
    /// statements with other operands.
    var hasStaticTypes: Bool { self == .postgreSQL }

    /// The direction of a sort key. Nulls come first in ascending and last in descending order.
    func direction(isAscending: Bool) -> String {
        switch self {
        case .sqlite: isAscending ? "" : " DESC"
        case .postgreSQL: isAscending ? " NULLS FIRST" : " DESC NULLS LAST"
        }
    }

    /// What follows a SELECT in FROM.
    var aliasOfSelect: String {
        switch self {
        case .sqlite: ""
        case .postgreSQL: " AS results"
        }
    }

    // MARK: - Tables

    /// The type of a column that has this type in SQLite. PostgreSQL's columns hold values as rows
    /// in memory do.
    func columnType(_ type: String) -> String {
        guard self == .postgreSQL else { return type }
        return switch type {
        case "INTEGER": "bigint"
        case "TIMESTAMP", "FLOAT", "DECIMAL": "double precision"
        case "BLOB": "bytea"
        // The order of its bytes is that of Unicode scalars.
        default: "text COLLATE \"C\""
        }
    }

    private func arrayType(_ values: SQLArray) -> String {
        switch values {
        case .integers: "bigint[]"
        case .reals: "double precision[]"
        case .texts: "text[]"
        case .blobs: "bytea[]"
        }
    }

    /// An element of an index, with its order.
    func indexElement(_ value: String, isAscending: Bool) -> String {
        switch self {
        case .sqlite: "\(value) COLLATE BINARY \(isAscending ? "ASC" : "DESC")"
        case .postgreSQL: value + direction(isAscending: isAscending)
        }
    }

    /// A name that the database keeps as it is. PostgreSQL would cut one of more than 63 bytes; such
    /// a name gets a hash for its end.
    func name(_ name: String) -> String {
        let limit = 63
        guard self == .postgreSQL, name.utf8.count > limit else { return name }
        // FNV-1a: `Hasher` gives other numbers in each process.
        let hash = name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        let end = "_" + String(hash, radix: 36, uppercase: true)
        var start = name.unicodeScalars
        while String(start).utf8.count + end.utf8.count > limit { start.removeLast() }
        return String(start) + end
    }

    // MARK: - Literals

    func literal(_ value: SQLBinding) -> String {
        switch (self, value) {
        case (_, .null): "NULL"
        case (_, .integer(let value)): "\(value)"
        case (.sqlite, .real(let value)): "\(value)"
        case (.postgreSQL, .real(let value)):
            value.isNaN ? "NULL" : "'\(value)'::double precision"
        // SQLite reads the text of a statement up to the first zero.
        case (.sqlite, .text(let value)) where value.utf8.contains(0):
            "CAST(\(literal(.blob(Data(value.utf8)))) AS TEXT)"
        case (_, .text(let value)): value.sqlLiteral
        case (.sqlite, .blob(let value)): "x'\(value.hexadecimal)'"
        case (.postgreSQL, .blob(let value)): "'\\x\(value.hexadecimal)'::bytea"
        case (_, .array(let values)):
            "ARRAY[\(values.elements.map(literal).joined(separator: ", "))]::\(arrayType(values))"
        }
    }
}

extension String {
    /// The text in quotation marks. A mark with an accent is a character of its own, but SQL reads
    /// scalars.
    var sqlLiteral: String {
        var literal: UnicodeScalarView = "'".unicodeScalars
        for scalar in unicodeScalars {
            literal.append(scalar)
            if scalar == "'" { literal.append(scalar) }
        }
        literal.append("'")
        return String(literal)
    }
}

extension Data {
    fileprivate var hexadecimal: String {
        map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
