import Foundation

/// The columns and tables that migrations have left to be dropped later, by their names (spec §9.6).
struct DeferredCleanUp {
    private static let beginning = "Z_DEFERRED_"
    private let tables: [String]
    private let columns: [(table: String, column: String)]

    init(_ catalog: StoreCatalog) {
        let all = catalog.tables.values.sorted { $0.name < $1.name }
        tables = all.map(\.name).filter(Self.isLeft)
        columns = all.filter { !Self.isLeft($0.name) }.flatMap { table in
            table.columns.values.filter(Self.isLeft).sorted().map { (table.name, $0) }
        }
    }

    static func isLeft(_ name: String) -> Bool {
        name.uppercased().hasPrefix(beginning)
    }

    /// The statements that drop them, one for each.
    var statements: [String] {
        tables.map { "DROP TABLE \($0)" }
            + columns.map { "ALTER TABLE \($0.table) DROP COLUMN \($0.column)" }
    }

    /// A name with which none of theirs begins.
    var unusedName: String {
        let numbers = (tables + columns.map(\.column)).compactMap {
            Int($0.dropFirst(Self.beginning.count).prefix { $0 != "_" })
        }
        return Self.beginning + String((numbers.max() ?? 0) + 1)
    }
}
