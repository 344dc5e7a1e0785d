import Foundation

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

// MARK: - As text

extension MigrationCost: CustomStringConvertible {
    /// What the time depends on, and a line for each table that changes, the most expensive ones
    /// first.
    public var description: String {
        let changed = changedTables
        let growing = tables.filter(\.growsWithRows).map(\.name)
        let head =
            growing.isEmpty
            ? "No row is read or written: the time is the same however many there are."
            : "The time grows with the rows of \(growing.joined(separator: ", "))."
        guard !changed.isEmpty else { return head + keptSentence }
        let rows =
            [["table", "what", "work"]]
            + changed.map { [$0.name, $0.contents.joined(separator: ", "), $0.description] }
        let widths = (0..<2).map { column in rows.map { $0[column].count }.max() ?? 0 }
        let lines = rows.map { row in
            zip(row, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }
                .joined(separator: "  ") + "  " + row[2]
        }
        return "\(head)\(keptSentence)\n\n\(lines.joined(separator: "\n"))"
    }

    /// The tables that do not stay as they are, the most expensive ones first.
    public var changedTables: [Table] {
        tables.filter { $0.work != .kept }.sorted { ($1.work, $0.name) < ($0.work, $1.name) }
    }

    /// A sentence about the tables that stay as they are; empty without any.
    public var keptSentence: String {
        let count = tables.count { $0.work == .kept }
        return count == 0
            ? "" : " \(count) \(count == 1 ? "table stays" : "tables stay") as before."
    }
}

extension MigrationCost.Table: CustomStringConvertible {
    /// What becomes of the table, without its name.
    public var description: String {
        let text =
            switch work {
            case .kept: "kept"
            case .created: "new"
            case .removed: "removed, with its rows"
            case .altered: "altered, no row is touched"
            case .filled: "altered, rows get values"
            case .rebuilt: "rebuilt, every row is copied"
            case .gathered: "pairs are sorted and stored anew"
            }
        guard indexCount > 0 else { return text }
        return "\(text); \(indexCount) \(indexCount == 1 ? "index is" : "indexes are") made again"
    }
}
