import Foundation

/// Another process of this program that reads a JSON line for each order and answers it with one.
/// It ends when its input does.
final class LineProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var unread = Data()

    /// Starts the program with the name of a hidden command.
    init(_ command: String) throws {
        process.executableURL = Executable.url
        process.arguments = [command]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    /// Ends the process.
    func close() throws {
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    func send(_ message: some Encodable) throws {
        try input.fileHandleForWriting.write(contentsOf: Self.line(message))
    }

    /// Waits for the next answer.
    ///
    /// - Throws: ``WorkerFailure`` if the process has ended.
    func receive<Message: Decodable>(_ type: Message.Type) throws -> Message {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread = Data(unread[(end + 1)...]) }
                return try JSONDecoder().decode(type, from: unread[..<end])
            }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else {
                throw WorkerFailure(reason: "the other process ended; its error is above")
            }
            unread += more
        }
    }

    /// Answers, in the process.
    static func answer(_ message: some Encodable) throws {
        try FileHandle.standardOutput.write(contentsOf: line(message))
    }

    private static func line(_ message: some Encodable) throws -> Data {
        try JSONEncoder().encode(message) + Data("\n".utf8)
    }
}
