// Searches in full-text indexes. The first one that every row must match is joined: SQLite goes
// through its matches and looks their rows up. All others are lists of keys.
extension SQLConditionWriter {
    /// The name of the joined index in a statement.
    private static let alias = "s0"

    mutating func write(
        _ search: TextSearch, to text: inout SQLText, _ place: Place
    ) throws(FetchError) {
        guard dialect.hasFullText else { throw .inMemoryOnly(feature: "SEARCH") }
        let table = try layout.fullTextTable(search.index)
        if place.isRequired, followsRelationships, isInStatement(search.path), joined == nil {
            joined = table
            return table.match(search, alias: Self.alias + ".", to: &text)
        }
        let key = try foreignKey(search.path, place)
        // Nothing is found in the text of a missing object, whatever the terms around it say.
        let canBeNull = !search.path.steps.isEmpty && !place.isRequired
        text.append(
            "\(canBeNull ? "IFNULL(" : "")\(key) IN (SELECT rowid FROM \(table.name) WHERE ")
        table.match(search, alias: "", to: &text)
        text.append(canBeNull ? "), 0)" : ")")
    }

    mutating func write(
        _ result: Operand.SearchResult, of index: FullTextIndex, to text: inout SQLText
    ) throws(FetchError) {
        let table = try layout.fullTextTable(index)
        reported.append(table.name)
        switch result {
        case .rank: text.append("\(Self.alias).rank")
        case .snippet(let column, let opening, let closing, let ellipsis, let words):
            text.append("snippet(\(Self.alias).\(table.name), \(column ?? -1)")
            for mark in [opening, closing, ellipsis] {
                text.append(", ")
                text.bind(.text(mark))
            }
            text.append(", \(words))")
        }
    }

    /// Appends the tables of the statement: those of the joined search, of the entity and of key
    /// paths.
    ///
    /// - Parameter hint: What follows the name of the entity's table.
    /// - Throws: `FetchError.invalidComparison` if a rank or snippet is of another search.
    func appendTables(hint: String, to text: inout SQLText) throws(FetchError) {
        guard reported.allSatisfy({ $0 == joined?.name }) else {
            throw .invalidComparison(
                "rank:, snippet:",
                advice:
                    "the first SEARCH that the predicate requires must be in the same full-text index."
            )
        }
        // A CROSS JOIN keeps the order: the search runs once, not for each row.
        if let joined { text.append("\(joined.name) \(Self.alias) CROSS JOIN ") }
        text.append("\(layout.table(of: entity)) t0\(hint)")
        if joined != nil { text.append(" ON t0.Z_PK = \(Self.alias).rowid") }
        root.appendJoins(to: &text)
    }
}
