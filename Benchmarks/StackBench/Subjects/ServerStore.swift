#if PostgreSQL
import Foundation
import Measuring
import ObjectGraph
import PostgreSQLStore
import Stacks

/// A store in a schema of its own on the server of the run, which is dropped at the end of the
/// sample.
final class ServerStore {
    let address: ServerAddress
    let schema: String

    /// The way that is measured: directly, or through a proxy that delays each direction.
    let reached: ServerAddress
    private let proxy: DelayProxy?

    /// Makes an empty schema.
    ///
    /// - Parameter delayMilliseconds: how long each direction takes besides; 0 goes without a
    ///   proxy.
    init(_ context: WorkerContext, delayMilliseconds: Double) throws {
        let address = try ServerAddress.ofRun()
        self.address = address
        // The folder of a job is unique in the run, and the process among the runs.
        schema = "bench_\(ProcessInfo.processInfo.processIdentifier)"
        proxy =
            delayMilliseconds > 0
            ? try DelayProxy(to: address.socket, delay: .milliseconds(delayMilliseconds)) : nil
        reached = proxy.map { address.through($0) } ?? address
        let connection = try PQConnection(address, schema: "public")
        try connection.execute(
            "DROP SCHEMA IF EXISTS \(schema) CASCADE; CREATE SCHEMA \(schema)")
    }

    /// Drops the schema.
    func remove() throws {
        try PQConnection(address, schema: "public").execute("DROP SCHEMA \(schema) CASCADE")
    }

    /// The store, along the measured way.
    var description: PersistentStoreDescription { .postgreSQL(reached.url, schema: schema) }

    /// The store without the delay, for preparations and checks.
    var direct: PersistentStoreDescription { .postgreSQL(address.url, schema: schema) }

    /// Makes the tables of a model.
    func makeTables(of model: ManagedObjectModel) throws {
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.addPersistentStore(direct)
        try coordinator.removePersistentStores()
    }

    func stackConfiguration(
        _ model: ManagedObjectModel, _ configuration: SubjectConfiguration
    ) -> StackConfiguration {
        var stack = configuration.stack(on: model)
        stack.location = reached.location(schema)
        stack.pragmas = [:]
        return stack
    }

    /// The integers of the first row of a query, along a connection of its own.
    func integers(_ sql: String) throws -> [Int] {
        try PQConnection(address, schema: schema).integers(sql)
    }
}
#endif
