import Foundation

/// SQLite's SQL. What it cannot express itself is a function of `QueryFunctions`.
struct SQLiteDialect: SQLDialect {
    // MARK: - Words

    func truth(_ value: Bool) -> String { value ? "1" : "0" }

    var coalesce: String { "IFNULL" }

    func direction(isAscending: Bool) -> String { isAscending ? "" : " DESC" }

    var ordersEqualRows: Bool { true }

    var aliasOfSelect: String { "" }

    var unlimited: String { " LIMIT -1" }

    func hint(index: String) -> String { " INDEXED BY \(index)" }

    var withoutIndex: String { "+" }

    var chosenText: (opening: String, closing: String) { ("", "") }

    // MARK: - Tables

    func columnType(_ type: String) -> String { type }

    func keepsAsNumeric(_ type: AttributeType) -> Bool { type == .decimal || type == .date }

    var hasFullText: Bool { true }

    var keepsOwnersInRows: Bool { true }

    func indexElement(_ value: String, isAscending: Bool) -> String {
        "\(value) COLLATE BINARY \(isAscending ? "ASC" : "DESC")"
    }

    var requiresConditionOfIndex: Bool { true }

    func name(_ name: String) -> String { name }

    // MARK: - Statements

    func literal(_ value: SQLBinding) -> String {
        switch value {
        case .null: "NULL"
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        // SQLite reads the text of a statement up to the first zero.
        case .text(let value) where value.utf8.contains(0):
            "CAST(\(literal(.blob(Data(value.utf8)))) AS TEXT)"
        case .text(let value): value.sqlLiteral
        case .blob(let value): "x'\(value.hexadecimal)'"
        case .array: preconditionFailure("SQLite's statements have lists as JSON")
        }
    }

    func finished(_ text: SQLText) -> SQLText { text }

    func write(
        _ key: CompiledSort.Key, of sortKey: SortKey, _ dictionary: DictionarySelection?,
        to text: inout SQLText, _ writer: inout SQLConditionWriter
    ) throws(FetchError) {
        try writer.write(key.operand, to: &text, dictionary == nil ? .optional : .result)
        switch key.comparison {
        case .binary: break
        case .caseInsensitive: text.append(" COLLATE OGCaseInsensitive")
        case .localizedStandard: text.append(" COLLATE OGLocalizedStandard")
        }
    }

    /// SQLite takes the value of some row of the group.
    func writeRest(
        of group: Operand, to text: inout SQLText, _ writer: inout SQLConditionWriter
    ) {}

    func cast(
        _ operand: Operand, to decoding: DictionaryColumn.Decoding
    ) -> (opening: String, closing: String) {
        ("", "")
    }
}

extension SQLDialect where Self == SQLiteDialect {
    static var sqlite: SQLiteDialect { SQLiteDialect() }
}
