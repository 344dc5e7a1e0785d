import Foundation

/// Reads a table of comma-separated values record by record, a megabyte of the file at a time.
///
/// The dialect is RFC 4180's, with either line ending. After `nextRecord()`, call a method of
/// `CSVReader+Fields` for each field, from left to right.
struct CSVReader {
    let path: String
    let columns: [String]
    /// The line on which the current record begins, counted from 1.
    private(set) var line = 0
    /// The bytes of all fields of the current record, without separators and quotes.
    private(set) var record: [UInt8] = []
    /// Where in `record` each field ends.
    private(set) var fieldEnds: [Int] = []
    /// The index of the next field to read.
    var nextField = 0

    private let handle: FileHandle
    private var chunk: [UInt8] = []
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
        let header = fieldEnds.indices.map { String(decoding: bytes(ofField: $0), as: UTF8.self) }
        guard header == columns else {
            throw .unexpectedColumns(path: path, expected: columns, found: header)
        }
    }

    /// Moves to the next record; `false` at the end of the file.
    mutating func nextRecord() throws(DatasetError) -> Bool {
        guard try readRecord() else { return false }
        guard fieldEnds.count == columns.count else {
            throw .wrongFieldCount(
                path: path, line: line, expected: columns.count, found: fieldEnds.count)
        }
        return true
    }

    func bytes(ofField field: Int) -> ArraySlice<UInt8> {
        record[(field == 0 ? 0 : fieldEnds[field - 1])..<fieldEnds[field]]
    }

    private mutating func readRecord() throws(DatasetError) -> Bool {
        record.removeAll(keepingCapacity: true)
        fieldEnds.removeAll(keepingCapacity: true)
        nextField = 0
        line = lineEndsPassed + 1
        guard var byte = try nextByte() else { return false }
        while true {
            let end = byte == Self.quote ? try readQuotedField() : try readPlainField(from: byte)
            fieldEnds.append(record.count)
            guard end == Self.comma else { return true }
            // An empty field follows a comma at the very end of the file.
            byte = try nextByte() ?? Self.newline
        }
    }

    /// Returns the separator that ended the field; the end of the file counts as a newline.
    private mutating func readPlainField(from first: UInt8) throws(DatasetError) -> UInt8 {
        var byte = first
        while byte != Self.comma && byte != Self.newline {
            guard byte != Self.quote else { throw .misplacedQuote(path: path, line: line) }
            record.append(byte)
            let end = chunk[position...].firstIndex(where: Self.endsPlainBytes) ?? chunk.count
            record.append(contentsOf: chunk[position..<end])
            position = end
            byte = try nextByte() ?? Self.newline
        }
        if byte == Self.newline {
            lineEndsPassed += 1
            let start = fieldEnds.last ?? 0
            if record.count > start, record.last == Self.carriageReturn { record.removeLast() }
        }
        return byte
    }

    /// Returns the separator that ended the field; a doubled quote inside means one quote.
    private mutating func readQuotedField() throws(DatasetError) -> UInt8 {
        while let byte = try nextByte() {
            if byte == Self.newline { lineEndsPassed += 1 }
            guard byte == Self.quote else {
                record.append(byte)
                continue
            }
            var end = try nextByte() ?? Self.newline
            if end == Self.quote {
                record.append(Self.quote)
                continue
            }
            if end == Self.carriageReturn { end = try nextByte() ?? Self.newline }
            guard end == Self.comma || end == Self.newline else { break }
            if end == Self.newline { lineEndsPassed += 1 }
            return end
        }
        throw .misplacedQuote(path: path, line: line)
    }

    private mutating func nextByte() throws(DatasetError) -> UInt8? {
        if position == chunk.count {
            do {
                chunk = [UInt8](try handle.read(upToCount: 1 << 20) ?? Data())
            } catch {
                throw .unreadableFile(path: path, reason: error.localizedDescription)
            }
            position = 0
            if chunk.isEmpty { return nil }
        }
        defer { position += 1 }
        return chunk[position]
    }

    private static func endsPlainBytes(_ byte: UInt8) -> Bool {
        byte == comma || byte == newline || byte == quote
    }

    private static let comma = UInt8(ascii: ",")
    private static let quote = UInt8(ascii: "\"")
    private static let newline = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
}
