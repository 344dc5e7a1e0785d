/// The entities, tables and columns of a store, according to its file.
///
/// Names are compared without regard to case, as in SQLite.
struct StoreCatalog {
    struct Entry {
        let number: Int64
        let name: String
        /// The number of the superentity; 0 for a root.
        let parent: Int64
    }

    /// The columns of a table by their names in upper case.
    typealias Columns = [String: String]

    /// The rows of `Z_PRIMARYKEY` that stand for entities of a model, by name.
    private let entries: [String: Entry]

    /// The tables by their names in upper case, except virtual ones.
    let tables: [String: (name: String, columns: Columns)]

    /// The virtual tables that are R*Trees.
    let rTrees: [String]

    /// The statements that created the full-text indexes.
    let fullTextTables: Set<String>

    /// Whether the store has a history of changes, which is not empty.
    let hasHistory: Bool
    let hasHistoryTables: Bool

    /// Core Data's own entities, those of the history, have numbers from this on.
    private static let firstReservedNumber: Int64 = 16000

    init(_ connection: Connection) throws {
        var tables: [String: (name: String, columns: Columns)] = [:]
        // Virtual tables have no root page. Their modules may be missing here.
        let columns = try connection.statement(
            """
            SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c \
            WHERE m.type = 'table' AND m.rootpage > 0 AND m.name LIKE 'Z%'
            """)
        while try columns.step() {
            let (table, column) = (columns.value(at: 0).string, columns.value(at: 1).string)
            tables[table.uppercased(), default: (table, [:])].columns[column.uppercased()] = column
        }
        self.tables = tables
        let rTrees = try connection.statement(
            """
            SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage = 0 \
            AND name LIKE 'Z\\_RT\\_%' ESCAPE '\\'
            """)
        var names: [String] = []
        while try rTrees.step() { names.append(rTrees.value(at: 0).string) }
        self.rTrees = names
        let indexes = try connection.statement(
            """
            SELECT sql FROM sqlite_schema WHERE type = 'table' AND rootpage = 0 \
            AND name LIKE 'Z\\_FT\\_%' ESCAPE '\\'
            """)
        var creations: Set<String> = []
        while try indexes.step() { creations.insert(indexes.value(at: 0).string) }
        fullTextTables = creations
        let history = try connection.statement(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name IN ('ATRANSACTION', 'ACHANGE')"
        )
        var historyTables: [String] = []
        while try history.step() { historyTables.append(history.value(at: 0).string) }
        hasHistory = try historyTables.contains { table in
            let rows = try connection.statement("SELECT 1 FROM \(table)")
            defer { rows.reset() }
            return try rows.step()
        }
        hasHistoryTables = !historyTables.isEmpty
        let rows = try connection.statement(
            "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT BETWEEN 1 AND ? - 1")
        rows.bind(Self.firstReservedNumber, at: 1)
        var entries: [String: Entry] = [:]
        while try rows.step() {
            let name = rows.value(at: 1).string
            entries[name] = Entry(
                number: rows.value(at: 0).integer, name: name, parent: rows.value(at: 2).integer)
        }
        self.entries = entries
    }

    /// The entry of an entity: by its name, or by the name that it had before a migration, which
    /// Core Data leaves in the file.
    func entry(for entity: Entity) -> Entry? {
        entries[entity.name] ?? entity.description.renamingIdentifier.flatMap { entries[$0] }
    }

    /// The largest number of an entity; 0 if there is none.
    var lastEntityNumber: Int64 { entries.values.map(\.number).max() ?? 0 }

    /// The numbers of all entities below the one with this number.
    func descendants(of number: Int64) -> Set<Int64> {
        var known: Set<Int64> = [number]
        while case let more = entries.values.filter({
            known.contains($0.parent) && !known.contains($0.number)
        }), !more.isEmpty {
            known.formUnion(more.map(\.number))
        }
        return known.subtracting([number])
    }
}
