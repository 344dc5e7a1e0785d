#if PostgreSQL
import Foundation
import Measuring
import ObjectGraph
import PostgreSQLStore
import Stacks

/// A process of its own that updates items of a store on a server, through a stack.
enum ServerWriter {
    /// The first line that the process gets.
    struct Order: Codable, Sendable {
        var server: ServerAddress
        var schema: String
        /// The name of a stack.
        var subject: String
        var configuration: SubjectConfiguration
        /// The numbers of the items that it updates, one a save.
        var numbers: [Int64]
    }

    struct Report: Codable, Sendable {
        var savedCount: Int
        /// Saves that were refused and tried again with the newest values.
        var conflictCount: Int
        var startNanoseconds: UInt64
        var endNanoseconds: UInt64
    }

    private static let maximumTries = 10_000

    /// Serves one order: opens the stack, answers, waits for a line, updates, and reports.
    static func serve(_ order: Order) throws {
        let kind = StackKind.all.first { $0.name == order.subject }!
        var configuration = order.configuration.stack(on: try Item.makeModel([.indexedNumber]))
        configuration.location = order.server.location(order.schema)
        configuration.pragmas = [:]
        let stack = try kind.make(configuration)
        let worker = try stack.makeWorkerContext()
        let identifiers = try worker.performAndWait { try worker.identifiers(of: order.numbers) }
        try LineProcess.answer(true)
        guard readLine() != nil else { return }
        var report = Report(
            savedCount: 0, conflictCount: 0, startNanoseconds: Stopwatch.nanoseconds(),
            endNanoseconds: 0)
        for id in identifiers {
            var tries = 1
            while try !worker.increment(id, savingTo: stack) {
                guard tries < maximumTries else {
                    throw WorkerFailure(reason: "an update was refused \(tries) times")
                }
                tries += 1
                report.conflictCount += 1
            }
            report.savedCount += 1
        }
        report.endNanoseconds = Stopwatch.nanoseconds()
        try stack.close()
        try LineProcess.answer(report)
    }
}

extension ManagedObjectContext {
    fileprivate func identifiers(of numbers: [Int64]) throws -> [ManagedObjectID] {
        let request = FetchRequest(entityName: "Item", sortKeys: [.ascending("number")])
        let all = try fetchObjectIDs(request)
        return numbers.map { all[Int($0) - 1] }
    }

    /// Adds 1 to the newest quantity of an item; false if another process was faster.
    fileprivate func increment(
        _ id: ManagedObjectID, savingTo stack: any PersistenceStack
    ) throws -> Bool {
        try performAndWait {
            guard let item = try newestItem(id) else {
                throw WorkerFailure(reason: "the store has no item \(id)")
            }
            item.quantity += 1
            do {
                try stack.saveToDisk(self)
                return true
            } catch SaveError.mergeConflicts {
                // A context above may have taken the change and then have been refused. It also
                // keeps the old values until it is told that others are newer.
                for level in sequence(first: self, next: \.parent) {
                    level.performAndWait {
                        level.rollback()
                        level.refreshAllObjects()
                    }
                }
                return false
            }
        }
    }
}
#endif
