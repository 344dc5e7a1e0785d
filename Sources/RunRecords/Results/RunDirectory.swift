import Foundation
import Measuring

/// The folder of a run: the journal, which grows during the run; `run.json`, which is made from it
/// at the end; and the reports, which are made from `run.json`.
public struct RunDirectory: Sendable {
    public let url: URL

    public var journal: Journal<RunEntry> {
        Journal(url: url.appendingPathComponent("journal.jsonl"))
    }
    public var runURL: URL { url.appendingPathComponent("run.json") }
    public var summaryURL: URL { url.appendingPathComponent("summary.md") }
    /// The report for readers, with drawings.
    public var reportURL: URL { url.appendingPathComponent("report.html") }

    /// The verdicts on published claims.
    public var claimsURL: URL { url.appendingPathComponent("claims.html") }

    /// Names a folder without touching the disk.
    public init(url: URL) {
        self.url = url
    }

    /// Whether there is a journal or `run.json`. A kept run may have neither.
    public var holdsRun: Bool {
        journal.exists || FileManager.default.fileExists(atPath: runURL.path)
    }

    /// Creates the folder `name` in `results`, and `results` if it is missing.
    ///
    /// - Throws: ``RunDirectoryError/alreadyExists(path:)`` if the folder contains a run,
    ///   ``RunDirectoryError/unwritable(path:reason:)`` if it cannot be created.
    public static func create(_ name: String, in results: URL) throws -> RunDirectory {
        let directory = RunDirectory(url: results.appendingPathComponent(name))
        guard !directory.holdsRun else {
            throw RunDirectoryError.alreadyExists(path: directory.url.path)
        }
        do {
            try FileManager.default.createDirectory(
                at: directory.url, withIntermediateDirectories: true)
        } catch {
            throw RunDirectoryError.unwritable(path: directory.url.path, reason: "\(error)")
        }
        return directory
    }

    /// Replaces `run.json` with a temporary file and a rename. The file is complete at every
    /// moment, even if the program is killed.
    ///
    /// - Throws: ``RunDirectoryError/unwritable(path:reason:)``.
    public func write(_ run: Run) throws {
        try replace(runURL.lastPathComponent, with: run)
    }

    /// Reads the journal, also of a run that is in progress or was killed. Without a journal it
    /// reads `run.json`.
    ///
    /// - Throws: ``RunDirectoryError/missing(path:)`` if there is neither,
    ///   ``RunDirectoryError/unsupportedSchema(path:found:)`` if another version wrote it,
    ///   ``RunDirectoryError/unreadable(path:reason:)`` if the content is something else.
    public func load() throws -> Run {
        if let run = Run(replaying: try journal.entries()) { return run }
        return try load(Run.self, schema: Run.currentSchema, from: runURL)
    }

    public func load<Content: Decodable>(
        _ type: Content.Type, schema: Int, from file: URL
    ) throws -> Content {
        guard let data = FileManager.default.contents(atPath: file.path) else {
            throw RunDirectoryError.missing(path: file.path)
        }
        do {
            let found = try JSONDecoder.ofRuns.decode(SchemaOnly.self, from: data).schema
            guard found == schema else {
                throw RunDirectoryError.unsupportedSchema(path: file.path, found: found)
            }
            return try JSONDecoder.ofRuns.decode(Content.self, from: data)
        } catch let error as DecodingError {
            throw RunDirectoryError.unreadable(path: file.path, reason: error.sentence)
        }
    }

    public func replace(_ name: String, with content: some Encodable) throws {
        try replace(name, with: try JSONEncoder.ofFiles.encode(content))
    }

    public func replace(_ name: String, with text: String) throws {
        try replace(name, with: Data(text.utf8))
    }

    public func replace(_ name: String, with data: Data) throws {
        let file = url.appendingPathComponent(name)
        do {
            try data.write(to: file, options: .atomic)
        } catch {
            throw RunDirectoryError.unwritable(path: file.path, reason: "\(error)")
        }
    }

    private struct SchemaOnly: Decodable {
        let schema: Int
    }
}

/// Why a run's folder cannot be used.
public enum RunDirectoryError: Error, Equatable {
    case alreadyExists(path: String)
    /// Another process measures in it; who is "process 1234 (bench run …)", as far as it is known.
    case inUse(path: String, by: String)
    case missing(path: String)
    case unreadable(path: String, reason: String)
    case unsupportedSchema(path: String, found: Int)
    case unwritable(path: String, reason: String)
}

extension RunDirectoryError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .alreadyExists(let path):
            "\(path) already holds a run; choose another folder or move the run away"
        case .inUse(let path, let other):
            "\(path) is in use by \(other); wait for it, stop it, or choose another folder"
        case .missing(let path):
            "there is no \(path); name the folder of a run"
        case .unreadable(let path, let reason):
            "\(path) is not a run: \(reason)"
        case .unsupportedSchema(let path, let found):
            "\(path) has schema \(found), which this version of bench cannot read; "
                + "use the version that wrote it"
        case .unwritable(let path, let reason):
            "cannot write \(path): \(reason)"
        }
    }
}
