// What the statements cost, table by table.
extension MigrationScript {
    /// Those of the new model, then those that are removed.
    var costs: [MigrationCost.Table] {
        tables.map(cost) + relationships.compactMap(cost)
            + removedTables.map {
                MigrationCost.Table(
                    name: $0, source: $0, contents: contents(ofRemoved: $0), work: .removed,
                    indexCount: 0)
            }
    }

    private func cost(_ table: TableMigration) -> MigrationCost.Table {
        let family = schema.model.entities[table.root.familyIndexes]
        let work: MigrationCost.Work =
            switch table.form {
            case .created: .created
            case .kept: .kept
            case .altered: table.isFilled ? .filled : .altered
            case .rebuilt: .rebuilt
            }
        // The indexes of a new table are empty.
        let isIndexed = isChanged(table) && table.form != .created
        let indexes = isIndexed ? family.flatMap { (try? newIndexes(of: $0)) ?? [] } : []
        return MigrationCost.Table(
            name: target.table(of: table.root),
            source: table.sourceRoot.map { source.table(of: $0) },
            contents: family.filter { !$0.isAbstract }.map(\.name).sorted(), work: work,
            indexCount: indexes.count { $0.hasPrefix("CREATE ") && !$0.contains("TRIGGER") })
    }

    /// Nil if the table of an entity has the pairs, as before.
    private func cost(_ relationship: RelationshipMigration) -> MigrationCost.Table? {
        let name = relationship.join?.name
        guard let name = name ?? (relationship.isGathered ? relationship.table : nil) else {
            return nil
        }
        let former = relationship.formerJoin?.name
        let work: MigrationCost.Work =
            relationship.isGathered
            ? .gathered : former == nil ? .created : former == name ? .kept : .altered
        return MigrationCost.Table(
            name: name, source: former ?? relationship.tableOfFormerPairs,
            contents: [relationship.name], work: work, indexCount: 0)
    }

    private func contents(ofRemoved table: String) -> [String] {
        sourceRoots.filter { source.table(of: $0) == table }.flatMap { root in
            source.model.entities[root.familyIndexes].filter { !$0.isAbstract }.map(\.name)
        }.sorted()
    }
}
