import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ObjectGraph

/// A store in a folder of its own that is opened with one model after another.
struct MigrationFixture: Sendable {
    let folder = TemporaryFolder()
    var url: URL { folder.url("store.sqlite") }

    func entity(
        _ name: String, parent: String? = nil, was formerName: String? = nil,
        _ attributes: [AttributeDescription] = [], _ relationships: [RelationshipDescription] = [],
        unique: [[String]] = [], indexes: [FetchIndexDescription] = []
    ) -> EntityDescription {
        EntityDescription(
            name: name, superentity: parent, attributes: attributes, relationships: relationships,
            uniquenessConstraints: unique, indexes: indexes, renamingIdentifier: formerName)
    }

    /// Opens the store and closes it after the body.
    func open<Result: Sendable>(
        _ entities: [EntityDescription],
        _ change: (inout PersistentStoreDescription) -> Void = { _ in },
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        let coordinator = PersistentStoreCoordinator(
            model: try ManagedObjectModel(entities: entities))
        var description = PersistentStoreDescription.sqlite(at: url)
        change(&description)
        let store = try coordinator.addPersistentStore(description)
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let result = try context.performAndWait { try body(context) }
        try coordinator.removePersistentStore(store)
        return result
    }

    /// Makes the store, with one object for each list of values.
    func make(
        _ entities: [EntityDescription],
        _ objects: [(entity: String, values: [String: AttributeValue])] = []
    ) throws {
        try open(entities) { context in
            for object in objects {
                let new = try context.insertObject(entityName: object.entity)
                for (key, value) in object.values { try new.setValue(value, forKey: key) }
            }
            try context.save()
        }
    }

    func content(_ entities: [EntityDescription]) throws -> [String: String] {
        try open(entities) { try $0.content() }
    }

    /// The statements that change tables and rows when the store is opened with another model, without
    /// those of the bookkeeping.
    func statements(_ entities: [EntityDescription]) throws -> [String] {
        let found = Mutex<[String]>([])
        try open(
            entities,
            { description in
                description.statementObserver = { sql, _ in found.withLock { $0.append(sql) } }
            }
        ) { _ in }
        let beginnings = ["ALTER", "CREATE", "DROP", "INSERT", "UPDATE", "DELETE"]
        // SQLite's own statements for virtual tables name the database; the writer of a store makes
        // temporary tables.
        let bookkeeping = [
            "Z_MODELCACHE", "Z_METADATA SET Z_PLIST", "Z_PRIMARYKEY", "'main'.", "\"main\".",
            "OGReference",
        ]
        return found.withLock { found in
            found.filter { sql in
                beginnings.contains { sql.hasPrefix($0) }
                    && !bookkeeping.contains { sql.contains($0) }
            }
        }
    }

    /// The result of a statement in SQLite itself, each row as text.
    func sql(_ query: String) throws -> [String] {
        let connection = try Connection(
            SQLiteConfiguration(path: url.path, mode: .readOnly))
        let statement = try connection.statement(query)
        defer { statement.reset() }
        var rows: [String] = []
        while try statement.step() {
            let values = (0..<statement.columnCount).map { column -> String in
                let value = statement.value(at: column)
                return value.isNull ? "NULL" : value.string
            }
            rows.append(values.joined(separator: " "))
        }
        return rows
    }

    /// The bytes of the files of the folder, by name.
    func files() throws -> [String: Data] {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path).reduce(into: [:]) {
            $0[$1] = try Data(contentsOf: folder.url($1))
        }
    }
}
