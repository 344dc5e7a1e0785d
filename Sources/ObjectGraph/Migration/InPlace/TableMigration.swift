/// What becomes of the table of one root entity (spec §9.2).
///
/// A table whose rows can stay where they are is altered, which SQLite does without reading them.
/// Any other is made again from the old one by a single statement.
struct TableMigration {
    enum Form {
        /// There was none.
        case created
        /// Nothing changes.
        case kept
        /// Names change or columns are added.
        case altered
        /// The rows are copied.
        case rebuilt
    }

    /// An entity with rows in the table, and the one that it was.
    typealias Member = (entity: Entity, source: Entity)

    let root: Entity

    /// The root of the old table; nil if there was none.
    let sourceRoot: Entity?
    let form: Form
    let members: [Member]

    /// Whether the old table also has rows for other tables, or for none.
    let isDivided: Bool

    /// The old columns that stay until they are dropped later.
    private let leftColumns: [String]

    /// The beginning of the names that these have until then.
    private let deferred: String?
    private let columns: [Column]

    /// The columns of a copied table that no model knows. They go on with their values.
    let foreignColumns: [(name: String, type: String)]
    private let source: StoreLayout
    private let target: StoreLayout

    /// A column of the new table, and its values by member.
    private struct Column {
        let name: String
        let type: String
        let values: [Value]

        /// The old column; nil if the values are in none or in several.
        var former: String? {
            let columns = Set(values.compactMap(\.column))
            return columns.count == 1 ? columns.first : nil
        }
    }

    /// - Parameters:
    ///   - members: The entities of the family that have rows.
    ///   - columns: The columns of the new table.
    ///   - deferred: The beginning of names for removed columns, which are dropped later; nil drops
    ///     them at once.
    ///   - file: What the file has besides what models describe.
    init(
        _ root: Entity, members: [Member], columns: [(name: String, type: String)],
        _ correspondence: ModelCorrespondence,
        from source: StoreLayout, to target: StoreLayout, deferred: String?, _ file: SchemaObjects
    ) {
        let columns = columns.map { column in
            Column(
                name: column.name, type: column.type,
                values: members.map {
                    Value(
                        ofOwner: column.name, of: $0, correspondence, from: source, to: target)
                        ?? Value(column.name, of: $0, correspondence, from: source, to: target)
                })
        }
        self.root = root
        self.members = members
        self.columns = columns
        self.source = source
        self.target = target
        sourceRoot = members.first.map { source.model.entities[$0.source.rootIndex] }
        isDivided = sourceRoot.map { $0.familyIndexes.count > members.count } ?? false
        self.deferred = deferred
        guard let sourceRoot else {
            leftColumns = []
            form = .created
            foreignColumns = []
            return
        }
        let table = source.table(of: sourceRoot)
        let family = source.model.entities[sourceRoot.familyIndexes]
        let unknown = file.columns(
            of: table,
            besides: family.flatMap { source.columns(of: $0) }
                + source.namesOfOwnerColumns(of: sourceRoot))
        let newNames = Set(columns.map { $0.name.uppercased() })
        foreignColumns = unknown.filter { !newNames.contains($0.name.uppercased()) }
            .map { (SchemaObjects.quoted($0.name), $0.type) }
        let left =
            isDivided ? nil : Self.leftColumns(columns, members, of: sourceRoot, source)
        leftColumns = left ?? []
        let canStay = left.map { $0.isEmpty || deferred != nil } ?? false
        let isEqual =
            table == target.table(of: root) && leftColumns.isEmpty
            && columns.allSatisfy { column in
                column.values.allSatisfy { $0 == .column(column.name) || $0 == .none }
                    && column.former == column.name
            }
        // An alteration would leave constraints of the table as they are, and columns that nobody
        // knows in the place of new ones.
        let isOtherwise = !isEqual || members.contains { $0.versionHash != $1.versionHash }
        let mustGo =
            file.isConstrained(table) && isOtherwise || foreignColumns.count < unknown.count
            || !leftColumns.isEmpty && file.hasForeignIndex(on: table)
        form = !canStay || mustGo ? .rebuilt : isEqual ? .kept : .altered
    }

    /// The old columns that become none of the new ones; nil if one of the others becomes more than
    /// one, or not for all rows.
    private static func leftColumns(
        _ columns: [Column], _ members: [Member], of sourceRoot: Entity, _ source: StoreLayout
    ) -> [String]? {
        var used: Set<String> = []
        for column in columns {
            let formers = Set(column.values.compactMap(\.column))
            guard formers.count <= 1, !column.values.contains(where: \.isConverted) else {
                return nil
            }
            guard let former = formers.first else { continue }
            // A row of another entity may have a value there that is not to be kept.
            let isElsewhere = zip(members, column.values).contains { member, value in
                value.column == nil
                    && (source.columns(of: member.source).contains(former)
                        || source.namesOfOwnerColumns(of: sourceRoot).contains(former))
            }
            guard !isElsewhere, used.insert(former).inserted else { return nil }
        }
        let family = source.model.entities[sourceRoot.familyIndexes]
        return Set(
            family.flatMap { source.columns(of: $0) } + source.namesOfOwnerColumns(of: sourceRoot)
        ).subtracting(used).sorted()
    }

    /// Whether columns are left to be dropped later.
    var defersCleanUp: Bool { form == .altered && !leftColumns.isEmpty }

    // MARK: - Statements

    /// The name of the old table while the new ones are made; nil if there is none to rename.
    var aside: String? {
        guard let sourceRoot, form != .kept else { return nil }
        return form == .altered && source.table(of: sourceRoot) == target.table(of: root)
            ? nil : Self.aside(sourceRoot)
    }

    /// The columns of the old table whose values are copied as they are.
    var copiedColumns: [String] {
        Set(columns.flatMap(\.values).compactMap(\.column)).sorted() + foreignColumns.map(\.name)
    }

    static func aside(_ sourceRoot: Entity) -> String { "Z_OLD_\(sourceRoot.index)" }

    /// The statements that make the table from the old one, which then has its name of aside.
    ///
    /// - Parameter creation: The statement that creates the table.
    func statements(creation: String) -> [String] {
        switch form {
        case .kept: []
        case .created: [creation]
        case .rebuilt: [creation, copy]
        case .altered: alterations
        }
    }

    /// Whether the table and its old columns have the same names as before.
    var keepsNames: Bool {
        form == .kept
            || form == .altered && aside == nil
                && columns.allSatisfy { $0.former == nil || $0.former == $0.name }
    }

    /// Whether a statement sets values in rows of a table that is altered.
    var isFilled: Bool { form == .altered && !filled.isEmpty }

    /// The columns whose values are not those of an old column everywhere.
    private var filled: [Column] {
        columns.filter { $0.values.contains { $0.literal != nil } }
    }

    private var copy: String {
        let table = Self.aside(sourceRoot!)
        let same = ["Z_PK", "Z_ENT", "Z_OPT"]
        let others = foreignColumns.map(\.name)
        let list = (same + columns.map(\.name) + others).joined(separator: ", ")
        let values = columns.map { $0.values.isEmpty ? "NULL" : byEntity($0.values.map(\.sql)) }
        let selected = (same + values + others).joined(separator: ", ")
        let condition = isDivided ? " WHERE Z_ENT IN (\(numbers))" : ""
        return
            "INSERT INTO \(target.table(of: root)) (\(list)) SELECT \(selected) FROM \(table)\(condition)"
    }

    private var numbers: String {
        members.map { String(source.number(of: $0.source)) }.joined(separator: ", ")
    }

    private var alterations: [String] {
        let table = target.table(of: root)
        var statements = aside.map { ["ALTER TABLE \($0) RENAME TO \(table)"] } ?? []
        if let deferred {
            statements += leftColumns.enumerated().map {
                "ALTER TABLE \(table) RENAME COLUMN \($1) TO \(deferred)_\($0)"
            }
        }
        let renamed = columns.compactMap { column in
            column.former.flatMap { $0 == column.name ? nil : (from: $0, to: column.name) }
        }
        // Two columns may exchange their names.
        for (place, names) in renamed.enumerated() {
            statements.append("ALTER TABLE \(table) RENAME COLUMN \(names.from) TO Z_OLD_\(place)")
        }
        for (place, names) in renamed.enumerated() {
            statements.append("ALTER TABLE \(table) RENAME COLUMN Z_OLD_\(place) TO \(names.to)")
        }
        for column in columns where column.former == nil {
            statements.append("ALTER TABLE \(table) ADD COLUMN \(column.name) \(column.type)")
        }
        guard !filled.isEmpty else { return statements }
        let changes = filled.map { column in
            "\(column.name) = IFNULL(\(column.name), \(byEntity(column.values.map { $0.literal ?? "NULL" })))"
        }
        // New columns are NULL in every row.
        let isPartial = filled.allSatisfy { $0.former != nil }
        let rows = filled.map { "\($0.name) IS NULL" }.joined(separator: " OR ")
        statements.append(
            "UPDATE \(table) SET \(changes.joined(separator: ", "))\(isPartial ? " WHERE \(rows)" : "")"
        )
        return statements
    }

    /// SQL for a value that may differ by entity.
    private func byEntity(_ values: [String]) -> String {
        guard Set(values).count > 1 else { return values[0] }
        let cases = zip(members, values).filter { $1 != "NULL" }.map {
            " WHEN \(source.number(of: $0.source)) THEN \($1)"
        }
        return "CASE Z_ENT\(cases.joined()) END"
    }
}

extension ModelCorrespondence {
    /// The join table that a relationship had, as its owner sees it; nil if it had none.
    fileprivate func formerJoin(
        of property: Property, _ owner: Entity, in source: StoreLayout
    ) -> JoinTable? {
        guard
            case .joinTable(let end)? = self.source(of: property, in: owner)?.relationship?.storage
        else { return nil }
        return source.joinTable(end)
    }
}

/// The origin of a column's values in the rows of one entity.
private enum Value: Hashable {
    /// They are NULL, for now or for good.
    case none
    /// An old column has them.
    case column(String)
    /// All are the default value, as a literal.
    case constant(String)
    /// The same where the old column has none.
    case filled(String, String)
    /// An expression has them.
    case converted(String)

    /// Those of a column with the owner in a relationship without an inverse, or with the place
    /// there; nil for other columns.
    init?(
        ofOwner column: String, of member: TableMigration.Member,
        _ correspondence: ModelCorrespondence, from source: StoreLayout, to target: StoreLayout
    ) {
        let root = target.model.entities[member.entity.rootIndex]
        guard
            let columns = target.ownerColumns(of: root).first(where: {
                $0.join.columnsInRows.contains(column)
            })
        else { return nil }
        let former = correspondence.formerJoin(of: columns.property, columns.owner, in: source)
        guard let former, former.isInRows, former.name == source.table(of: member.source) else {
            self = .none
            return
        }
        let isPlace = column == columns.join.placeColumn
        self = (isPlace ? former.placeColumn : former.sourceColumn).map { .column($0) } ?? .none
    }

    init(
        _ column: String, of member: TableMigration.Member, _ correspondence: ModelCorrespondence,
        from source: StoreLayout, to target: StoreLayout
    ) {
        let (entity, old) = member
        guard let slot = target.columns(of: entity).firstIndex(of: column),
            let property = entity.properties.first(where: {
                $0.slot == slot || $0.entitySlot == slot
            })
        else {
            self = .none
            return
        }
        let literal =
            property.derivation == nil
            ? property.defaultValue.map {
                let literal = target.dialect.literal(SQLBinding($0))
                return target.isMarked(slot, of: entity) ? ExternalData.inline(literal) : literal
            }
            : nil
        guard let former = correspondence.source(of: property, in: entity),
            let formerSlot = former.slot
        else {
            let isRelationship = property.relationship != nil
            self = isRelationship ? .none : literal.map { .constant($0) } ?? .none
            return
        }
        if property.relationship != nil {
            let formerSlot = slot == property.slot ? formerSlot : former.entitySlot
            self = formerSlot.map { .column(source.column($0, of: old)) } ?? .none
        } else if let derivation = property.derivation,
            derivation != former.derivation || property.attributeType != former.attributeType
        {
            // The store computes it.
            self = .none
        } else {
            let name = source.column(formerSlot, of: old)
            if source.isMarked(formerSlot, of: old) != target.isMarked(slot, of: entity) {
                let value = source.reading(name, formerSlot, of: old)
                let isMarked = target.isMarked(slot, of: entity)
                self = .converted(isMarked ? ExternalData.inline(value) : value)
            } else if !property.isOptional, former.isOptional, let literal {
                self = .filled(name, literal)
            } else {
                self = .column(name)
            }
        }
    }

    var column: String? {
        switch self {
        case .column(let name), .filled(let name, _): name
        default: nil
        }
    }

    var literal: String? {
        switch self {
        case .constant(let literal), .filled(_, let literal): literal
        default: nil
        }
    }

    var isConverted: Bool { if case .converted = self { true } else { false } }

    var sql: String {
        switch self {
        case .none: "NULL"
        case .column(let sql), .constant(let sql), .converted(let sql): sql
        case .filled(let column, let literal): "IFNULL(\(column), \(literal))"
        }
    }
}
