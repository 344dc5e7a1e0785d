import Benchmarking
import Foundation
import ObjectGraph

/// A process of its own that changes flights in a store, one save at a time, and keeps a history.
///
/// It reads one JSON line for each change and answers it with one. It ends when its input does.
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

    private let process: Process
    private let input = Foundation.Pipe()
    private let output = Foundation.Pipe()
    private var unread = Data()

    /// Starts the process and waits until its store is open.
    ///
    /// - Throws: ``WorkerFailure`` if it cannot open the store.
    init(_ configuration: SubjectConfiguration) throws {
        process = Process()
        process.executableURL = Executable.url
        process.arguments = ["remote-writer"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try send(configuration)
        _ = try receive(Bool.self)
    }

    /// Makes and saves one change, and waits for the answer.
    ///
    /// - Throws: ``WorkerFailure`` if the process has ended.
    func save(_ change: Change) throws -> Save {
        try send(change)
        return try receive(Save.self)
    }

    /// Ends the process.
    func close() throws {
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    private func send(_ message: some Encodable) throws {
        try input.fileHandleForWriting.write(contentsOf: Self.line(message))
    }

    private func receive<Message: Decodable>(_ type: Message.Type) throws -> Message {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread = Data(unread[(end + 1)...]) }
                return try JSONDecoder().decode(type, from: unread[..<end])
            }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else {
                throw WorkerFailure(reason: "the writing process ended; its error is above")
            }
            unread += more
        }
    }

    private static func line(_ message: some Encodable) throws -> Data {
        try JSONEncoder().encode(message) + Data("\n".utf8)
    }

    // MARK: In the process

    static func serve(_ configuration: SubjectConfiguration) throws {
        let coordinator = try configuration.stack(
            on: FlightsModel.make(configuration.indexes)
        ).openCoordinator()
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator, name: "remote")
        try FileHandle.standardOutput.write(contentsOf: line(true))
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
            try FileHandle.standardOutput.write(contentsOf: line(save))
        }
        try coordinator.removePersistentStores()
    }
}
