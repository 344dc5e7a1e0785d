import Foundation

/// The columns of a store whose values have a mark and may be in files (`ExternalData`).
///
/// A store's metadata list them by table and column, so that neither another model nor a tool
/// without one takes a mark for data.
struct ExternalColumns {
    /// The columns by table.
    let byTable: [String: [String]]

    var isEmpty: Bool { byTable.isEmpty }

    init() { byTable = [:] }

    /// - Parameter names: As `TABLE.COLUMN`.
    /// - Throws: `StoreError` for other texts. To leave one out would be to take its files for
    ///   orphans.
    init(_ names: [String]) throws(StoreError) {
        var byTable: [String: [String]] = [:]
        for name in names {
            let parts = name.split(separator: ".").map(String.init)
            // The names become part of SQL.
            guard parts.count == 2, parts.allSatisfy(ModelAssembly.isName) else {
                throw StoreError(
                    .damagedValue("the metadata list '\(name)' as a column for external data"))
            }
            byTable[parts[0], default: []].append(parts[1])
        }
        self.byTable = byTable
    }

    /// All columns of a store of Core Data that can refer to files, whatever its model is.
    init(ofCoreData connection: Connection) throws {
        let statement = try connection.statement(
            """
            SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c \
            WHERE t.type = 'table' AND t.name GLOB 'Z*' AND c.type = 'BLOB'
            """)
        defer { statement.reset() }
        var byTable: [String: [String]] = [:]
        while try statement.step() {
            let (table, column) = (statement.value(at: 0).string, statement.value(at: 1).string)
            // Core Data gives no other names.
            guard ModelAssembly.isName(table), ModelAssembly.isName(column) else { continue }
            byTable[table, default: []].append(column)
        }
        self.byTable = byTable
    }

    /// The names of all files to which rows refer. Reads the tables, but no data in them.
    func references(on connection: Connection) throws -> Set<String> {
        var names: Set<String> = []
        for (table, columns) in byTable {
            for column in columns {
                let statement = try connection.statement(
                    "SELECT \(column) FROM \(table) WHERE \(ExternalData.isReference(column))")
                defer { statement.reset() }
                while try statement.step() {
                    if let name = ExternalData.fileName(in: statement.value(at: 0)) {
                        names.insert(name)
                    }
                }
            }
        }
        return names
    }

    // MARK: - Changes of a transaction

    private static let notes = "OGReference"

    /// What the writer needs for `takeChanges`: temporary triggers that note which references a
    /// statement adds and drops, in a temporary table.
    ///
    /// Triggers see every way to write a row. The notes are in a table, because SQLite then takes
    /// them back with a statement that fails, while its transaction goes on.
    var writerStatements: [String] {
        guard !isEmpty else { return [] }
        return ["CREATE TEMP TABLE \(Self.notes) (value BLOB, change INTEGER)"]
            + byTable.sorted { $0.key < $1.key }.flatMap { triggers($0.key, $0.value) }
    }

    private func triggers(_ table: String, _ columns: [String]) -> [String] {
        func notes(_ row: String, _ change: Int) -> String {
            columns.map {
                "INSERT INTO \(Self.notes) SELECT \(row).\($0), \(change) WHERE \(ExternalData.isReference("\(row).\($0)"));"
            }.joined(separator: " ")
        }
        let (drops, additions) = (notes("OLD", -1), notes("NEW", 1))
        let name = "OGExternal_\(table)"
        return [
            "CREATE TEMP TRIGGER \(name)_I AFTER INSERT ON main.\(table) BEGIN \(additions) END",
            "CREATE TEMP TRIGGER \(name)_U AFTER UPDATE OF \(columns.joined(separator: ", ")) ON main.\(table) BEGIN \(drops) \(additions) END",
            "CREATE TEMP TRIGGER \(name)_D AFTER DELETE ON main.\(table) BEGIN \(drops) END",
        ]
    }

    /// The references that the open transaction has added, less those that it has dropped, by file.
    static func takeChanges(on writer: Connection) throws -> [String: Int] {
        let statement = try writer.statement(
            "SELECT value, sum(change) FROM \(notes) GROUP BY value")
        defer { statement.reset() }
        var changes: [String: Int] = [:]
        var hasNotes = false
        while try statement.step() {
            hasNotes = true
            if let name = ExternalData.fileName(in: statement.value(at: 0)) {
                changes[name] = Int(statement.value(at: 1).integer)
            }
        }
        if hasNotes { try writer.execute("DELETE FROM \(notes)") }
        return changes
    }
}
