#if PostgreSQL
import Foundation
import TestSupport
import Testing

@testable import ObjectGraph
@testable import PostgreSQLStore

/// A schema of a test on the server that `scripts/postgresql` starts. It is dropped with the last
/// reference.
final class StoreSchema: Sendable {
    static let url = ProcessInfo.processInfo.environment["STACKBENCH_POSTGRESQL"]
        .flatMap { URL(string: $0) }
    static var isAvailable: Bool { url != nil }

    let name = "test_" + UUID().uuidString.lowercased().replacing("-", with: "")

    deinit { try? run("DROP SCHEMA IF EXISTS \(name) CASCADE") }

    var description: PersistentStoreDescription {
        var description = PersistentStoreDescription.postgreSQL(Self.url!, schema: name)
        description.maximumReaderCount = 2
        description.timeout = .seconds(60)
        return description
    }

    func store(
        _ model: ManagedObjectModel, _ change: (inout PersistentStoreDescription) -> Void = { _ in }
    ) throws -> PostgreSQLStore {
        var description = description
        change(&description)
        return try PostgreSQLStore(description, model: model, debug: DebugOptions())
    }

    func coordinator(
        _ model: ManagedObjectModel, _ change: (inout PersistentStoreDescription) -> Void = { _ in }
    ) throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(model: model)
        var description = description
        change(&description)
        try coordinator.addPersistentStore(description)
        return coordinator
    }

    /// Runs statements as another program does.
    func run(_ script: String) throws {
        try Link(LinkSettings(Self.url!, schema: name, timeout: .seconds(10))).execute(script)
    }

    /// The texts in the first column of a result.
    func texts(_ sql: String) throws -> [String] {
        let rows = try Link(LinkSettings(Self.url!, schema: name)).run(Command(sql))
        return try (0..<rows.count).map { try rows.text($0, 0) }
    }
}

extension PersistentStoreCoordinator {
    /// The store, if it has one in PostgreSQL.
    var postgreSQL: PostgreSQLStore { records[0].store as! PostgreSQLStore }

    func context() -> ManagedObjectContext {
        ManagedObjectContext(.privateQueue, coordinator: self)
    }
}

/// The reason of the store error that the body throws.
func storeError(_ body: () throws -> Void) -> StoreError.Reason? {
    do {
        try body()
        return nil
    } catch let error as StoreError {
        return error.reason
    } catch {
        Issue.record("\(error)")
        return nil
    }
}
#endif
