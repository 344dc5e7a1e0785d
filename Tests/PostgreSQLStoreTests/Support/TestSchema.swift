#if PostgreSQL
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ObjectGraph
@testable import PostgreSQLStore

/// A schema of a test on the server. It is dropped with its tables when the last reference is
/// released.
final class TestSchema: Sendable {
    let name = "test_" + UUID().uuidString.lowercased().replacing("-", with: "")

    deinit { try? run("DROP SCHEMA IF EXISTS \(name) CASCADE") }

    // MARK: The store in it

    var description: PersistentStoreDescription {
        var description = PersistentStoreDescription.postgreSQL(TestServer.storeURL!, schema: name)
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

    // MARK: Other programs

    /// Another program that writes once, at a moment of the test's choice.
    final class Writer: Sendable {
        private let name: String
        private let script: String
        private let hasRun = Atomic(false)

        init(of name: String, once script: String) {
            self.name = name
            self.script = script
        }

        func run() {
            guard !hasRun.exchange(true, ordering: .relaxed) else { return }
            do {
                try Link(TestServer.settings(schema: name)).execute(script)
            } catch { Issue.record("\(error)") }
        }
    }

    func settings(timeout: Duration = .seconds(60)) throws -> LinkSettings {
        try TestServer.settings(schema: name, timeout: timeout)
    }

    /// A session that has run a script in the schema.
    func link(_ script: String = "") throws -> Link {
        let link = try Link(settings())
        if !script.isEmpty { try link.execute("CREATE SCHEMA IF NOT EXISTS \(name); \(script)") }
        return link
    }

    /// Runs statements as another program does.
    func run(_ script: String) throws { try link().execute(script) }

    /// The first column of a query, as texts; "nil" for a null.
    func texts(_ sql: String) throws -> [String] {
        let rows = try link().run(Command("SELECT value::text FROM (\(sql)) AS q(value)"))
        return try (0..<rows.count).map { rows.isNull($0, 0) ? "nil" : try rows.text($0, 0) }
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
