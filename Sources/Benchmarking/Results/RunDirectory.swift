import Foundation

/// The folder of a run: `run.json`, and the reports that are made from it.
public struct RunDirectory: Sendable {
    public let url: URL

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
        guard !FileManager.default.fileExists(atPath: directory.runURL.path) else {
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
    /// the program is killed, it is whole. Call it after every sample or cell.
    ///
    /// - Throws: ``RunDirectoryError/unwritable(path:reason:)``.
    public func write(_ run: Run) throws {
        try replace(runURL, with: try Self.encoder.encode(run))
    }

    /// Makes `samples.csv` and `report.md` from the run.
    ///
    /// - Throws: ``RunDirectoryError/unwritable(path:reason:)``.
    public func writeReports(of run: Run) throws {
        try replace(samplesURL, with: Data(SamplesTable(run).text.utf8))
        try replace(reportURL, with: Data(MarkdownReport(run).text.utf8))
    }

    /// Reads `run.json`, also that of a run that was killed.
    ///
    /// - Throws: ``RunDirectoryError/missing(path:)`` when there is none,
    ///   ``RunDirectoryError/unsupportedSchema(path:found:)`` when another version wrote it,
    ///   ``RunDirectoryError/unreadable(path:reason:)`` when it is something else.
    public func load() throws -> Run {
        guard let data = FileManager.default.contents(atPath: runURL.path) else {
            throw RunDirectoryError.missing(path: runURL.path)
        }
        do {
            let schema = try Self.decoder.decode(SchemaOnly.self, from: data).schema
            guard schema == Run.currentSchema else {
                throw RunDirectoryError.unsupportedSchema(path: runURL.path, found: schema)
            }
            return try Self.decoder.decode(Run.self, from: data)
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

    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        return encoder
    }

    private static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        return decoder
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

extension DecodingError {
    /// Where in the file, and what is wrong there.
    fileprivate var sentence: String {
        switch self {
        case .keyNotFound(let key, let context):
            "\(Self.path(context))\(key.stringValue) is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context),
            .dataCorrupted(let context):
            "\(Self.path(context))\(context.debugDescription)"
        @unknown default: "\(self)"
        }
    }

    private static func path(_ context: Context) -> String {
        context.codingPath.map { "\($0.stringValue): " }.joined()
    }
}
