import Foundation

/// The folder of a run: the journal that grows while it lasts, `run.json` that is made from it at
/// the end, and the reports that are made from that.
public struct RunDirectory: Sendable {
    public let url: URL

    public var journal: Journal<RunEntry> {
        Journal(url: url.appendingPathComponent("journal.jsonl"))
    }
    public var runURL: URL { url.appendingPathComponent("run.json") }
    public var samplesURL: URL { url.appendingPathComponent("samples.csv") }
    public var reportURL: URL { url.appendingPathComponent("report.md") }

    /// Names a folder without touching the disk.
    public init(url: URL) {
        self.url = url
    }

    /// Creates the folder `name` in `results`, and that too where it is missing.
    ///
    /// - Throws: ``RunDirectoryError/alreadyExists(path:)`` when a run of that name is there,
    ///   ``RunDirectoryError/unwritable(path:reason:)`` when the folder cannot be made.
    public static func create(_ name: String, in results: URL) throws -> RunDirectory {
        let directory = RunDirectory(url: results.appendingPathComponent(name))
        guard !directory.journal.exists,
            !FileManager.default.fileExists(atPath: directory.runURL.path)
        else {
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

    /// Replaces `run.json` by way of a temporary file and a rename: whoever reads it, and whenever
    /// the program is killed, it is whole.
    ///
    /// - Throws: ``RunDirectoryError/unwritable(path:reason:)``.
    public func write(_ run: Run) throws {
        let encoder = JSONEncoder.ofRuns
        encoder.outputFormatting.insert(.prettyPrinted)
        try replace(runURL, with: try encoder.encode(run))
    }

    /// Makes `samples.csv` and `report.md` from the run.
    ///
    /// - Throws: ``RunDirectoryError/unwritable(path:reason:)``.
    public func writeReports(of run: Run) throws {
        try replace(samplesURL, with: Data(SamplesTable(run).text.utf8))
        try replace(reportURL, with: Data(MarkdownReport(run).text.utf8))
    }

    /// Reads the journal, also of a run that is under way or was killed, or `run.json` where that
    /// was kept without it.
    ///
    /// - Throws: ``RunDirectoryError/missing(path:)`` when there is neither,
    ///   ``RunDirectoryError/unsupportedSchema(path:found:)`` when another version wrote it,
    ///   ``RunDirectoryError/unreadable(path:reason:)`` when it is something else.
    public func load() throws -> Run {
        if let run = Run(replaying: try journal.entries()) { return run }
        guard let data = FileManager.default.contents(atPath: runURL.path) else {
            throw RunDirectoryError.missing(path: runURL.path)
        }
        do {
            let schema = try JSONDecoder.ofRuns.decode(SchemaOnly.self, from: data).schema
            guard schema == Run.currentSchema else {
                throw RunDirectoryError.unsupportedSchema(path: runURL.path, found: schema)
            }
            return try JSONDecoder.ofRuns.decode(Run.self, from: data)
        } catch let error as DecodingError {
            throw RunDirectoryError.unreadable(path: runURL.path, reason: error.sentence)
        }
    }

    private func replace(_ file: URL, with data: Data) throws {
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

/// Why a run's folder could not be used.
public enum RunDirectoryError: Error, Equatable {
    case alreadyExists(path: String)
    case missing(path: String)
    case unreadable(path: String, reason: String)
    case unsupportedSchema(path: String, found: Int)
    case unwritable(path: String, reason: String)
}

extension RunDirectoryError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .alreadyExists(let path):
            "\(path) already holds a run; choose another name or move it away"
        case .missing(let path):
            "there is no \(path); name the folder that a run has written"
        case .unreadable(let path, let reason):
            "\(path) is not a run: \(reason)"
        case .unsupportedSchema(let path, let found):
            "\(path) has schema \(found), this program reads \(Run.currentSchema); "
                + "use the version of bench that wrote it"
        case .unwritable(let path, let reason):
            "cannot write \(path): \(reason)"
        }
    }
}
