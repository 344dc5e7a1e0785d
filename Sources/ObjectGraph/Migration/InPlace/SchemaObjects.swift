/// The indexes, triggers, views and virtual tables of a file, and what its tables have that a model
/// does not describe.
struct SchemaObjects {
    struct Object {
        let kind: String
        let name: String
        let table: String

        /// The statement that made it.
        let sql: String

        /// Whether it has a name that models give: those of tables, indexes and triggers of this
        /// engine and of Core Data begin with `Z_` or with the name of the table.
        var isOfModel: Bool {
            let name = name.uppercased()
            return ["Z_", "ZT_", table.uppercased() + "_"].contains { name.hasPrefix($0) }
        }

        var drop: String { "DROP \(kind.uppercased()) \(SchemaObjects.quoted(name))" }
    }

    private let objects: [Object]

    /// The tables with a constraint that has an index without a statement.
    private let constrainedTables: Set<String>

    /// The columns of the tables whose names begin with Z, by their names in upper case.
    private let columns: [String: [(name: String, type: String)]]

    init(_ connection: Connection) throws {
        let statement = try connection.statement(
            "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE type <> 'table' OR rootpage = 0"
        )
        defer { statement.reset() }
        var objects: [Object] = []
        var constrained: Set<String> = []
        while try statement.step() {
            let table = statement.value(at: 2).string
            guard !statement.value(at: 3).isNull else {
                constrained.insert(table.uppercased())
                continue
            }
            objects.append(
                Object(
                    kind: statement.value(at: 0).string, name: statement.value(at: 1).string,
                    table: table, sql: statement.value(at: 3).string))
        }
        self.objects = objects
        constrainedTables = constrained
        let list = try connection.statement(
            """
            SELECT m.name, c.name, c.type FROM sqlite_schema m JOIN pragma_table_info(m.name) c \
            WHERE m.type = 'table' AND m.rootpage > 0 AND m.name LIKE 'Z%'
            """)
        defer { list.reset() }
        var columns: [String: [(name: String, type: String)]] = [:]
        while try list.step() {
            columns[list.value(at: 0).string.uppercased(), default: []].append(
                (list.value(at: 1).string, list.value(at: 2).string))
        }
        self.columns = columns
    }

    /// Those of a new store, without indexes that cannot be made.
    init(_ schema: SQLiteSchema, _ layout: StoreLayout) {
        objects = schema.entities.flatMap { entity in
            let statements = (try? schema.indexes(of: entity, layout)) ?? []
            return statements.filter { $0.contains("INDEX ") }.map {
                Object(kind: "index", name: "Z_", table: layout.table(of: entity), sql: $0)
            }
        }
        constrainedTables = []
        columns = [:]
    }

    static func quoted(_ name: String) -> String {
        "\"\(name.replacing("\"", with: "\"\""))\""
    }

    // MARK: - Tables

    /// Whether a table has a constraint of its own. In stores of old versions of Core Data these
    /// enforce uniqueness; an index does now, which can be dropped.
    func isConstrained(_ table: String) -> Bool {
        constrainedTables.contains(table.uppercased())
    }

    /// The columns of a table of rows other than these, with their types. Those that migrations have
    /// left to be dropped are none.
    func columns(of table: String, besides known: [String]) -> [(name: String, type: String)] {
        let known = Set((["Z_PK", "Z_ENT", "Z_OPT"] + known).map { $0.uppercased() })
        return (columns[table.uppercased()] ?? []).filter {
            !known.contains($0.name.uppercased()) && !DeferredCleanUp.isLeft($0.name)
        }
        .map { name, type in
            // A type can be any text; others than words are left out.
            let isPlain = type.allSatisfy { $0.isLetter || $0.isNumber || " (),".contains($0) }
            return (name, isPlain ? type : "")
        }
    }

    // MARK: - Objects

    /// The triggers and views of others, and the indexes of others on these tables.
    func foreign(indexesOf tables: [String]) -> [Object] {
        let tables = Set(tables.map { $0.uppercased() })
        return objects.filter { object in
            switch object.kind {
            case "index": !object.isOfModel && tables.contains(object.table.uppercased())
            case "trigger", "view": !object.isOfModel
            default: false
            }
        }
    }

    /// Whether a statement has made an index of the file.
    func hasIndex(madeBy sql: String) -> Bool {
        objects.contains { $0.kind == "index" && $0.sql == sql }
    }

    /// Whether others have made an index on a table, perhaps for a column that is removed.
    func hasForeignIndex(on table: String) -> Bool {
        foreign(indexesOf: [table]).contains { $0.kind == "index" }
    }

    /// The statements that remove the triggers of tables, and their indexes that are of the model,
    /// and all triggers of derived attributes, which may name several tables.
    ///
    /// - Parameters:
    ///   - tables: The names of the tables.
    ///   - virtualTables: The names of the R*Trees and full-text indexes to remove.
    ///   - keptIndexes: The statements that made the indexes that stay.
    func removals(
        tables: [String], virtualTables: [String], keeping keptIndexes: Set<String>
    ) -> [String] {
        let tables = Set(tables.map { $0.uppercased() })
        let virtualTables = Set(virtualTables.map { $0.uppercased() })
        func drop(_ kind: String, _ isMeant: (_ name: String, _ object: Object) -> Bool)
            -> [String]
        {
            objects.filter { $0.kind == kind && isMeant($0.name.uppercased(), $0) }.map(\.drop)
        }
        func isOf(_ object: Object) -> Bool { tables.contains(object.table.uppercased()) }
        return drop("trigger") { isOf($1) || $0.hasPrefix("Z_DA_") }
            + drop("table") { name, _ in virtualTables.contains(name) }
            + drop("view") { name, _ in virtualTables.contains { name == $0 + "_CONTENT" } }
            + drop("index") { isOf($1) && $1.isOfModel && !keptIndexes.contains($1.sql) }
    }
}
