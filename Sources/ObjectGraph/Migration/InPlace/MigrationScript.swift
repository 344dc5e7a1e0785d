/// The statements that turn a store of one model into a store of another, in its own file
/// (spec §9.2).
///
/// They run in one transaction. Rows, their keys and the numbers of entities stay, so that the
/// identifiers of objects remain valid. Tables and columns get the names that those of a new store
/// have.
struct MigrationScript {
    private let correspondence: ModelCorrespondence
    let source: StoreLayout
    let target: StoreLayout
    let schema: SQLiteSchema
    let sourceRoots: [Entity]
    let tables: [TableMigration]
    let relationships: [RelationshipMigration]

    /// What the file has besides tables.
    private let file: SchemaObjects

    /// The beginning of the names of removed tables that are dropped later; nil if they are dropped
    /// at once.
    private let deferred: String?

    /// - Parameters:
    ///   - source: The layout of the store.
    ///   - sourceNames: The entities that it holds.
    ///   - target: The layout that it shall have.
    ///   - schema: The schema of the new model.
    ///   - deferred: An unused name, with which the names of removed tables and columns begin that
    ///     are dropped later; nil drops them at once.
    ///   - file: What the file has besides tables.
    init(
        _ correspondence: ModelCorrespondence, from source: StoreLayout,
        holding sourceNames: Set<String>, to target: StoreLayout, _ schema: SQLiteSchema,
        deferred: String?, _ file: SchemaObjects
    ) {
        let sourceRoots = source.model.rootEntities.filter { root in
            source.model.entities[root.familyIndexes].contains { sourceNames.contains($0.name) }
        }
        let storedRoots = Set(sourceRoots.map(\.index))
        func isStored(_ entity: Entity) -> Bool { storedRoots.contains(entity.rootIndex) }
        self.correspondence = correspondence
        self.source = source
        self.target = target
        self.schema = schema
        self.file = file
        self.deferred = deferred
        self.sourceRoots = sourceRoots
        tables = schema.roots.map { root in
            let members = schema.model.entities[root.familyIndexes].compactMap { entity in
                correspondence.source(of: entity).flatMap { isStored($0) ? (entity, $0) : nil }
            }
            return TableMigration(
                root, members: members, columns: schema.tables(target).columns(of: root),
                correspondence,
                from: source, to: target, deferred: deferred, file)
        }
        relationships = schema.entities.flatMap { entity in
            entity.properties.compactMap { property in
                guard property.declaringEntityIndex == entity.index,
                    let relationship = property.relationship
                else { return nil }
                switch relationship.storage {
                case .inverseForeignKey: return nil
                case .joinTable(let end) where !end.isOwner: return nil
                case .foreignKey, .joinTable:
                    return RelationshipMigration(
                        property, of: entity, correspondence, from: source, to: target,
                        isStored: isStored)
                }
            }
        }
    }

    /// The new numbers of entities: those of the old ones, and the next ones for those added.
    static func numbers(
        _ correspondence: ModelCorrespondence, from source: StoreLayout, _ catalog: StoreCatalog
    ) -> [Int64] {
        var last = catalog.lastEntityNumber
        return correspondence.destination.entities.map { entity in
            if let old = correspondence.source(of: entity), catalog.entry(for: old) != nil {
                return source.number(of: old)
            }
            last += 1
            return last
        }
    }

    /// The same for a store whose entities have the numbers of a new one.
    static func numbers(_ correspondence: ModelCorrespondence, from source: StoreLayout) -> [Int64]
    {
        var last = source.model.entities.map { source.number(of: $0) }.max() ?? 0
        return correspondence.destination.entities.map { entity in
            if let old = correspondence.source(of: entity) { return source.number(of: old) }
            last += 1
            return last
        }
    }

    /// The relationships without an inverse that keep the join table that they have. It may have an
    /// object with several owners, which a row cannot.
    static func joinTables(
        _ correspondence: ModelCorrespondence, from source: StoreLayout
    ) -> Set<UInt32> {
        var kept: Set<UInt32> = []
        for entity in correspondence.destination.entities {
            for property in entity.properties where property.relationship?.inverseIndex == nil {
                guard
                    let former = correspondence.source(of: property, in: entity),
                    case .joinTable(let end)? = former.relationship?.storage,
                    !source.joinTable(end).isInRows
                else { continue }
                kept.insert(property.identifier)
            }
        }
        return kept
    }

    /// The statements in their order, without those for objects of others.
    func statements() throws -> [String] {
        var statements = try file.removals(
            tables: changedTables, virtualTables: virtualTables, keeping: keptIndexes)
        statements += relationships.flatMap(\.preparations)
        statements += removedTables.enumerated().map { position, table in
            deferred.map { "ALTER TABLE \(table) RENAME TO \($0)_\(position)" }
                ?? "DROP TABLE \(table)"
        }
        let aside = movedRoots.map { (TableMigration.aside($0), source.table(of: $0)) }
        statements += aside.map { "ALTER TABLE \($1) RENAME TO \($0)" }
        for table in tables {
            statements += table.statements(
                creation: schema.tables(target).table(
                    of: table.root, besides: table.foreignColumns))
        }
        let divided = Set(tables.filter(\.isDivided).map(\.root.index))
        statements += relationships.flatMap {
            $0.statements(schema.tables(target), without: divided)
        }
        let rebuilt = tables.filter { $0.form == .rebuilt }.compactMap(\.aside)
        statements += aside.map(\.0).filter(rebuilt.contains).map { "DROP TABLE \($0)" }
        statements += relationships.flatMap(\.cleanUp)
        statements += try additions
        return statements + bookkeeping
    }

    /// The old tables whose rows are copied, and the columns whose values go on.
    var copiedTables: [(table: String, columns: [String])] {
        tables.filter { $0.form == .rebuilt }.map {
            (source.table(of: $0.sourceRoot!), $0.copiedColumns)
        }
    }

    /// The triggers and views of others, and their indexes on tables that are made again.
    var foreignObjects: [SchemaObjects.Object] {
        file.foreign(indexesOf: copiedTables.map(\.table) + removedTables)
    }

    /// The roots of the old tables that get another name while the new ones are made.
    private var movedRoots: [Entity] {
        var moved: [Entity] = []
        for table in tables where table.aside != nil {
            let root = table.sourceRoot!
            if !moved.contains(where: { $0 === root }) { moved.append(root) }
        }
        return moved
    }

    /// Whether columns or tables are left to be dropped later.
    var defersCleanUp: Bool {
        deferred != nil && (!removedTables.isEmpty || tables.contains(where: \.defersCleanUp))
    }

    // MARK: - What is removed

    /// Whether the indexes and triggers of a table are made again.
    func isChanged(_ table: TableMigration) -> Bool {
        table.form != .kept
            || table.members.contains { entity, source in
                entity.versionHash != source.versionHash
                    || entity.description.indexes != source.description.indexes
            }
    }

    /// The old tables that lose their indexes and triggers, before they change or are dropped.
    private var changedTables: [String] {
        let kept = tables.filter { !isChanged($0) }.map { target.table(of: $0.root) }
        let entities = sourceRoots.map { source.table(of: $0) }.filter { !kept.contains($0) }
        let joins = relationships.compactMap { relationship in
            relationship.formerJoin.flatMap { $0 == relationship.join ? nil : $0.name }
        }
        return entities + joins
    }

    /// The statements that made the indexes that stay with their tables: the same ones would be made
    /// again, of columns that stay where they are. Making an index reads all rows.
    private var keptIndexes: Set<String> {
        get throws {
            let entities = tables.filter(\.keepsNames).flatMap {
                schema.model.entities[$0.root.familyIndexes]
            }
            return Set(
                try entities.flatMap { try schema.indexes(of: $0, target) }
                    .filter(file.hasIndex))
        }
    }

    /// The names of the R*Trees and full-text indexes of the old tables.
    private var virtualTables: [String] {
        sourceRoots.flatMap { source.model.entities[$0.familyIndexes] }.flatMap { entity in
            let changed = changedTables.contains(source.table(of: entity))
            return entity.description.indexes.filter { changed && $0.kind != .binary }.map {
                "\($0.kind == .rTree ? "Z_RT" : "Z_FT")_\(entity.name)_\($0.name)"
            }
        }
    }

    /// The old tables, by their old names, that nothing of the new model has become.
    var removedTables: [String] {
        let used = Set(tables.compactMap { $0.sourceRoot?.index })
        let entities = sourceRoots.filter { !used.contains($0.index) }.map { source.table(of: $0) }
        let goOn = Set(relationships.compactMap { $0.formerJoin?.name })
        var joins: [String] = []
        for root in sourceRoots {
            for property in source.model.entities[root.familyIndexes].flatMap(\.properties) {
                guard case .joinTable(let end) = property.relationship?.storage, end.isOwner
                else { continue }
                let join = source.joinTable(end)
                let name = join.name
                if !join.isInRows, !goOn.contains(name), !joins.contains(name) {
                    joins.append(name)
                }
            }
        }
        return entities + joins
    }

    // MARK: - What is added

    /// The indexes and triggers, with their content, and the values of derived attributes.
    private var additions: [String] {
        get throws {
            var statements: [String] = []
            for table in tables where isChanged(table) {
                for entity in schema.model.entities[table.root.familyIndexes] {
                    statements += try newIndexes(of: entity)
                    statements += schema.contentOfIndexes(of: entity, target)
                }
            }
            for (attribute, entity) in try schema.derivedAttributes() {
                let triggers = DerivedTriggers(attribute, of: entity, target)
                if !isComputed(attribute, of: entity) {
                    statements += [triggers.computation, triggers.check].compactMap(\.self)
                }
                statements += triggers.statements
            }
            return statements
        }
    }

    /// The statements that make the indexes of an entity whose table has changed, but for those that
    /// stay.
    func newIndexes(of entity: Entity) throws -> [String] {
        let kept = try keptIndexes
        return try schema.indexes(of: entity, target).filter { !kept.contains($0) }
    }

    /// Whether the rows have the values of a derived attribute already.
    private func isComputed(_ attribute: Property, of entity: Entity) -> Bool {
        guard !tables.contains(where: \.isDivided), !relationships.contains(where: \.isGathered)
        else { return false }
        return schema.model.entities[entity.familyIndexes].allSatisfy { member in
            guard correspondence.source(of: member) != nil else { return true }
            let former = correspondence.source(of: attribute, in: member)
            return former?.derivation == attribute.derivation
                && former?.attributeType == attribute.attributeType
        }
    }

    /// The changes of `Z_PRIMARYKEY`. The row of a root has the last key of its table.
    private var bookkeeping: [String] {
        var statements: [String] = []
        for table in tables {
            let last = table.sourceRoot.map {
                "(SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(source.number(of: $0)))"
            }
            for entity in schema.model.entities[table.root.familyIndexes] {
                let number = target.number(of: entity)
                let parent = entity.superentityIndex.map {
                    target.number(of: schema.model.entities[$0])
                }
                let key = entity === table.root ? last : nil
                statements.append(
                    table.members.contains { $0.entity === entity }
                        ? "UPDATE Z_PRIMARYKEY SET Z_NAME = '\(entity.name)', Z_SUPER = \(parent ?? 0)\(key.map { ", Z_MAX = \($0)" } ?? "") WHERE Z_ENT = \(number)"
                        : "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (\(number), '\(entity.name)', \(parent ?? 0), \(key ?? "0"))"
                )
            }
        }
        let kept = tables.flatMap { $0.members.map { target.number(of: $0.entity) } }
        let removed = sourceRoots.flatMap { source.model.entities[$0.familyIndexes] }
            .map { source.number(of: $0) }.filter { !kept.contains($0) }
        if !removed.isEmpty {
            statements.append(
                "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT IN (\(removed.map(String.init).joined(separator: ", ")))"
            )
        }
        return statements
    }

    func history(isOfCoreData: Bool) -> HistoryMigration {
        let removed = sourceRoots.flatMap { source.model.entities[$0.familyIndexes] }
            .filter { correspondence.destination(of: $0) == nil }.map { source.number(of: $0) }
        return HistoryMigration(
            tables.flatMap(\.members).map { ($0.entity, $0.source) }, correspondence,
            from: source, to: target, removed: removed, isOfCoreData: isOfCoreData)
    }

    /// The uniqueness constraint that a statement begins to enforce; nil for other statements.
    func constraint(of statement: String) -> (entity: String, attributes: [String])? {
        for entity in schema.entities {
            for constraint in entity.description.uniquenessConstraints {
                let name = StoreTables.nameOfIndex(constraint, of: entity)
                if statement.hasPrefix("CREATE UNIQUE INDEX \(name) ") {
                    return (entity.name, constraint)
                }
            }
        }
        return nil
    }

    /// The derived attribute whose values a statement computes; nil for other statements.
    func derivedAttribute(of statement: String) throws -> (attribute: Property, entity: Entity)? {
        try schema.derivedAttributes().first {
            DerivedTriggers($0, of: $1, target).computation == statement
        }
    }
}
