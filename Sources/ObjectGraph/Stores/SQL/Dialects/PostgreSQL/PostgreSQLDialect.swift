import Foundation

/// PostgreSQL's SQL. Its columns hold values as rows in memory do.
///
/// It lies in the engine and not beside its store: it is written over operands and conditions, of
/// which no other module knows, and its tests need neither libpq nor a server.
struct PostgreSQLDialect: SQLDialect {
    // MARK: - Words

    func truth(_ value: Bool) -> String { value ? "TRUE" : "FALSE" }

    var coalesce: String { "COALESCE" }

    func direction(isAscending: Bool) -> String {
        isAscending ? " NULLS FIRST" : " DESC NULLS LAST"
    }

    var ordersEqualRows: Bool { false }

    var aliasOfSelect: String { " AS results" }

    var unlimited: String { "" }

    /// PostgreSQL has no hints.
    func hint(index: String) -> String { "" }

    var withoutIndex: String { "" }

    var chosenText: (opening: String, closing: String) { ("(", "\(Self.binaryCollation))") }

    // MARK: - Tables

    func columnType(_ type: String) -> String {
        switch type {
        case "INTEGER": "bigint"
        case "TIMESTAMP", "FLOAT", "DECIMAL": "double precision"
        case "BLOB": "bytea"
        // The order of its bytes is that of Unicode scalars.
        default: "text\(Self.binaryCollation)"
        }
    }

    func keepsAsNumeric(_ type: AttributeType) -> Bool { false }

    var hasFullText: Bool { false }

    var keepsOwnersInRows: Bool { false }

    func indexElement(_ value: String, isAscending: Bool) -> String {
        value + direction(isAscending: isAscending)
    }

    var requiresConditionOfIndex: Bool { false }

    /// PostgreSQL would cut a name of more than 63 bytes; such a name gets a hash for its end.
    func name(_ name: String) -> String {
        let limit = 63
        guard name.utf8.count > limit else { return name }
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
        switch value {
        case .null: "NULL"
        case .integer(let value): "\(value)"
        case .real(let value): value.isNaN ? "NULL" : "'\(value)'::double precision"
        case .text(let value): value.sqlLiteral
        case .blob(let value): "'\\x\(value.hexadecimal)'::bytea"
        case .array(let values):
            "ARRAY[\(values.elements.map(literal).joined(separator: ", "))]::\(arrayType(values))"
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
}

extension SQLDialect where Self == PostgreSQLDialect {
    static var postgreSQL: PostgreSQLDialect { PostgreSQLDialect() }
}
