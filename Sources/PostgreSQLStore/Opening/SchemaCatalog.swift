#if PostgreSQL
import ObjectGraph

/// The tables of a schema, according to the server.
struct SchemaCatalog {
    /// The types of the columns by their names, by the name of the table. Columns of text have their
    /// collation behind the type.
    let tables: [String: [String: String]]
    let hasSchema: Bool

    /// The encoding of the database's texts.
    let encoding: String

    init(_ schema: String, on link: Link) throws {
        let results = try link.run([
            Command(
                "SELECT 1::bigint FROM pg_catalog.pg_namespace WHERE nspname = $1",
                [.text(schema)]),
            Command(Self.columns, [.text(schema)]),
            Command("SELECT pg_catalog.current_setting('server_encoding')"),
        ])
        hasSchema = results[0].count > 0
        encoding = try results[2].text(0, 0)
        var tables: [String: [String: String]] = [:]
        let columns = results[1]
        for row in 0..<columns.count {
            let table = try columns.text(row, 0)
            tables[table, default: [:]][try columns.text(row, 1)] = try columns.text(row, 2)
        }
        self.tables = tables
    }

    private static let columns = """
        SELECT c.relname::text, coalesce(a.attname::text, ''), \
        coalesce(t.typname::text, '') || coalesce(' ' || l.collname::text, '') \
        FROM pg_catalog.pg_class c \
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
        LEFT JOIN pg_catalog.pg_attribute a \
        ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped \
        LEFT JOIN pg_catalog.pg_type t ON t.oid = a.atttypid \
        LEFT JOIN pg_catalog.pg_collation l ON l.oid = a.attcollation \
        WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
        """

    /// The tables of a store: those with the columns of rows, those whose names begin as those of
    /// join tables and bookkeeping do, and those of a history.
    var tablesOfStore: [String] {
        tables.filter { name, columns in
            name.hasPrefix("z_") || Self.tablesOfHistory.contains(name)
                || ["z_pk", "z_ent", "z_opt"].allSatisfy { columns[$0] != nil }
        }.keys.sorted()
    }

    private static let tablesOfHistory: Set = ["atransaction", "achange", "atransactioncounter"]

    /// Checks that a table has the columns with their types. It may have others.
    ///
    /// - Throws: `StoreError`.
    func require(_ form: TableForm) throws(StoreError) {
        guard let columns = tables[form.name] else {
            guard let entity = form.entity else {
                throw StoreError(.incompatibleSchema("no table \(form.name)"))
            }
            throw StoreError(.missingTable(form.name, entity: entity, property: form.property))
        }
        for column in form.columns {
            guard let type = columns[column.name] else {
                guard let entity = column.entity, let property = column.property else {
                    throw StoreError(
                        .incompatibleSchema("no column \(form.name).\(column.name)"))
                }
                throw StoreError(
                    .missingColumn(
                        column.name, table: form.name, entity: entity, property: property))
            }
            guard type == column.kind.catalogType else {
                throw StoreError(
                    .incompatibleSchema(
                        """
                        the column \(form.name).\(column.name) has the type \(type) instead of \
                        \(column.kind.catalogType)
                        """))
            }
        }
    }
}

/// What a table must have.
struct TableForm {
    struct Column {
        let name: String
        let kind: SlotKind
        var entity: String?
        var property: String?
    }

    let name: String
    let columns: [Column]

    /// What the table is for; nil for bookkeeping.
    var entity: String?
    var property: String?
}

extension SlotKind {
    /// The type, with the collation of texts, as the server's catalog has it.
    fileprivate var catalogType: String {
        switch self {
        case .integer: "int8"
        case .real: "float8"
        case .text: "text C"
        case .blob: "bytea"
        }
    }
}
#endif
