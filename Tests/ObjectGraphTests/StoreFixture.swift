import Foundation
import TestSupport

@testable import ObjectGraph

/// A store in a folder of its own, with a coordinator and a context on it.
struct StoreFixture: Sendable {
    let folder = TemporaryFolder()
    let coordinator: PersistentStoreCoordinator
    let context: ManagedObjectContext

    init(
        _ model: ManagedObjectModel, inMemory: Bool = false, tracksHistory: Bool = false,
        ownStore: PersistentStoreDescription? = nil
    ) throws {
        coordinator = PersistentStoreCoordinator(model: model)
        var description: PersistentStoreDescription =
            ownStore ?? (inMemory ? .inMemory() : .sqlite(at: folder.url("store.sqlite")))
        description.tracksHistory = tracksHistory
        try coordinator.addPersistentStore(description)
        context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
    }

    /// A store with one entity, `Thing`, with these properties.
    init(
        _ attributes: AttributeDescription..., relationships: [RelationshipDescription] = [],
        uniquenessConstraints: [[String]] = []
    ) throws {
        try self.init(
            ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Thing", attributes: attributes, relationships: relationships,
                    uniquenessConstraints: uniquenessConstraints)
            ]))
    }

    /// Runs the body on the queue of the context.
    @discardableResult
    func run<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) rethrows -> Result {
        try context.performAndWait { try body(context) }
    }

    func makeContext() -> ManagedObjectContext {
        ManagedObjectContext(.privateQueue, coordinator: coordinator)
    }

    /// The number of statements that the body runs.
    func statements(_ body: () throws -> Void) rethrows -> Int64 {
        let before = coordinator.counters.statements
        try body()
        return coordinator.counters.statements - before
    }

    /// The result of a statement in SQLite itself, each value as text and NULL as nil.
    func sql(_ query: String) throws -> [[String?]] {
        let connection = try Connection(
            SQLiteConfiguration(path: folder.path("store.sqlite"), mode: .readOnly))
        let statement = try connection.statement(query)
        defer { statement.reset() }
        var rows: [[String?]] = []
        while try statement.step() {
            rows.append(
                (0..<Int32(statement.columnCount)).map { column in
                    let value = statement.value(at: column)
                    return value.isNull ? nil : value.string
                })
        }
        return rows
    }
}

extension ManagedObjectContext {
    /// Inserts an object of the entity with values.
    @discardableResult
    func insert(_ entityName: String, _ values: [String: Any] = [:]) throws -> ManagedObject {
        let object = try insertObject(entityName: entityName)
        for (key, value) in values { try object.setValue(value, forKey: key) }
        return object
    }

    /// All objects of the entity in the order of a key.
    func all(_ entityName: String, by key: String? = nil) throws -> [ManagedObject] {
        try Array(
            fetch(
                FetchRequest(entityName: entityName, sortKeys: key.map { [.ascending($0)] } ?? []),
                as: ManagedObject.self))
    }

    /// The errors that prevent a save of the context; empty if there are none.
    func validationErrors() throws -> [ValidationError] {
        do {
            try save()
            return []
        } catch SaveError.validation(let errors) { return errors }
    }
}
