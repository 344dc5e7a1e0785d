import Foundation
import Measuring
import ObjectGraph

/// A process of its own that changes flights in a store, one save at a time, and keeps a history.
final class RemoteWriter {
    struct Change: Codable {
        /// The flight's URI.
        var flight: URL
        var departureDelayMinutes: Int
    }

    /// When a change was saved, on the monotonic clock, which all processes share.
    struct Save: Codable {
        var startNanoseconds: UInt64
        var endNanoseconds: UInt64
    }

    private let process: LineProcess

    /// Starts the process and waits until its store is open.
    ///
    /// - Throws: ``WorkerFailure`` if it cannot open the store.
    init(_ configuration: SubjectConfiguration) throws {
        process = try LineProcess("remote-writer")
        try process.send(configuration)
        _ = try process.receive(Bool.self)
    }

    /// Makes and saves one change, and waits for the answer.
    ///
    /// - Throws: ``WorkerFailure`` if the process has ended.
    func save(_ change: Change) throws -> Save {
        try process.send(change)
        return try process.receive(Save.self)
    }

    /// Ends the process.
    func close() throws { try process.close() }

    // MARK: In the process

    static func serve(_ configuration: SubjectConfiguration) throws {
        let coordinator = try configuration.stack(
            on: FlightsModel.make(configuration.indexes)
        ).openCoordinator()
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator, name: "remote")
        try LineProcess.answer(true)
        while let order = readLine() {
            let change = try JSONDecoder().decode(Change.self, from: Data(order.utf8))
            guard let id = coordinator.managedObjectID(forURIRepresentation: change.flight) else {
                throw WorkerFailure(reason: "the store has no flight \(change.flight)")
            }
            let save = try context.performAndWait {
                let flight = try context.existingObject(with: id) as? Flight
                flight?.departureDelayMinutes = change.departureDelayMinutes
                let start = Stopwatch.nanoseconds()
                try context.save()
                return Save(startNanoseconds: start, endNanoseconds: Stopwatch.nanoseconds())
            }
            try LineProcess.answer(save)
        }
        try coordinator.removePersistentStores()
    }
}
