#if PostgreSQL
import Foundation
import TestSupport

@testable import ObjectGraph
@testable import PostgreSQLStore

/// A store in a new schema, with as many coordinators as a test needs.
final class WritingFixture: Sendable {
    let model: ManagedObjectModel
    let schema = TestSchema()

    init(_ model: ManagedObjectModel) { self.model = model }

    convenience init(_ entities: EntityDescription...) throws {
        self.init(try ManagedObjectModel(entities: entities))
    }

    /// - Parameter url: Another way to the server.
    func coordinator(through url: URL? = nil) throws -> PersistentStoreCoordinator {
        try schema.coordinator(model) { description in
            guard let url else { return }
            let direct = description
            description = .postgreSQL(url, schema: schema.name)
            description.timeout = direct.timeout
        }
    }

    func context(through url: URL? = nil) throws -> ManagedObjectContext {
        ManagedObjectContext(.privateQueue, coordinator: try coordinator(through: url))
    }

    func run<T: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> T
    ) throws -> T {
        let context = try context()
        return try context.performAndWait { try body(context) }
    }
}

extension TestSchema {
    /// Waits until a session that uses the table waits for a lock.
    func waitForWaiter(in table: String) throws {
        struct NobodyWaits: Error {}
        let deadline = ContinuousClock.now + .seconds(60)
        while try texts(
            """
            SELECT count(*)::text FROM pg_locks WHERE NOT granted AND pid IN (\
            SELECT pid FROM pg_locks WHERE relation = '\(table)'::regclass)
            """) == ["0"]
        {
            guard ContinuousClock.now < deadline else { throw NobodyWaits() }
            usleep(1000)
        }
    }
}

extension ManagedObjectContext {
    @discardableResult
    func insert(_ name: String, _ values: [String: Any] = [:]) throws -> ManagedObject {
        let object = try insertObject(entityName: name)
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
}

extension RowChange {
    /// A change of an entity whose first slot is a text.
    static func make(
        _ kind: Kind, _ entity: Entity, key: Int64, previous: UInt32 = 0, text: String? = nil
    ) -> RowChange {
        var writer = RowWriter(expectedByteCount: 256)
        writer.begin(
            entity.layout.extent, key: key, version: previous + 1,
            entityNumber: UInt32(entity.number))
        if let text { writer.set(0, text: text) }
        let row = writer.finish()
        var changes = PropertyMask()
        if kind == .update, text != nil {
            changes.insert(entity.properties.first { $0.slot == 0 }!.index)
        }
        return RowChange(
            kind: kind, entity: entity, key: key,
            row: kind == .insert || kind == .update ? row : nil, changes: changes,
            previousVersion: previous)
    }
}
#endif
