#if PostgreSQL
import Foundation
import ObjectGraph
import PostgreSQLStore
import Synchronization

/// The process that is killed. It saves until its input ends, and acknowledges each save that has
/// returned: its number, and the milliseconds that it took.
struct LedgerWriter {
    let writer: Int
    let url: URL

    func run() -> Never {
        do {
            let stop = Stop()
            var random = SystemRandomNumberGenerator()
            let coordinator = PersistentStoreCoordinator(model: try Ledger.model())
            try waitingForServer { _ = try coordinator.addPersistentStore(.postgreSQL(url)) }
            let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
            var number = try last(in: context)
            acknowledge(number, .zero)
            while !stop.isWanted {
                let counters = (0..<Int64(Ledger.counterCount)).shuffled(using: &random)
                    .prefix(Ledger.changedCountPerSave)
                var duration = Duration.zero
                do {
                    duration = try context.performAndWait { [number] in
                        try Ledger.write(number + 1, of: writer, to: Array(counters), in: context)
                        return try ContinuousClock().measure { try context.save() }
                    }
                    number += 1
                } catch SaveError.mergeConflicts {
                    // Another writer was faster; nothing was written.
                    continue
                } catch let error as PostgreSQLError where error.kind == .commitUnknown {
                    number = try last(in: context)
                } catch let error as PostgreSQLError where error.canBeRetried {
                    usleep(10_000)
                    // Nothing was written.
                    guard try last(in: context) == number else {
                        throw CampaignFailure("\(error), and yet the save is there")
                    }
                    continue
                }
                acknowledge(number, duration)
            }
            try coordinator.persistentStores.forEach(coordinator.removePersistentStore)
            exit(0)
        } catch {
            FileHandle.standardError.write(Data("writer \(writer): \(error)\n".utf8))
            exit(1)
        }
    }

    private func last(in context: ManagedObjectContext) throws -> Int64 {
        try waitingForServer {
            try context.performAndWait {
                context.reset()
                return try Ledger.lastEntry(of: writer, in: context)
            }
        }
    }

    private func acknowledge(_ number: Int64, _ duration: Duration) {
        FileHandle.standardOutput.write(
            Data("\(number) \(Int(duration / .milliseconds(1)))\n".utf8))
    }
}

/// Tries again while the server is restarted, for at most 30 seconds.
func waitingForServer<T>(_ body: () throws -> T) throws -> T {
    let end = ContinuousClock.now + .seconds(30)
    while true {
        do { return try body() } catch let error as PostgreSQLError
            where error.canBeRetried && ContinuousClock.now < end
        {
            usleep(20_000)
        }
    }
}

/// Whether the parent has closed this process's input.
private final class Stop: Sendable {
    private let flag = Atomic(false)

    init() {
        Thread { [self] in
            while readLine() != nil {}
            flag.store(true, ordering: .relaxed)
        }.start()
    }

    var isWanted: Bool { flag.load(ordering: .relaxed) }
}
#endif
