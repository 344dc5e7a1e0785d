import Foundation

/// A binary property list (`bplist00`), read one object at a time.
///
/// Objects refer to each other by index, so the caller can detect shared objects and cycles. The
/// bytes are not trusted: a read returns an object or throws. Its cost is linear in the size of the
/// object.
///
/// The format is CoreFoundation's (CFBinaryPList.c): a magic number of eight bytes, the objects, a
/// table of their offsets, and a trailer of 32 bytes. All numbers are big-endian.
struct BinaryPropertyList: Sendable {
    enum Object: Sendable, Hashable {
        case null
        case boolean(Bool)
        case integer(Int64)
        /// Above `Int64.max`.
        case unsigned(UInt64)
        case real(Double)
        case date(Date)
        case data(Data)
        case string(String)
        /// The number of an object in a keyed archive.
        case uid(Int)
        case array([Int])
        case set([Int])
        /// The value of each key is at the same position.
        case dictionary(keys: [Int], values: [Int])
    }

    static let magic = "bplist00"
    static let trailerSize = 32

    /// The number of objects.
    let count: Int
    let rootIndex: Int
    private let bytes: [UInt8]

    /// The start of the table of offsets, and the end of the objects.
    private let tableOffset: Int

    /// The sizes of an offset and of a reference, in bytes.
    private let offsetSize: Int
    private let referenceSize: Int

    /// - Throws: `KeyedArchiveError.notAnArchive` if the magic number is missing, `.damaged` if the
    ///   trailer contradicts the size.
    init(_ data: Data) throws(KeyedArchiveError) {
        bytes = [UInt8](data)
        guard bytes.starts(with: Self.magic.utf8) else { throw .notAnArchive }
        let trailer = bytes.count - Self.trailerSize
        guard trailer > Self.magic.utf8.count else {
            throw .damaged("no trailer", offset: bytes.count)
        }
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        count = Self.number(in: bytes, at: trailer + 8, size: 8)
        rootIndex = Self.number(in: bytes, at: trailer + 16, size: 8)
        tableOffset = Self.number(in: bytes, at: trailer + 24, size: 8)
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            tableOffset > Self.magic.utf8.count, tableOffset <= trailer,
            count <= (trailer - tableOffset) / offsetSize, rootIndex < count
        else { throw .damaged("an impossible trailer", offset: trailer) }
    }

    /// - Throws: `KeyedArchiveError.damaged`.
    func object(at index: Int) throws(KeyedArchiveError) -> Object {
        let start = try offset(of: index)
        switch bytes[start] >> 4 {
        case 0x0: return try simple(at: start)
        case 0x1: return try integer(at: start)
        case 0x2: return .real(try real(at: start))
        case 0x3 where bytes[start] == 0x33:
            return .date(Date(timeIntervalSinceReferenceDate: try real(at: start)))
        case 0x4: return .data(Data(bytes[try items(at: start, size: 1)]))
        case 0x5: return .string(try text(at: start))
        case 0x6: return .string(try wideText(at: start))
        case 0x8: return .uid(try uid(startingAt: start))
        case 0xA: return .array(try references(at: start))
        case 0xC: return .set(try references(at: start))
        case 0xD:
            let all = try references(at: start, perItem: 2)
            return .dictionary(
                keys: Array(all.prefix(all.count / 2)), values: Array(all.suffix(all.count / 2)))
        default: throw .damaged("an object of unknown kind", offset: start)
        }
    }

    /// Whether the object is this ASCII string. Other strings are not decoded.
    func isString(_ text: String, at index: Int) throws(KeyedArchiveError) -> Bool {
        let start = try offset(of: index)
        guard bytes[start] >> 4 == 0x5 else { return false }
        let range = try items(at: start, size: 1)
        return range.count == text.utf8.count && bytes[range].elementsEqual(text.utf8)
    }

    /// The number in a reference of a keyed archive; nil for any other object, which is not
    /// decoded.
    func uid(at index: Int) throws(KeyedArchiveError) -> Int? {
        let start = try offset(of: index)
        return bytes[start] >> 4 == 0x8 ? try uid(startingAt: start) : nil
    }

    /// The position of an object's first byte.
    func offset(of index: Int) throws(KeyedArchiveError) -> Int {
        guard (0..<count).contains(index) else {
            throw .damaged("a reference to object \(index) of only \(count)", offset: tableOffset)
        }
        let entry = tableOffset + index * offsetSize
        let offset = number(at: entry, size: offsetSize)
        guard offset >= Self.magic.utf8.count, offset < tableOffset else {
            throw .damaged("an impossible offset", offset: entry)
        }
        return offset
    }

    // MARK: - Kinds of objects

    private func simple(at start: Int) throws(KeyedArchiveError) -> Object {
        switch bytes[start] {
        case 0x00: return .null
        case 0x08: return .boolean(false)
        case 0x09: return .boolean(true)
        default: throw .damaged("an object of unknown kind", offset: start)
        }
    }

    /// Integers of 1, 2 and 4 bytes are unsigned, those of 8 and 16 bytes are signed.
    private func integer(at start: Int) throws(KeyedArchiveError) -> Object {
        let size = try powerOfTwo(at: start, upTo: 4)
        guard size == 16 else {
            return .integer(Int64(bitPattern: bits(at: start + 1, size: size)))
        }
        let (high, low) = (bits(at: start + 1, size: 8), bits(at: start + 9, size: 8))
        if high == 0 { return Int64(exactly: low).map { .integer($0) } ?? .unsigned(low) }
        guard high == UInt64.max, low >> 63 == 1 else {
            throw .damaged("an integer of more than 64 bits", offset: start)
        }
        return .integer(Int64(bitPattern: low))
    }

    private func real(at start: Int) throws(KeyedArchiveError) -> Double {
        switch try powerOfTwo(at: start, upTo: 3) {
        case 4: return Double(Float(bitPattern: UInt32(bits(at: start + 1, size: 4))))
        case 8: return Double(bitPattern: bits(at: start + 1, size: 8))
        default: throw .damaged("a real number that has neither 4 nor 8 bytes", offset: start)
        }
    }

    private func uid(startingAt start: Int) throws(KeyedArchiveError) -> Int {
        let size = Int(bytes[start] & 0xF) + 1
        guard size <= 8, size < tableOffset - start else {
            throw .damaged("a number that is too long", offset: start)
        }
        return number(at: start + 1, size: size)
    }

    private func text(at start: Int) throws(KeyedArchiveError) -> String {
        let range = try items(at: start, size: 1)
        guard bytes[range].allSatisfy({ $0 < 0x80 }) else {
            throw .damaged("an ASCII string with other characters", offset: start)
        }
        return String(decoding: bytes[range], as: UTF8.self)
    }

    private func wideText(at start: Int) throws(KeyedArchiveError) -> String {
        let range = try items(at: start, size: 2)
        let units = stride(from: range.lowerBound, to: range.upperBound, by: 2).map {
            UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
        }
        return String(decoding: units, as: UTF16.self)
    }

    private func references(
        at start: Int, perItem: Int = 1
    ) throws(KeyedArchiveError) -> [Int] {
        let range = try items(at: start, size: perItem * referenceSize)
        return stride(from: range.lowerBound, to: range.upperBound, by: referenceSize).map {
            number(at: $0, size: referenceSize)
        }
    }

    // MARK: - Bytes

    /// The bytes of the items of a string, data or collection; `size` is that of one item.
    ///
    /// Counts from 15 on are stored as an integer between the marker and the items.
    private func items(at start: Int, size: Int) throws(KeyedArchiveError) -> Range<Int> {
        var (first, count) = (start + 1, Int(bytes[start] & 0xF))
        if count == 0xF {
            guard first < tableOffset, bytes[first] >> 4 == 0x1 else {
                throw .damaged("a collection without a count", offset: start)
            }
            let width = try powerOfTwo(at: first, upTo: 3)
            count = number(at: first + 1, size: width)
            first += 1 + width
        }
        guard count <= (tableOffset - first) / size else {
            throw .damaged("a collection that is too long", offset: start)
        }
        return first..<first + count * size
    }

    /// The size in bytes of a number. Its marker holds the logarithm of the size.
    private func powerOfTwo(
        at start: Int, upTo greatest: UInt8
    ) throws(KeyedArchiveError) -> Int {
        let logarithm = bytes[start] & 0xF
        guard logarithm <= greatest, 1 << logarithm < tableOffset - start else {
            throw .damaged("a number that is too long", offset: start)
        }
        return 1 << logarithm
    }

    /// The number in up to eight bytes, which must exist. Numbers above `Int.max` become `Int.max`,
    /// which is not a valid count, index or offset either.
    private func number(at offset: Int, size: Int) -> Int {
        Self.number(in: bytes, at: offset, size: size)
    }

    private func bits(at offset: Int, size: Int) -> UInt64 {
        Self.bits(in: bytes, at: offset, size: size)
    }

    private static func number(in bytes: [UInt8], at offset: Int, size: Int) -> Int {
        Int(clamping: bits(in: bytes, at: offset, size: size))
    }

    private static func bits(in bytes: [UInt8], at offset: Int, size: Int) -> UInt64 {
        bytes[offset..<offset + size].reduce(0) { $0 << 8 | UInt64($1) }
    }
}
