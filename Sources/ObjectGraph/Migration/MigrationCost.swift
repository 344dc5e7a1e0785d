/// What an inferred migration does to the tables of a SQLite store, and thus which rows it costs
/// (spec §9.2).
public struct MigrationCost: Sendable, Hashable {
    /// What becomes of a table, the cheapest first.
    public enum Work: Int, Sendable, Hashable, Comparable {
        /// Nothing.
        case kept
        /// It is new and empty.
        case created
        /// It is dropped. Its pages are overwritten only if the database deletes securely.
        case removed
        /// Names change or columns are added, without reading a row.
        case altered
        /// The same, and a statement sets values in rows.
        case filled
        /// Rows are copied to a new table.
        case rebuilt
        /// The pairs of a relationship are sorted and stored in another form.
        case gathered

        public static func < (first: Self, second: Self) -> Bool {
            first.rawValue < second.rawValue
        }
    }

    /// A table of entities, or the pairs of one relationship.
    public struct Table: Sendable, Hashable {
        /// The table of the new model, or the one that is removed. For pairs that are gathered, the
        /// table that has them afterwards.
        public let name: String

        /// The table of the rows; nil if it is new.
        public let source: String?

        /// The names of the entities, of the new model unless the table is removed, or of the
        /// relationship as `Entity.relationship`.
        public let contents: [String]
        public let work: Work

        /// How many indexes are made again. Each reads and sorts all rows.
        public let indexCount: Int

        /// Whether the time grows with the number of rows.
        public var growsWithRows: Bool { work >= .filled || indexCount > 0 && source != nil }
    }

    /// Those of the new model, then those that are removed.
    public let tables: [Table]

    /// What a migration in place costs that follows from names and renaming identifiers.
    ///
    /// The tables are named as in a store that was made with the model. Reads no file.
    ///
    /// - Parameters:
    ///   - source: The model of the rows.
    ///   - destination: The model that the rows shall have.
    /// - Throws: `MigrationError` with `notInferable`.
    public init(
        from source: ManagedObjectModel, to destination: ManagedObjectModel
    ) throws(MigrationError) {
        let correspondence = try ModelCorrespondence(from: source, to: destination)
        let layout = StoreLayout(source, storeIdentifier: "")
        let target = StoreLayout(
            destination, numbers: MigrationScript.numbers(correspondence, from: layout),
            storeIdentifier: "")
        let names = Set(source.entities.map(\.name))
        let script = MigrationScript(
            correspondence, from: layout, holding: names, to: target,
            SQLiteSchema(model: destination, entityNames: Set(destination.entities.map(\.name))),
            deferred: nil, SchemaObjects(SQLiteSchema(model: source, entityNames: names), layout))
        tables = script.costs
    }

    /// Whether the time is the same however many rows there are.
    public var isIndependentOfRows: Bool { !tables.contains(where: \.growsWithRows) }
}
