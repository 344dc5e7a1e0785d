/// R*Trees of stores of Core Data that no trigger of the file keeps up to date: Core Data itself
/// did. Temporary triggers of the writer do it here, and leave the file's schema as it is (spec
/// §8.7).
struct RTreeUpkeep {
    /// The statements that make the triggers.
    private(set) var statements: [String] = []

    /// The R*Trees that nothing here can keep up to date.
    private(set) var unmaintained: [String] = []

    init(_ layout: StoreLayout, _ catalog: StoreCatalog, on connection: Connection) throws {
        for tree in catalog.rTrees {
            guard try !Self.hasTrigger(tree, on: connection) else { continue }
            if let made = try Self.triggers(of: tree, layout, catalog, on: connection) {
                statements += made
            } else {
                unmaintained.append(tree)
            }
        }
    }

    private static func hasTrigger(_ tree: String, on connection: Connection) throws -> Bool {
        let triggers = try connection.statement(
            "SELECT 1 FROM sqlite_schema WHERE type = 'trigger' AND instr(sql, ?)")
        triggers.bind(tree, at: 1)
        defer { triggers.reset() }
        return try triggers.step()
    }

    /// The columns of the tree are a key, and a least and a greatest value of each coordinate.
    private static func triggers(
        of tree: String, _ layout: StoreLayout, _ catalog: StoreCatalog, on connection: Connection
    ) throws -> [String]? {
        let candidates = layout.model.entities.filter { tree.hasPrefix("Z_RT_\($0.name)_") }
        guard let entity = candidates.max(by: { $0.name.count < $1.name.count }) else { return nil }
        let table = layout.table(of: entity)
        let columns = try connection.statement("SELECT name FROM pragma_table_info(?)")
        columns.bind(tree, at: 1)
        var names: [String] = []
        while try columns.step() { names.append(columns.value(at: 0).string) }
        let known = catalog.tables[table.uppercased()]?.columns ?? [:]
        let sources = names.dropFirst().map { known[String($0.uppercased().dropLast(4))] }
        guard ([tree] + names).allSatisfy(ModelAssembly.isName), names.count > 1,
            names.count % 2 == 1,
            names.dropFirst().allSatisfy({
                $0.uppercased().hasSuffix("_MIN") || $0.uppercased().hasSuffix("_MAX")
            }),
            !sources.contains(nil)
        else { return nil }
        let coordinates = sources.compactMap(\.self)
        let values = coordinates.map { "NEW.\($0)" }
        let numbers = layout.numbers(of: entity.familyIndexes).map(String.init)
        let insertion = """
            INSERT INTO \(tree) SELECT NEW.Z_PK, \(values.joined(separator: ", ")) WHERE \
            NEW.Z_ENT IN (\(numbers.joined(separator: ", "))) AND \
            \(values.map { "\($0) NOT NULL" }.joined(separator: " AND "));
            """
        let deletion = "DELETE FROM \(tree) WHERE \(names[0]) ="
        return [
            "CREATE TEMP TRIGGER \(tree)_I AFTER INSERT ON main.\(table) BEGIN \(insertion) END",
            "CREATE TEMP TRIGGER \(tree)_U AFTER UPDATE OF \(Set(coordinates).sorted().joined(separator: ", ")) ON main.\(table) BEGIN \(deletion) OLD.Z_PK; \(insertion) END",
            "CREATE TEMP TRIGGER \(tree)_D AFTER DELETE ON main.\(table) BEGIN \(deletion) OLD.Z_PK; END",
        ]
    }
}
