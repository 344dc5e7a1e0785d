import Foundation
import ObjectGraph
import Reports

/// What a migration does to the tables of a store and what that costs, as text: a sentence, and a
/// line for each table with the most expensive ones first. With sizes, each line has the table's.
struct CostText: CustomStringConvertible {
    let cost: MigrationCost

    /// Nil without a store.
    let sizes: TableSizes?

    var description: String {
        guard let sizes else { return cost.description }
        let head = head(sizes)
        let rows = cost.changedTables.map { line($0, sizes) }
        guard !rows.isEmpty else { return head }
        return "\(head)\n\n\(AlignedLines([["table", "what", "work", "rows", "size"]] + rows))"
    }

    /// How the time depends on the rows.
    private func head(_ sizes: TableSizes) -> String {
        let growing = cost.tables.filter(\.growsWithRows)
        guard !growing.isEmpty else {
            return
                "No row is read or written: the time is the same however many there are.\(cost.keptSentence)"
        }
        let known = growing.compactMap { $0.source.flatMap { sizes[$0] } }
        let rowCount = known.map(\.rowCount).reduce(0, +)
        let byteCount = known.compactMap(\.byteCount).reduce(0, +)
        let bytes =
            byteCount == 0
            ? "" : ", \(byteCount.formatted(.byteCount(style: .memory))) of tables and indexes"
        return "\(rowCount.formatted()) rows are read or written\(bytes).\(cost.keptSentence)"
    }

    private func line(_ table: MigrationCost.Table, _ sizes: TableSizes) -> [String] {
        let size = table.source.flatMap { sizes[$0] }
        return [
            table.name, table.contents.joined(separator: ", "), table.description,
            size.map { $0.rowCount.formatted() } ?? "",
            size?.byteCount.map { $0.formatted(.byteCount(style: .memory)) } ?? "",
        ]
    }
}

/// The rows and bytes of the tables of a store, counted with plain SQL.
struct TableSizes {
    struct Size {
        var rowCount: Int
        /// With the indexes; nil if this SQLite cannot say.
        var byteCount: Int?
    }

    private let sizes: [String: Size]

    /// A name of SQL, in any case.
    subscript(table: String) -> Size? { sizes[table.uppercased()] }

    /// Changes no file.
    ///
    /// - Throws: ``StoreReaderError``.
    init(of store: URL) throws {
        let reader = try StoreReader(reading: store)
        let tables = try reader.text(
            "SELECT group_concat(name, char(10)) FROM sqlite_schema WHERE type = 'table' AND rootpage > 0"
        ).split(separator: "\n").map(String.init)
        var sizes: [String: Size] = [:]
        for table in tables {
            let name = "\"\(table.replacing("\"", with: "\"\""))\""
            let literal = "'\(table.replacing("'", with: "''"))'"
            // The table `dbstat` is not in every build of SQLite.
            let bytes = try? reader.integer(
                """
                SELECT SUM(pgsize) FROM dbstat WHERE aggregate = TRUE AND name IN \
                (SELECT name FROM sqlite_schema WHERE tbl_name = \(literal))
                """)
            sizes[table.uppercased()] = Size(
                rowCount: try reader.integer("SELECT COUNT(*) FROM \(name)"), byteCount: bytes)
        }
        self.sizes = sizes
    }
}
