#if PostgreSQL
import ObjectGraph

/// The tables of a schema, according to the server: those that statements reach, which name no
/// schema.
struct SchemaCatalog {
    /// The types of the columns by their names, by the name of the table. Columns of text have their
    /// collation behind the type.
    let tables: [String: [String: String]]

    /// By the name of the table, what it is: `r` or `p` for a table of this server, `f` for one of
    /// another server, `v` or `m` for a view.
    private let kinds: [String: String]

    /// The sets of columns that unique indexes have, by the name of the table.
    private let uniqueKeys: [String: Set<Set<String>>]

    let hasSchema: Bool

    /// Whether the server only follows another one.
    let isStandby: Bool

    /// The encoding of the database's texts.
    let encoding: String

    init(_ schema: String, on link: Link) throws {
        let results = try link.run([
            Command(
                """
                SELECT pg_catalog.has_schema_privilege(oid, 'USAGE')::int::bigint, current_user::text \
                FROM pg_catalog.pg_namespace WHERE nspname = $1
                """, [.text(schema)]),
            Command(Self.columns, [.text(schema)]),
            Command(
                """
                SELECT pg_catalog.current_setting('server_encoding'), \
                pg_catalog.pg_is_in_recovery()::int::bigint
                """),
            Command(Self.uniqueColumns, [.text(schema)]),
        ])
        hasSchema = results[0].count > 0
        if hasSchema, try results[0].integer(0, 0) == 0 {
            throw PostgreSQLError(
                .permissionDenied,
                "the role \(try results[0].text(0, 1)) has no USAGE on the schema \(schema)")
        }
        encoding = try results[2].text(0, 0)
        isStandby = try results[2].integer(0, 1) == 1
        var tables: [String: [String: String]] = [:]
        var kinds: [String: String] = [:]
        let columns = results[1]
        for row in 0..<columns.count {
            let table = try columns.text(row, 0)
            tables[table, default: [:]][try columns.text(row, 1)] = try columns.text(row, 2)
            kinds[table] = try columns.text(row, 3)
        }
        self.tables = tables
        self.kinds = kinds
        var keys: [String: [String: Set<String>]] = [:]
        let indexed = results[3]
        for row in 0..<indexed.count {
            keys[try indexed.text(row, 0), default: [:]][try indexed.text(row, 1), default: []]
                .insert(try indexed.text(row, 2))
        }
        uniqueKeys = keys.mapValues { Set($0.values) }
    }

    private static let columns = """
        SELECT c.relname::text, coalesce(a.attname::text, ''), \
        coalesce(t.typname::text, '') || coalesce(' ' || l.collname::text, ''), c.relkind::text \
        FROM pg_catalog.pg_class c \
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
        LEFT JOIN pg_catalog.pg_attribute a \
        ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped \
        LEFT JOIN pg_catalog.pg_type t ON t.oid = a.atttypid \
        LEFT JOIN pg_catalog.pg_collation l ON l.oid = a.attcollation \
        WHERE n.nspname = $1 AND pg_catalog.pg_table_is_visible(c.oid) \
        AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
        """

    func isForeign(_ table: String) -> Bool { kinds[table] == "f" }

    /// The columns of unique indexes that cover all rows.
    private static let uniqueColumns = """
        SELECT c.relname::text, i.indexrelid::text, a.attname::text \
        FROM pg_catalog.pg_index i \
        JOIN pg_catalog.pg_class c ON c.oid = i.indrelid \
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
        JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid \
        AND a.attnum = ANY ((i.indkey::int2[])[0:i.indnkeyatts - 1]) \
        WHERE n.nspname = $1 AND i.indisunique AND i.indisvalid AND i.indpred IS NULL \
        AND i.indexprs IS NULL
        """

    /// Checks that a table has the columns with their types, and the unique indexes. It may have
    /// others.
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
        // Those of a view or of another server are not seen here.
        guard ["r", "p"].contains(kinds[form.name]) else { return }
        for key in form.uniqueKeys where uniqueKeys[form.name]?.contains(Set(key)) != true {
            let columns = key.joined(separator: ", ")
            throw StoreError(
                .incompatibleSchema(
                    """
                    the table \(form.name) has no unique index on (\(columns)); run CREATE UNIQUE \
                    INDEX ON \(form.name) (\(columns)) in it
                    """))
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

    /// Sets of columns whose values no two rows share. Saves depend on them.
    var uniqueKeys: [[String]] = []

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
