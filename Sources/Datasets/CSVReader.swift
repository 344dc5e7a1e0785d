import Foundation

/// Reads a table of comma-separated values record by record, a chunk of the file at a time.
///
/// The dialect is RFC 4180's, with either line ending. After `nextRecord()`, call a method of
/// `CSVReader+Fields` for each field, from left to right.
struct CSVReader {
    let path: String
    let columns: [String]
    /// The line on which the current record begins, counted from 1.
    private(set) var line = 0
    /// The part of the file that holds the current record.
    private(set) var chunk: [UInt8] = []
    /// Where in `chunk` each field of the current record lies, without separators and quotes.
    private(set) var fields: [Range<Int>] = []
    /// The index of the next field to read.
    var nextField = 0

    private let handle: FileHandle
    /// Where in `chunk` the next record begins.
    private var position = 0
    private var lineEndsPassed = 0

    init(file: URL, columns: [String]) throws(DatasetError) {
        path = file.path
        self.columns = columns
        do {
            handle = try FileHandle(forReadingFrom: file)
        } catch {
            throw .unreadableFile(path: file.path, reason: error.localizedDescription)
        }
        _ = try readRecord()
        let header = fields.indices.map(text(ofField:))
        guard header == columns else {
            throw .unexpectedColumns(path: path, expected: columns, found: header)
        }
    }

    /// Moves to the next record; `false` at the end of the file.
    mutating func nextRecord() throws(DatasetError) -> Bool {
        guard try readRecord() else { return false }
        guard fields.count == columns.count else {
            throw .wrongFieldCount(
                path: path, line: line, expected: columns.count, found: fields.count)
        }
        return true
    }

    func text(ofField field: Int) -> String {
        String(decoding: chunk[fields[field]], as: UTF8.self)
    }

    private mutating func readRecord() throws(DatasetError) -> Bool {
        nextField = 0
        line = lineEndsPassed + 1
        while try !findFields() {
            guard try readChunk() else {
                // Only a quoted field can lack its end here.
                guard chunk.isEmpty else { throw .misplacedQuote(path: path, line: line) }
                return false
            }
        }
        return true
    }

    /// Finds the fields of the next record; `false` if `chunk` ends before the record does.
    private mutating func findFields() throws(DatasetError) -> Bool {
        fields.removeAll(keepingCapacity: true)
        // The span borrows this copy of the reference, so that the other properties can change.
        let chunk = chunk
        let bytes = chunk.span
        var lineEnds = 1
        var hasDoubledQuotes = false
        var start = position
        while start < bytes.count {
            var end = start
            var separator: Int
            if bytes[start] == Self.quote {
                start += 1
                end = start
                while end < bytes.count {
                    if bytes[end] == Self.newline { lineEnds += 1 }
                    if bytes[end] == Self.quote {
                        guard end + 1 < bytes.count, bytes[end + 1] == Self.quote else { break }
                        hasDoubledQuotes = true
                        end += 1
                    }
                    end += 1
                }
                separator = end + 1
                if separator < bytes.count, bytes[separator] == Self.carriageReturn {
                    separator += 1
                }
            } else {
                while end < bytes.count, !Self.endsPlainBytes(bytes[end]) { end += 1 }
                separator = end
                if end > start, end < bytes.count, bytes[end] == Self.newline,
                    bytes[end - 1] == Self.carriageReturn
                {
                    end -= 1
                }
            }
            guard separator < bytes.count else { return false }
            fields.append(start..<end)
            switch bytes[separator] {
            case Self.comma: start = separator + 1
            case Self.newline:
                position = separator + 1
                lineEndsPassed += lineEnds
                if hasDoubledQuotes { undoubleQuotes() }
                return true
            default: throw .misplacedQuote(path: path, line: line)
            }
        }
        return false
    }

    /// Halves each doubled quote in the fields of the record, in place.
    private mutating func undoubleQuotes() {
        for (field, bytes) in fields.enumerated() {
            var end = bytes.lowerBound
            var index = end
            while index < bytes.upperBound {
                chunk[end] = chunk[index]
                index += chunk[index] == Self.quote ? 2 : 1
                end += 1
            }
            fields[field] = bytes.lowerBound..<end
        }
    }

    /// Replaces what was read by the next chunk; `false` at the end of the file.
    ///
    /// A record that continues in the next chunk is moved to the front, and its fields are found
    /// anew. The chunks double then, so that a long record is not searched often. A file that
    /// does not end with a newline gets one.
    private mutating func readChunk() throws(DatasetError) -> Bool {
        chunk.removeSubrange(..<position)
        position = 0
        do {
            guard let next = try handle.read(upToCount: max(1 << 16, chunk.count)), !next.isEmpty
            else {
                guard let last = chunk.last, last != Self.newline else { return false }
                chunk.append(Self.newline)
                return true
            }
            chunk.append(contentsOf: next)
            return true
        } catch {
            throw .unreadableFile(path: path, reason: error.localizedDescription)
        }
    }

    private static func endsPlainBytes(_ byte: UInt8) -> Bool {
        // Nearly all bytes are greater, and need one comparison.
        byte <= comma && (byte == comma || byte == newline || byte == quote)
    }

    private static let comma = UInt8(ascii: ",")
    private static let quote = UInt8(ascii: "\"")
    private static let newline = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
}
