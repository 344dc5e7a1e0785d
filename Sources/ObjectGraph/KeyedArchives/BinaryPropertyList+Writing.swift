import Foundation

extension BinaryPropertyList {
    /// The bytes of a property list with these objects, which refer to each other by their
    /// positions.
    static func data(of objects: [Object], rootIndex: Int) -> Data {
        var writer = BinaryPropertyListWriter(
            referenceSize: BinaryPropertyListWriter.size(of: UInt64(objects.count)))
        let offsets = objects.map { object in
            defer { writer.write(object) }
            return writer.bytes.count
        }
        return writer.data(offsets: offsets, rootIndex: rootIndex)
    }
}

private struct BinaryPropertyListWriter {
    private(set) var bytes = Array(BinaryPropertyList.magic.utf8)
    private let referenceSize: Int

    init(referenceSize: Int) { self.referenceSize = referenceSize }

    mutating func write(_ object: BinaryPropertyList.Object) {
        switch object {
        case .null: bytes.append(0x00)
        case .boolean(let value): bytes.append(value ? 0x09 : 0x08)
        case .integer(let value): writeInteger(UInt64(bitPattern: value))
        case .unsigned(let value):
            // In eight bytes it would be read as a negative number.
            bytes.append(0x14)
            write(0, size: 8)
            write(value, size: 8)
        case .real(let value): writeReal(value, marker: 0x23)
        case .date(let value): writeReal(value.timeIntervalSinceReferenceDate, marker: 0x33)
        case .data(let value):
            writeMarker(0x40, count: value.count)
            bytes += value
        case .string(let value): writeText(value)
        case .uid(let value):
            let size = Self.size(of: UInt64(value))
            bytes.append(0x80 | UInt8(size - 1))
            write(UInt64(value), size: size)
        case .array(let values):
            writeMarker(0xA0, count: values.count)
            writeReferences(values)
        case .set(let values):
            writeMarker(0xC0, count: values.count)
            writeReferences(values)
        case .dictionary(let keys, let values):
            writeMarker(0xD0, count: keys.count)
            writeReferences(keys)
            writeReferences(values)
        }
    }

    /// Adds the table of offsets and the trailer.
    consuming func data(offsets: [Int], rootIndex: Int) -> Data {
        let tableOffset = bytes.count
        let offsetSize = Self.size(of: UInt64(tableOffset))
        for offset in offsets { write(UInt64(offset), size: offsetSize) }
        bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
        for number in [offsets.count, rootIndex, tableOffset] { write(UInt64(number), size: 8) }
        return Data(bytes)
    }

    /// The smallest power of two, in bytes, that can hold a number.
    static func size(of number: UInt64) -> Int {
        switch number {
        case 0..<1 << 8: 1
        case 0..<1 << 16: 2
        case 0..<1 << 32: 4
        default: 8
        }
    }

    private mutating func writeInteger(_ value: UInt64) {
        let size = Self.size(of: value)
        bytes.append(0x10 | UInt8(size.trailingZeroBitCount))
        write(value, size: size)
    }

    private mutating func writeReal(_ value: Double, marker: UInt8) {
        bytes.append(marker)
        write(value.bitPattern, size: 8)
    }

    private mutating func writeText(_ text: String) {
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            writeMarker(0x50, count: text.utf8.count)
            bytes += text.utf8
        } else {
            writeMarker(0x60, count: text.utf16.count)
            for unit in text.utf16 { write(UInt64(unit), size: 2) }
        }
    }

    private mutating func writeMarker(_ kind: UInt8, count: Int) {
        bytes.append(kind | UInt8(min(count, 0xF)))
        if count >= 0xF { writeInteger(UInt64(count)) }
    }

    private mutating func writeReferences(_ indexes: [Int]) {
        for index in indexes { write(UInt64(index), size: referenceSize) }
    }

    private mutating func write(_ number: UInt64, size: Int) {
        for position in (0..<size).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: number >> (8 * position)))
        }
    }
}
