import Benchmarking
import Foundation
import ObjectGraph

/// What a migration does to the tables of a store and what that costs, as text: a sentence, and a
/// line for each table with the most expensive ones first.
struct CostText: CustomStringConvertible {
    let cost: MigrationCost

    /// Nil without a store.
    let sizes: TableSizes?

    var description: String {
        let rows = cost.tables.filter { $0.work != .kept }
            .sorted { ($1.work, $0.name) < ($0.work, $1.name) }.map(line)
        guard !rows.isEmpty else { return head }
        let title = ["table", "what", "work"] + (sizes == nil ? [] : ["rows", "size"])
        return "\(head)\n\n\(AlignedLines([title] + rows))"
    }

    /// How the time depends on the rows.
    private var head: String {
        let growing = cost.tables.filter(\.growsWithRows)
        let kept = cost.tables.count { $0.work == .kept }
        let others =
            kept == 0 ? "" : " \(kept) \(kept == 1 ? "table stays" : "tables stay") as before."
        guard !growing.isEmpty else {
            return
                "No row is read or written: the time is the same however many there are.\(others)"
        }
        guard let sizes else {
            return
                "The time grows with the rows of \(growing.map(\.name).joined(separator: ", ")).\(others)"
        }
        let known = growing.compactMap { $0.source.flatMap { sizes[$0] } }
        let rowCount = known.map(\.rowCount).reduce(0, +)
        let byteCount = known.compactMap(\.byteCount).reduce(0, +)
        let bytes =
            byteCount == 0
            ? "" : ", \(byteCount.formatted(.byteCount(style: .memory))) of tables and indexes"
        return "\(rowCount.formatted()) rows are read or written\(bytes).\(others)"
    }

    private func line(_ table: MigrationCost.Table) -> [String] {
        let size = table.source.flatMap { sizes?[$0] }
        return [table.name, table.contents.joined(separator: ", "), table.workText]
            + (sizes == nil
                ? []
                : [
                    size.map { $0.rowCount.formatted() } ?? "",
                    size?.byteCount.map { $0.formatted(.byteCount(style: .memory)) } ?? "",
                ])
    }
}

extension MigrationCost.Table {
    fileprivate var workText: String {
        let text =
            switch work {
            case .kept: "kept"
            case .created: "new"
            case .removed: "removed, with its rows"
            case .altered: "altered, no row is touched"
            case .filled: "altered, rows get values"
            case .rebuilt: "rebuilt, every row is copied"
            case .gathered: "pairs are sorted and stored anew"
            }
        guard indexCount > 0 else { return text }
        return "\(text); \(indexCount) \(indexCount == 1 ? "index is" : "indexes are") made again"
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
