import Foundation

/// The elements of a JSON array in a file, one after the other, in constant memory.
///
/// It only finds where elements begin and end; the decoder of an element checks it.
struct JSONArrayReader {
    private static let chunkByteCount = 1 << 18

    /// A text that is never closed would otherwise fill the memory with the rest of the file.
    static let maximumElementByteCount = 1 << 23

    private let file: FileHandle
    private var buffer: [UInt8] = []

    /// The place of the next byte in `buffer`, and of the buffer in the file.
    private var position = 0
    private var bufferOffset = 0

    /// The number of the last element, from 1, and where it begins in the file.
    private(set) var elementNumber = 0
    private(set) var elementOffset = 0
    private var isAtEnd = false

    /// - Throws: `JSONArrayError` if the file cannot be read.
    init(_ url: URL) throws(JSONArrayError) {
        do {
            file = try FileHandle(forReadingFrom: url)
        } catch {
            throw JSONArrayError(.unreadable, underlying: error, byteOffset: 0, elementNumber: 0)
        }
    }

    /// The text of the next element; nil after the last one.
    mutating func next() throws(JSONArrayError) -> Data? {
        guard !isAtEnd else { return nil }
        if elementNumber == 0 {
            if try nextByte() == 0xEF { position += 3 }  // A byte order mark of UTF-8.
            guard try nextByte() == UInt8(ascii: "[") else { throw error(.notAnArray) }
            position += 1
        }
        var byte = try nextByte()
        if byte == UInt8(ascii: "]") {
            position += 1
            isAtEnd = true
            guard try nextByte() == nil else { throw error(.malformed) }
            return nil
        }
        if elementNumber > 0 {
            guard byte == UInt8(ascii: ",") else { throw error(byte == nil ? .cutOff : .malformed) }
            position += 1
            byte = try nextByte()
        }
        elementNumber += 1
        elementOffset = bufferOffset + position
        return try readElement()
    }

    /// The error for the element that was read last.
    func undecodable(_ underlying: any Error) -> JSONArrayError {
        JSONArrayError(
            .undecodable, underlying: underlying, byteOffset: elementOffset,
            elementNumber: elementNumber)
    }

    private mutating func readElement() throws(JSONArrayError) -> Data {
        var end = position
        var (depth, isInText, isEscaped, isDone) = (0, false, false, false)
        while !isDone {
            if end == buffer.count {
                guard end - position <= Self.maximumElementByteCount else { throw error(.tooLarge) }
                end -= position
                guard try readChunk() else { throw error(.cutOff) }
                continue
            }
            let byte = buffer[end]
            if isInText {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInText = false
                    isDone = depth == 0
                }
                end += 1
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInText = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { isDone = true } else { depth -= 1 }
                if isDone { continue }
                isDone = depth == 0
            case UInt8(ascii: ","), 0x20, 0x09, 0x0A, 0x0D:
                if depth == 0 {
                    isDone = true
                    continue
                }
            default: break
            }
            end += 1
        }
        guard end > position else { throw error(.malformed) }
        defer { position = end }
        return Data(buffer[position..<end])
    }

    /// The next byte that is no white space, without consuming it; nil at the end of the file.
    private mutating func nextByte() throws(JSONArrayError) -> UInt8? {
        while true {
            while position < buffer.count {
                switch buffer[position] {
                case 0x20, 0x09, 0x0A, 0x0D: position += 1
                default: return buffer[position]
                }
            }
            guard try readChunk() else { return nil }
        }
    }

    /// Drops what was consumed and reads on; false at the end of the file.
    private mutating func readChunk() throws(JSONArrayError) -> Bool {
        bufferOffset += position
        buffer.removeSubrange(..<position)
        position = 0
        let chunk: Data?
        do {
            chunk = try file.read(upToCount: Self.chunkByteCount)
        } catch {
            throw JSONArrayError(
                .unreadable, underlying: error, byteOffset: bufferOffset + buffer.count,
                elementNumber: elementNumber)
        }
        guard let chunk, !chunk.isEmpty else { return false }
        buffer += chunk
        return true
    }

    private func error(_ reason: JSONArrayError.Reason) -> JSONArrayError {
        JSONArrayError(
            reason, underlying: nil, byteOffset: bufferOffset + position,
            elementNumber: elementNumber)
    }
}

/// A file is not the JSON array that a batch insert reads. Nothing was inserted.
public struct JSONArrayError: Error, Sendable {
    public enum Reason: Sendable, Hashable {
        /// The file cannot be opened or read (256).
        case unreadable
        /// The file does not begin with an array (259).
        case notAnArray
        /// The file ends within the array (259).
        case cutOff
        /// An element or a comma is missing, or something follows the array (259).
        case malformed
        /// An element has more than 8 MiB (263).
        case tooLarge
        /// An element is not of the type asked for, or is no JSON (259).
        case undecodable
    }

    public let reason: Reason

    /// Why the file could not be read, or the element not decoded.
    public let underlying: (any Error)?

    /// Where in the file it was found: for an element, where it begins.
    public let byteOffset: Int

    /// The number of the last element that was begun, from 1; 0 before the first one.
    public let elementNumber: Int

    init(_ reason: Reason, underlying: (any Error)?, byteOffset: Int, elementNumber: Int) {
        self.reason = reason
        self.underlying = underlying
        self.byteOffset = byteOffset
        self.elementNumber = elementNumber
    }
}

extension JSONArrayError: CustomStringConvertible {
    public var description: String {
        let sentence =
            switch reason {
            case .unreadable: "The file cannot be read; check its path and permissions."
            case .notAnArray: "The file does not begin with a JSON array; put the objects into one."
            case .cutOff: "The file ends within its JSON array; get the whole file."
            case .malformed: "The JSON array lacks an element or a comma, or something follows it."
            case .tooLarge: "An element has more than 8 MiB; a text may not be closed."
            case .undecodable: "An element cannot be decoded; correct it, or the type asked for."
            }
        let place = " Byte \(byteOffset), element \(elementNumber)."
        return sentence + place + (underlying.map { " \($0)" } ?? "")
    }
}
