/// The indexes, triggers and views that others have made in a store's file, such as the app with a
/// tool. A migration keeps those that still work, and is refused otherwise (spec §9.2).
///
/// The triggers of changed tables are away while rows are moved, so that they do not run.
struct ForeignObjects {
    private let objects: [SchemaObjects.Object]

    /// The views, and the tables with triggers of others, that SQLite can use before the migration.
    /// It cannot use what calls functions that only the app has.
    private let working: Set<String>
    private let connection: Connection

    /// - Parameters:
    ///   - objects: Those of the file as it is.
    ///   - connection: The connection of the migration.
    init(_ objects: [SchemaObjects.Object], on connection: Connection) throws {
        self.objects = objects
        self.connection = connection
        var working: Set<String> = []
        for object in objects where try Self.problem(of: object, on: connection) == nil {
            working.insert(object.name)
        }
        self.working = working
    }

    /// Makes those again that went with the old tables.
    ///
    /// - Parameter removedTables: The old tables that nothing has become. Their triggers and indexes
    ///   are gone with them.
    /// - Throws: `MigrationError` with `foreignObject` for the first that no longer works.
    func restore(
        without removedTables: [String], _ run: (String) throws -> Void
    ) throws {
        let names = try namesInFile
        // A join table may have been made again under its name.
        let removed = Set(removedTables.map { $0.uppercased() }).subtracting(names)
        for object in objects where !removed.contains(object.table.uppercased()) {
            do {
                if !names.contains(object.name.uppercased()) { try run(object.sql) }
            } catch let error as SQLiteError where error.isOfSQL || error.isConstraint {
                throw refusal(of: object, error.message)
            }
            if working.contains(object.name),
                let problem = try Self.problem(of: object, on: connection)
            {
                throw refusal(of: object, problem)
            }
        }
    }

    private func refusal(of object: SchemaObjects.Object, _ problem: String) -> MigrationError {
        MigrationError(.foreignObject(kind: object.kind, name: object.name, problem: problem))
    }

    /// In upper case.
    private var namesInFile: Set<String> {
        get throws {
            let statement = try connection.statement("SELECT name FROM sqlite_schema")
            defer { statement.reset() }
            var names: Set<String> = []
            while try statement.step() {
                names.insert(statement.value(at: 0).string.uppercased())
            }
            return names
        }
    }

    /// SQLite's complaint about a view, or about the triggers of a table; nil if it can use them.
    ///
    /// It compiles triggers with the statements that call them, and looks at nothing in them when
    /// they are made.
    private static func problem(
        of object: SchemaObjects.Object, on connection: Connection
    ) throws -> String? {
        let table = SchemaObjects.quoted(object.table)
        let statements: [String]
        switch object.kind {
        case "view": statements = ["SELECT * FROM \(table)"]
        case "trigger":
            let info = try connection.statement("SELECT name FROM pragma_table_info(?)")
            info.bind(object.table, at: 1)
            defer { info.reset() }
            var columns: [String] = []
            while try info.step() {
                let name = SchemaObjects.quoted(info.value(at: 0).string)
                columns.append("\(name) = \(name)")
            }
            guard !columns.isEmpty else { return nil }
            statements = [
                "INSERT INTO \(table) DEFAULT VALUES", "DELETE FROM \(table)",
                "UPDATE \(table) SET \(columns.joined(separator: ", "))",
            ]
        default: return nil
        }
        do throws(SQLiteError) {
            for statement in statements { _ = try Statement(statement, on: connection.handle) }
            return nil
        } catch {
            guard error.isOfSQL else { throw error }
            return error.message
        }
    }
}

extension SQLiteError {
    /// Whether the statement itself is wrong (SQLITE_ERROR), and not the file or the disk.
    fileprivate var isOfSQL: Bool { code == 1 }
}
