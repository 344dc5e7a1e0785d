// The indexes of an entity: standard ones, those of the model, and those that enforce constraints
// (spec §1.7, §8.4).
extension SQLiteSchema {
    /// The statements that create the indexes of the entity itself, without those of ancestors.
    ///
    /// - Throws: An error if the condition of a partial index cannot be written as SQL for an
    ///   index.
    func indexes(of entity: Entity, _ layout: StoreLayout) throws -> [String] {
        let tables = tables(layout)
        var statements = tables.standardIndexes(of: entity)
        for index in entity.description.indexes {
            switch index.kind {
            case .binary: statements.append(try tables.binaryIndex(index, of: entity))
            case .rTree: statements += rTree(index, of: entity, layout)
            case .fullText:
                statements += FullTextTable(FullTextIndex(index, of: entity), layout).statements
            }
        }
        return statements + tables.uniqueIndexes(of: entity)
    }

    /// The statements that fill the new indexes of an entity from its rows, where SQLite does not.
    func contentOfIndexes(of entity: Entity, _ layout: StoreLayout) -> [String] {
        entity.description.indexes.compactMap { index in
            switch index.kind {
            case .binary: return nil
            case .rTree:
                let values = index.elements.map { column($0.property, of: entity, layout) }
                    .map { ", \($0), \($0)" }
                return
                    "INSERT INTO \(nameOfRTree(index, of: entity)) SELECT Z_PK\(values.joined()) FROM \(layout.table(of: entity)) WHERE Z_ENT IN (\(numbers(of: entity, layout)))"
            case .fullText:
                let name = FullTextTable(FullTextIndex(index, of: entity), layout).name
                return "INSERT INTO \(name) (\(name)) VALUES ('rebuild')"
            }
        }
    }

    private func nameOfRTree(_ index: FetchIndexDescription, of entity: Entity) -> String {
        "Z_RT_\(entity.name)_\(index.name)"
    }

    private func numbers(of entity: Entity, _ layout: StoreLayout) -> String {
        layout.numbers(of: entity.familyIndexes).map(String.init).joined(separator: ", ")
    }

    private func column(
        _ property: String, of entity: Entity, _ layout: StoreLayout
    ) -> String {
        layout.column(of: entity.property(at: property)!)
    }

    /// The statements for an R*Tree, which triggers keep up to date.
    private func rTree(
        _ index: FetchIndexDescription, of entity: Entity, _ layout: StoreLayout
    ) -> [String] {
        let table = layout.table(of: entity)
        let name = nameOfRTree(index, of: entity)
        let columns = index.elements.map { column($0.property, of: entity, layout) }
        let ranges = columns.map { "\($0)_MIN FLOAT, \($0)_MAX FLOAT" }.joined(separator: ", ")
        let values = columns.map { "NEW.\($0), NEW.\($0)" }.joined(separator: ", ")
        let isMember = "WHEN NEW.Z_ENT IN (\(numbers(of: entity, layout)))"
        let insertion = "INSERT OR REPLACE INTO \(name) VALUES (NEW.Z_PK, \(values))"
        return [
            "CREATE VIRTUAL TABLE \(name) USING RTREE (Z_PK INTEGER PRIMARY KEY, \(ranges))",
            "CREATE TRIGGER \(name)_INSERT AFTER INSERT ON \(table) \(isMember) BEGIN \(insertion); END",
            "CREATE TRIGGER \(name)_UPDATE AFTER UPDATE OF \(columns.joined(separator: ", ")) ON \(table) \(isMember) BEGIN \(insertion); END",
            "CREATE TRIGGER \(name)_DELETE AFTER DELETE ON \(table) BEGIN DELETE FROM \(name) WHERE Z_PK = OLD.Z_PK; END",
        ]
    }
}
