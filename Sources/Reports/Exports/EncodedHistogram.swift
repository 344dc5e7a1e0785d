import Foundation

/// An HDR histogram of values from 1 to an hour in nanoseconds, with three significant digits, in the
/// compressed encoding that its readers share.
///
/// The counts are written as the format wants them, but in a stored block of zlib, since this module
/// links no compressor. Readers need not know.
///
/// Source: V2 encoding of HdrHistogram 2.2 (EncodableHistogram, ZigZagEncoding); RFC 1950 and 1951.
struct EncodedHistogram {
    /// In Base64.
    let text: String

    private static let highestValue: UInt64 = 3_600_000_000_000

    /// - Parameter counts: of the buckets of ``LatencyRecorder``, which are those of the format.
    init(_ counts: [UInt64]) {
        let payload = Self.payload(counts)
        var plain = Data()
        plain.append(bigEndian: UInt32(0x1c84_9313))
        plain.append(bigEndian: UInt32(payload.count))
        plain.append(bigEndian: UInt32(0))  // The offset of normalized indexes.
        plain.append(bigEndian: UInt32(3))  // Significant digits.
        plain.append(bigEndian: UInt64(1))
        plain.append(bigEndian: Self.highestValue)
        plain.append(bigEndian: (1.0).bitPattern)  // A value is a whole number of units.
        plain.append(payload)
        let stored = Self.stored(plain)
        var compressed = Data()
        compressed.append(bigEndian: UInt32(0x1c84_9314))
        compressed.append(bigEndian: UInt32(stored.count))
        compressed.append(stored)
        text = compressed.base64EncodedString()
    }

    /// The counts; a number below 0 stands for as many empty buckets.
    private static func payload(_ counts: [UInt64]) -> Data {
        var payload = Data()
        var index = 0
        while index < counts.count {
            let emptyCount = counts[index...].prefix { $0 == 0 }.count
            payload.append(
                zigZag: emptyCount > 0 ? Int64(-emptyCount) : Int64(clamping: counts[index]))
            index += max(emptyCount, 1)
        }
        return payload
    }

    /// The bytes in the format of zlib, without compression.
    private static func stored(_ bytes: Data) -> Data {
        let blockSize = 65_535
        var result = Data([0x78, 0x01])
        var rest = bytes[...]
        repeat {
            let block = rest.prefix(blockSize)
            rest = rest.dropFirst(blockSize)
            let count = UInt16(block.count)
            result.append(rest.isEmpty ? 1 : 0)
            result.append(bigEndian: count.byteSwapped)
            result.append(bigEndian: (~count).byteSwapped)
            result.append(block)
        } while !rest.isEmpty
        result.append(bigEndian: adler32(bytes))
        return result
    }

    private static func adler32(_ bytes: Data) -> UInt32 {
        var (sum, sumOfSums): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            sum = (sum + UInt32(byte)) % 65_521
            sumOfSums = (sumOfSums + sum) % 65_521
        }
        return sumOfSums << 16 | sum
    }
}

extension Data {
    fileprivate mutating func append(bigEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }

    /// Seven bits a byte, the lowest ones first; a ninth byte has eight.
    fileprivate mutating func append(zigZag number: Int64) {
        var rest = UInt64(bitPattern: number << 1 ^ number >> 63)
        for _ in 0..<8 {
            if rest <= 0x7f { break }
            append(UInt8(rest & 0x7f) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }
}
