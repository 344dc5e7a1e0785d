import Foundation
import Measuring
import ObjectGraph

/// What a store holds, counted with plain SQL: the source of the plan, and of what is said about
/// the data on the first screen.
struct StoreSurvey: Sendable {
    /// Those with rows, the largest first.
    private(set) var entities: [Entity] = []
    /// Those with links, the one with the most first.
    private(set) var relationships: [Relationship] = []
    /// The names of entities that could have rows and have none, sorted.
    private(set) var emptyEntities: [String] = []
    /// What cannot be measured, because plain SQL could not check the answer.
    private(set) var unnamed: [String] = []
    /// The attributes that have values in files that are not there, and the number of these values.
    private(set) var filesMissing: [PropertyPath: Int] = [:]
    /// Whether the store has the tables of a history.
    let hasHistory: Bool
    let byteCount: Int
    let pageSize: Int

    var rowCount: Int { entities.map(\.rowCount).reduce(0, +) }

    struct Entity: Sendable {
        var name: String
        /// Rows of exactly this entity.
        var rowCount: Int
        /// Those with a column of a certain name.
        var attributes: [Attribute]
        /// Whether an index forbids equal rows.
        var hasUniqueIndex: Bool
    }

    struct Attribute: Sendable {
        var path: PropertyPath
        var type: AttributeType
        /// Rows with a value; the others are nil.
        var valueCount: Int
        /// Whether an index of the store begins with it: of the model, of a constraint or of one's own.
        var isIndexed: Bool
        /// Whether an index that has it forbids equal rows.
        var isUnique: Bool
    }

    struct Relationship: Sendable {
        /// With the entity that declares it.
        var path: PropertyPath
        var destination: String
        var isToMany: Bool
        /// Rows that may have links: the entity's and its descendants'.
        var sourceCount: Int
        /// Rows that have any.
        var linkedCount: Int
        var linkCount: Int
        /// Different rows at the other end.
        var targetCount: Int
        /// The most links of one row.
        var greatestFanOut: Int

        /// About the statements that prefetching saves. Without it, a to-many relationship takes one
        /// for each row, and a to-one relationship one for each different row at its other end.
        var statementsSaved: Int { isToMany ? sourceCount : targetCount }
    }

    /// - Parameter externalFiles: the folder of large values that are in files of their own.
    /// - Throws: ``StoreReaderError``.
    init(
        _ store: StoreReader, _ model: ManagedObjectModel, _ names: ShownNames, externalFiles: URL
    ) throws {
        let tables = try StoreTables(store, model)
        hasHistory = tables.haveHistory
        pageSize = try store.integer("PRAGMA page_size")
        byteCount = try store.integer("PRAGMA page_count") * pageSize
        let all = model.entitiesByName.values.sorted { $0.name < $1.name }
        for entity in all where !entity.isAbstract {
            guard let table = tables.table(of: entity.name),
                let number = tables.number(of: entity.name)
            else {
                unnamed.append(names.entity(entity.name))
                continue
            }
            let attributes = entity.attributesByName.values
                .filter { !$0.isTransient && $0.type != .composite }
                .sorted { $0.name < $1.name }
            let columns = attributes.map {
                tables.column(of: PropertyPath(entity: entity.name, property: $0.name))
            }
            let values = columns.map { column in column.map { "COUNT(\($0))" } ?? "0" }
            let counts = try store.integers(
                "SELECT \((["COUNT(*)"] + values).joined(separator: ", ")) "
                    + "FROM \(table) WHERE Z_ENT = \(number)")
            guard counts[0] > 0 else {
                emptyEntities.append(names.entity(entity.name))
                continue
            }
            let unique = tables.uniqueColumns(of: entity.name)
            let indexed = tables.indexedColumns(of: entity.name)
            for (attribute, column) in zip(attributes, columns) where attribute.isExternal {
                guard let column else { continue }
                let missing = try store.missingFiles(of: column, in: table, number, externalFiles)
                guard missing > 0 else { continue }
                filesMissing[PropertyPath(entity: entity.name, property: attribute.name)] = missing
            }
            entities.append(
                Entity(
                    name: entity.name, rowCount: counts[0],
                    attributes: zip(attributes, zip(columns, counts.dropFirst())).compactMap {
                        attribute, found in
                        guard let column = found.0 else { return nil }
                        return Attribute(
                            path: PropertyPath(entity: entity.name, property: attribute.name),
                            type: attribute.type, valueCount: found.1,
                            isIndexed: indexed.contains(column),
                            isUnique: unique.contains(column))
                    }, hasUniqueIndex: !unique.isEmpty))
        }
        entities.sort { ($1.rowCount, $0.name) < ($0.rowCount, $1.name) }
        for entity in all {
            for relationship in entity.relationships {
                try survey(relationship, of: entity.name, store, tables, names)
            }
        }
        relationships.sort {
            ($1.linkCount, $0.path.entity, $0.path.property)
                < ($0.linkCount, $1.path.entity, $1.path.property)
        }
    }

    private mutating func survey(
        _ relationship: RelationshipDescription, of entity: String, _ store: StoreReader,
        _ tables: StoreTables, _ names: ShownNames
    ) throws {
        let path = PropertyPath(entity: entity, property: relationship.name)
        guard let table = tables.table(of: entity), let links = tables.links(of: path) else {
            unnamed.append(names.path(path))
            return
        }
        let counts = try store.integers(
            """
            SELECT COUNT(*), COALESCE(SUM(n), 0), COALESCE(MAX(n), 0),
                (SELECT COUNT(DISTINCT target) FROM (\(links))),
                (SELECT COUNT(*) FROM \(table) WHERE Z_ENT IN \(tables.family(of: entity)))
            FROM (SELECT COUNT(*) AS n FROM (\(links)) GROUP BY source)
            """)
        guard counts[1] > 0 else { return }
        relationships.append(
            Relationship(
                path: path, destination: relationship.destination,
                isToMany: relationship.isToMany, sourceCount: counts[4], linkedCount: counts[0],
                linkCount: counts[1], targetCount: counts[3], greatestFanOut: counts[2]))
    }
}

extension AttributeDescription {
    /// Whether values may be in files of their own.
    fileprivate var isExternal: Bool { type == .binaryData && allowsExternalStorage }
}

extension StoreReader {
    /// The values of a column whose files are missing. Such a value is a 2, the file's name of 36
    /// characters, and a 0.
    fileprivate func missingFiles(
        of column: String, in table: String, _ number: Int, _ folder: URL
    ) throws -> Int {
        let names = try text(
            """
            SELECT group_concat(CAST(substr(\(column), 2, 36) AS TEXT), char(10)) FROM \(table)
            WHERE Z_ENT = \(number) AND length(\(column)) = 38 AND substr(\(column), 1, 1) = x'02'
            """)
        return names.split(separator: "\n").count { name in
            let file = folder.appendingPathComponent(String(name))
            return !FileManager.default.fileExists(atPath: file.path)
        }
    }
}

// MARK: - For readers

extension StoreSurvey {
    /// The fact that the store has a history.

    /// The name of the fact that files of the attribute's values are missing.
    static func filesFact(of path: PropertyPath) -> String {
        "files missing of \(path.entity).\(path.property)"
    }

    /// Facts for the workers, which open the store and check their answers with them.
    func facts(_ model: ManagedObjectModel) -> [String: Int64] {
        var facts = ["pageSize": Int64(pageSize)]
        for entity in entities { facts["rows of \(entity.name)"] = Int64(entity.rowCount) }
        if hasHistory { facts[WorkerJob.historyFact] = 1 }
        // Objects of a subentity are also read as those of its ancestors.
        for path in filesMissing.keys {
            for entity in model.lineage(of: path.entity) {
                facts[
                    Self.filesFact(of: PropertyPath(entity: entity.name, property: path.property))] =
                    1
            }
        }
        return facts
    }

    /// Reading and saving so many objects takes some milliseconds. No stack or technique takes a time
    /// that anyone would notice with fewer.
    static let rowsThatMatter = 1_000

    /// What is biggest, one sentence each, for the first screen.
    func findings(_ names: ShownNames) -> [String] {
        var findings: [String] = []
        if let largest = entities.first {
            let share = 100 * Double(largest.rowCount) / Double(max(rowCount, 1))
            findings.append(
                "\(rowCount.counted) rows of \(entities.count) "
                    + "\(entities.count == 1 ? "entity" : "entities") in "
                    + "\(MetricUnit.bytes.format(Double(byteCount))); "
                    + "\(names.entity(largest.name)) is the largest: \(largest.rowCount.counted) rows, \(Int(share.rounded())) %."
            )
        }
        if let most = relationships.first {
            findings.append(
                "\(names.arrow(most.path)) has the most links: \(most.linkCount.counted), from "
                    + "\(most.linkedCount.counted) of \(most.sourceCount.counted) rows"
                    + (most.isToMany ? ", up to \(most.greatestFanOut.counted) a row." : "."))
        }
        if !emptyEntities.isEmpty {
            findings.append(
                "Without rows, so not measured: \(emptyEntities.joined(separator: ", ")).")
        }
        for (path, count) in filesMissing.sorted(by: { names.path($0.key) < names.path($1.key) }) {
            findings.append(
                "\(names.arrow(path)) is left out: \(count.counted) of its values are in files that "
                    + "are not there. Put them into the _SUPPORT folder beside the store.")
        }
        if !unnamed.isEmpty {
            findings.append(
                "Not measured, because plain SQL could not check the answers: "
                    + "\(unnamed.joined(separator: ", ")).")
        }
        return findings
    }
}

extension ShownNames {
    /// "Message → sender".
    func arrow(_ path: PropertyPath) -> String {
        self.path(path).replacing(".", with: " → ")
    }
}

extension Int {
    /// "48,000".
    var counted: String { MetricUnit.count.format(Double(self)) }
}
