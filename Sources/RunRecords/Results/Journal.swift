import Foundation
import Measuring

/// A file of JSON lines that only grows, so that a process that is killed loses at most one line.
///
/// Each line is written by one call and is on the disk when ``append(_:)`` returns. A last line
/// without a line end, left by a killed writer, does not count: readers skip it, and ``repair()``
/// cuts it off.
public struct Journal<Entry: Codable & Sendable>: Sendable {
    public let url: URL

    /// Names a file without touching the disk.
    public init(url: URL) {
        self.url = url
    }

    public var exists: Bool { FileManager.default.fileExists(atPath: url.path) }

    /// The entries in the order in which they were written; empty if there is no file.
    ///
    /// - Throws: ``RunDirectoryError/unreadable(path:reason:)`` if a complete line is not an entry.
    public func entries() throws -> [Entry] {
        guard let data = FileManager.default.contents(atPath: url.path) else { return [] }
        let decoder = JSONDecoder.ofRuns
        return try Self.wholeLines(of: data).enumerated().map { index, line in
            do {
                return try decoder.decode(Entry.self, from: Data(line))
            } catch let error as DecodingError {
                throw RunDirectoryError.unreadable(
                    path: url.path, reason: "line \(index + 1): \(error.sentence)")
            }
        }
    }

    /// Adds a line, and creates the file if it is missing.
    ///
    /// - Throws: ``RunDirectoryError/unwritable(path:reason:)``.
    public func append(_ entry: Entry) throws {
        let line = try JSONEncoder.ofRuns.encode(entry) + Data("\n".utf8)
        do {
            try SyncedFile.append(line, to: url.path)
        } catch {
            throw RunDirectoryError.unwritable(path: url.path, reason: "\(error)")
        }
    }

    /// Cuts off an incomplete last line of a killed writer. Call it before appending to the journal
    /// of another process.
    ///
    /// - Throws: ``RunDirectoryError/unwritable(path:reason:)``.
    public func repair() throws {
        guard let data = FileManager.default.contents(atPath: url.path) else { return }
        let end = data.lastIndex(of: Self.lineEnd).map {
            data.distance(from: data.startIndex, to: $0) + 1
        }
        guard truncate(url.path, off_t(end ?? 0)) == 0 else {
            throw RunDirectoryError.unwritable(
                path: url.path, reason: String(cString: strerror(errno)))
        }
    }

    private static var lineEnd: UInt8 { UInt8(ascii: "\n") }

    private static func wholeLines(of data: Data) -> [Data.SubSequence] {
        guard let end = data.lastIndex(of: lineEnd) else { return [] }
        return data[..<end].split(separator: lineEnd)
    }
}

extension JSONEncoder {
    /// The format of runs: dates as ISO 8601, and infinities and NaN as text.
    static var ofRuns: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        return encoder
    }

    /// The format of runs with line ends and indents, for whole files.
    public static var ofFiles: JSONEncoder {
        let encoder = ofRuns
        encoder.outputFormatting.insert(.prettyPrinted)
        return encoder
    }
}

extension JSONDecoder {
    /// Reads what ``JSONEncoder/ofRuns`` and ``JSONEncoder/ofFiles`` write.
    static var ofRuns: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        return decoder
    }
}

extension DecodingError {
    /// The place in the file and the error there.
    public var sentence: String {
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
