#if PostgreSQL
import Foundation
import ObjectGraph
import PostgreSQLStore
import TestSupport

/// Eight processes save to one store on a server for some seconds. Every second one of them is
/// killed and begins again, and the server is killed every 15 seconds. Afterwards every acknowledged
/// save is there, no update was lost, no key was given twice, and no transaction is open. The server
/// had no deadlock to end.
///
/// `scripts/server-campaign` builds and runs it.
@main
enum ServerCampaign {
    private static let writerCount = 8

    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "write", arguments.count == 3, let writer = Int(arguments[2]),
            let url = URL(string: arguments[3])
        {
            LedgerWriter(writer: writer, url: url).run()
        }
        guard arguments.count == 2, let seconds = Double(arguments[2]), seconds > 0 else {
            FileHandle.standardError.write(Data("usage: ServerCampaign SCRIPT SECONDS\n".utf8))
            exit(64)
        }
        let server = try CampaignServer(script: URL(filePath: arguments[1]))
        defer { server.remove() }
        do { try run(seconds: seconds, server) } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            server.remove()
            exit(1)
        }
    }

    private static func run(seconds: Double, _ server: CampaignServer) throws {
        var random = SeededGenerator.fromEnvironment()
        try withContext(server) { try Ledger.makeCounters(in: $0) }
        let writers = try (0..<writerCount).map { try RunningWriter($0, server) }
        let start = ContinuousClock.now
        let end = start + .seconds(seconds)
        var nextServerCrash = start + .seconds(min(15, seconds / 2))
        var (kills, crashes, deadlocks) = (0, 0, 0)
        while ContinuousClock.now < end {
            usleep(UInt32.random(in: 200_000...1_500_000, using: &random))
            if ContinuousClock.now > nextServerCrash {
                deadlocks += try server.deadlockCount()
                try server.crash()
                crashes += 1
                nextServerCrash = .now + .seconds(15)
            } else {
                let index = Int.random(in: 0..<writerCount, using: &random)
                try writers[index].killAndBegin()
                kills += 1
            }
        }
        for writer in writers { try writer.stop() }
        let total = try withContext(server) { context in
            try writers.reduce(0) { $0 + (try $1.check(in: context)) }
        }
        let sum = try withContext(server) { try Ledger.sum(in: $0) }
        guard Int(sum) == total * Ledger.changedCountPerSave else {
            throw CampaignFailure("\(total) saves, but the counters' sum is \(sum)")
        }
        deadlocks += try server.deadlockCount()
        guard deadlocks == 0 else { throw CampaignFailure("\(deadlocks) deadlocks") }
        let openCount = try server.openTransactionCount()
        guard openCount == 0 else {
            throw CampaignFailure("\(openCount) transactions are still open")
        }
        let milliseconds = writers.flatMap(\.milliseconds).sorted()
        print(
            """
            \(writerCount) processes, \(seconds) s, \(kills) kills of processes, \(crashes) of the \
            server, \(total) saves, 0 deadlocks, 0 failures; of 100 saves 99 took at most \
            \(milliseconds[milliseconds.count * 99 / 100]) ms, and the slowest \(milliseconds.last!) ms
            """)
    }

    private static func withContext<T: Sendable>(
        _ server: CampaignServer, _ body: @Sendable (ManagedObjectContext) throws -> T
    ) throws -> T {
        let coordinator = PersistentStoreCoordinator(model: try Ledger.model())
        try waitingForServer { _ = try coordinator.addPersistentStore(.postgreSQL(server.url)) }
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        defer { try? coordinator.persistentStores.forEach(coordinator.removePersistentStore) }
        return try context.performAndWait { try body(context) }
    }
}

/// A wrong state.
struct CampaignFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
#else
@main
enum ServerCampaign {
    static func main() { print("Build it with --traits PostgreSQL.") }
}
#endif
