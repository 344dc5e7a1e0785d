import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import ObjectGraph

/// Pinned contexts beside writers on other threads.
@Suite struct `Pinned contexts and concurrent writers (§4.7)` {
    private static let accountCount = 40
    private static let total = accountCount * 100

    private let folder = TemporaryFolder()
    private let coordinator: PersistentStoreCoordinator
    private let seed = SeededGenerator.fromEnvironment().seed
    private let isFinished = Flag()

    init() throws {
        coordinator = PersistentStoreCoordinator(model: try makeLibraryModel())
        var description = PersistentStoreDescription.sqlite(at: folder.url("accounts.sqlite"))
        description.pragmas["synchronous"] = "OFF"
        try coordinator.addPersistentStore(description)
        let context = makeContext()
        try context.performAndWait {
            for number in 0..<Self.accountCount {
                let account = Specimen(context: context)
                account[Specimen.integer32] = Int32(number)
                account[Specimen.integer64] = 100
            }
            try context.save()
        }
    }

    private func makeContext() -> ManagedObjectContext {
        ManagedObjectContext(.privateQueue, coordinator: coordinator)
    }

    @Test func `each reader sees one state for as long as it is pinned (§4.7.4, §4.7.3)`() throws {
        let failures = Mutex<[String]>([])
        let first = makeContext()
        try first.performAndWait { try first.setQueryGeneration(from: .current) }
        let (before, shared) = try first.performAndWait {
            (try Self.balances(first, by: 0), first.queryGenerationToken)
        }
        // Two writers, two readers of one token, two readers that move.
        DispatchQueue.concurrentPerform(iterations: 6) { number in
            do {
                switch number {
                case 0, 1: try write(number)
                case 2, 3: try read(shared, before, number)
                default: try readAndMove(number)
                }
            } catch { failures.withLock { $0.append("\(number): \(error)") } }
            if number < 2 { isFinished.raise() }
        }
        #expect(failures.withLock { $0 } == [], "TEST_SEED=\(seed)")
        #expect(try first.performAndWait { try Self.balances(first, by: 1) } == before)
    }

    /// Moves amounts between accounts, replaces accounts, and changes them in batches.
    private func write(_ number: Int) throws {
        var generator = SeededGenerator(seed: seed &+ UInt64(number))
        let context = makeContext()
        for _ in 0..<150 {
            let choice = Int.random(in: 0..<4, using: &generator)
            let picks = (0..<2).map { _ in Int.random(in: 0..<1000, using: &generator) }
            try context.performAndWait {
                context.reset()
                context.mergePolicy = .error
                // With their values at once: a fault's row may be deleted before it fires.
                var request = FetchRequest(
                    entityName: "Specimen", sortKeys: [.ascending("integer32")])
                request.returnsObjectsAsFaults = false
                let accounts = try context.fetch(request, as: Specimen.self)
                let (from, to) = (
                    accounts[picks[0] % accounts.count], accounts[picks[1] % accounts.count]
                )
                guard from !== to else { return }
                switch choice {
                case 0 where from[Specimen.integer32]! % 2 == number:
                    // The same account in another row. Each writer has its own ones, since it is no
                    // conflict if both delete a row (spec §5.3).
                    let account = Specimen(context: context)
                    account[Specimen.integer32] = from[Specimen.integer32]
                    account[Specimen.integer64] = from[Specimen.integer64]
                    context.delete(from)
                default:
                    from[Specimen.integer64]! -= Int64(picks[0] % 50)
                    to[Specimen.integer64]! += Int64(picks[0] % 50)
                }
                do { try context.save() } catch is SaveError { context.rollback() }
            }
        }
    }

    private func read(
        _ token: QueryGenerationToken?, _ expected: [String], _ number: Int
    ) throws {
        let context = makeContext()
        try context.performAndWait { try context.setQueryGeneration(from: token) }
        var round = number
        repeat {
            let way = round
            let seen = try context.performAndWait { try Self.balances(context, by: way) }
            guard seen == expected else { throw Difference(seen: seen, expected: expected) }
            round += 1
        } while !isFinished.isRaised
    }

    private func readAndMove(_ number: Int) throws {
        let context = makeContext()
        var round = number
        repeat {
            let way = round
            try context.performAndWait {
                try context.setQueryGeneration(from: .current)
                context.refreshAllObjects()
                let expected = try Self.balances(context, by: 0)
                for way in way..<way + 5 {
                    let seen = try Self.balances(context, by: way)
                    guard seen == expected else { throw Difference(seen: seen, expected: expected) }
                }
                let sum = try Specimen.all(in: context).reduce(0) { $0 + $1[Specimen.integer64]! }
                guard sum == Int64(Self.total) else { throw Sum(sum: sum) }
            }
            round += 1
        } while !isFinished.isRaised
    }

    private struct Difference: Error { let seen, expected: [String] }
    private struct Sum: Error { let sum: Int64 }

    /// The accounts with their balances, read in one of several ways.
    private static func balances(_ context: ManagedObjectContext, by way: Int) throws -> [String] {
        var request = FetchRequest(entityName: "Specimen", sortKeys: [.ascending("integer32")])
        switch way % 5 {
        case 0: break
        case 1: context.refreshAllObjects()
        case 2: request.fetchBatchSize = 7
        case 3: request.includesPropertyValues = false
        default:
            request.propertiesToFetch = ["integer32", "integer64"]
            return try context.fetchDictionaries(request).map {
                guard case .integer(let number)? = $0["integer32"],
                    case .integer(let balance)? = $0["integer64"]
                else { return "none" }
                return "\(number): \(balance)"
            }
        }
        return try context.fetch(request, as: Specimen.self).map {
            "\($0[Specimen.integer32]!): \($0[Specimen.integer64]!)"
        }
    }

    private final class Flag: Sendable {
        private let raised = Atomic<Bool>(false)
        func raise() { raised.store(true, ordering: .relaxed) }
        var isRaised: Bool { raised.load(ordering: .relaxed) }
    }
}
