/// The indexes, triggers, views and virtual tables of a file.
struct SchemaObjects {
    private let objects: [(kind: String, name: String, table: String)]

    init(_ connection: Connection) throws {
        // Indexes without a statement belong to constraints of their table.
        let statement = try connection.statement(
            "SELECT type, name, tbl_name FROM sqlite_schema WHERE sql NOT NULL AND (type <> 'table' OR rootpage = 0)"
        )
        defer { statement.reset() }
        var objects: [(kind: String, name: String, table: String)] = []
        while try statement.step() {
            objects.append(
                (
                    statement.value(at: 0).string, statement.value(at: 1).string,
                    statement.value(at: 2).string
                ))
        }
        self.objects = objects
    }

    /// The statements that remove the indexes and triggers of tables, and all triggers of derived
    /// attributes, which may name several tables.
    ///
    /// - Parameters:
    ///   - tables: The names of the tables.
    ///   - virtualTables: The names of the R*Trees and full-text indexes to remove.
    func removals(tables: [String], virtualTables: [String]) -> [String] {
        let tables = Set(tables.map { $0.uppercased() })
        let virtualTables = Set(virtualTables.map { $0.uppercased() })
        func drop(_ kind: String, _ isMeant: (_ name: String, _ table: String) -> Bool) -> [String]
        {
            objects.filter {
                $0.kind == kind && isMeant($0.name.uppercased(), $0.table.uppercased())
            }
            .map { "DROP \(kind.uppercased()) \"\($0.name.replacing("\"", with: "\"\""))\"" }
        }
        return drop("trigger") { tables.contains($1) || $0.hasPrefix("Z_DA_") }
            + drop("table") { name, _ in virtualTables.contains(name) }
            + drop("view") { name, _ in virtualTables.contains { name == $0 + "_CONTENT" } }
            + drop("index") { tables.contains($1) }
    }
}
