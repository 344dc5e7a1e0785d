import Foundation
import Testing

@testable import ObjectGraph

@Suite struct `Binary property lists (§8.5)` {
    /// The bytes of a list of one object.
    private func list(
        _ object: [UInt8], offset: UInt8 = 8, offsetSize: UInt8 = 1, referenceSize: UInt8 = 1,
        count: UInt8 = 1, root: UInt8 = 0
    ) -> Data {
        var data = Data("bplist00".utf8)
        data += object
        data += [offset, 0, 0, 0, 0, 0, 0, offsetSize, referenceSize]
        for number in [count, root, UInt8(8 + object.count)] {
            data += [0, 0, 0, 0, 0, 0, 0, number]
        }
        return data
    }

    private func read(_ object: [UInt8]) throws -> BinaryPropertyList.Object {
        try BinaryPropertyList(list(object)).object(at: 0)
    }

    private static let objects: [([UInt8], BinaryPropertyList.Object)] = [
        ([0x00], .null), ([0x08], .boolean(false)), ([0x09], .boolean(true)),
        ([0x10, 0xFF], .integer(255)), ([0x11, 0xFF, 0xFF], .integer(65535)),
        ([0x12, 0xFF, 0xFF, 0xFF, 0xFF], .integer(4_294_967_295)),
        ([0x13] + [UInt8](repeating: 0xFF, count: 8), .integer(-1)),
        (
            [0x14] + [UInt8](repeating: 0, count: 8) + [UInt8](repeating: 0xFF, count: 8),
            .unsigned(.max)
        ),
        ([0x14] + [UInt8](repeating: 0, count: 15) + [7], .integer(7)),
        ([0x14] + [UInt8](repeating: 0xFF, count: 15) + [0xFE], .integer(-2)),
        ([0x22, 0x3F, 0x00, 0x00, 0x00], .real(0.5)),
        ([0x23, 0x3F, 0xE0, 0, 0, 0, 0, 0, 0], .real(0.5)),
        (
            [0x33, 0x3F, 0xE0, 0, 0, 0, 0, 0, 0],
            .date(Date(timeIntervalSinceReferenceDate: 0.5))
        ),
        ([0x42, 1, 2], .data(Data([1, 2]))), ([0x40], .data(Data())),
        ([0x4F, 0x10, 2, 1, 2], .data(Data([1, 2]))), ([0x52, 0x61, 0x62], .string("ab")),
        ([0x62, 0x00, 0xE9, 0x20, 0xAC], .string("é€")),
        ([0x62, 0xD8, 0x3D, 0xDC, 0x4D], .string("👍")), ([0x61, 0xD8, 0x3D], .string("\u{FFFD}")),
        ([0x80, 5], .uid(5)), ([0x81, 1, 0], .uid(256)),
        ([0x87] + [UInt8](repeating: 0xFF, count: 8), .uid(.max)), ([0xA2, 0, 0], .array([0, 0])),
        ([0xC1, 0], .set([0])), ([0xD1, 0, 0], .dictionary(keys: [0], values: [0])),
        ([0xA1, 9], .array([9])),
    ]

    @Test(arguments: objects)
    func `have objects of these kinds`(
        _ bytes: [UInt8], _ object: BinaryPropertyList.Object
    ) throws {
        #expect(try read(bytes) == object)
    }

    private static let impossible: [[UInt8]] = [
        [0x01], [0x0F], [0x10], [0x11, 0], [0x13, 0], [0x14, 0], [0x15, 0],
        [0x14] + [UInt8](repeating: 1, count: 16), [0x20, 0], [0x21, 0, 0], [0x22, 0], [0x24, 0],
        [0x30], [0x33, 0], [0x32, 0, 0, 0, 0], [0x41], [0x4F], [0x4F, 0x10], [0x4F, 0x51, 2],
        [0x4F, 0x14, 0], [0x4F, 0x13] + [UInt8](repeating: 0xFF, count: 8),
        [0x4F, 0x13, 0x7F] + [UInt8](repeating: 0xFF, count: 7), [0x51], [0x51, 0x80], [0x61, 0],
        [0x6F, 0x13, 0x40, 0, 0, 0, 0, 0, 0, 1], [0x71, 0], [0x80], [0x88, 0], [0x8F], [0x90],
        [0xA1], [0xAF, 0x11, 1], [0xB0], [0xC1], [0xD1, 0],
        [0xDF, 0x13, 0x40, 0, 0, 0, 0, 0, 0, 0], [0xE0], [0xF0],
    ]

    @Test(arguments: impossible)
    func `are damaged where an object does not fit or is of no kind`(_ bytes: [UInt8]) throws {
        #expect {
            _ = try read(bytes)
        } throws: { error in
            if case .damaged? = error as? KeyedArchiveError { true } else { false }
        }
    }

    @Test func `are damaged with a trailer that cannot be`() throws {
        let good = list([0x09])
        #expect(try BinaryPropertyList(good).object(at: 0) == .boolean(true))
        let bad: [Data] = [
            list([0x09], offsetSize: 0), list([0x09], offsetSize: 9),
            list([0x09], referenceSize: 0), list([0x09], count: 0), list([0x09], count: 2),
            list([0x09], root: 1), Data(good.dropLast()), Data(good.prefix(39)),
            good.prefix(good.count - 8) + [0xFF, 0, 0, 0, 0, 0, 0, 0],
            good.prefix(good.count - 8) + [0, 0, 0, 0, 0, 0, 0, 8],
        ]
        for data in bad {
            #expect(throws: KeyedArchiveError.self) { _ = try BinaryPropertyList(data) }
        }
        for data in [Data(), Data("bplist0".utf8), Data("<?xml".utf8)] {
            #expect(throws: KeyedArchiveError.notAnArchive) { _ = try BinaryPropertyList(data) }
        }
        let strays = try [list([0x09], offset: 7), list([0x09], offset: 9)].map {
            try BinaryPropertyList($0)
        }
        for stray in strays {
            #expect(throws: KeyedArchiveError.self) { _ = try stray.object(at: 0) }
            #expect(throws: KeyedArchiveError.self) { _ = try stray.object(at: 1) }
            #expect(throws: KeyedArchiveError.self) { _ = try stray.object(at: -1) }
        }
    }

    /// All objects from the root on, as Foundation returns them.
    private func foundationValue(
        _ list: BinaryPropertyList, at index: Int
    ) throws -> PropertyList {
        switch try list.object(at: index) {
        case .null, .uid, .set: nil
        case .boolean(let value): .boolean(value)
        case .integer(let value): .integer(value)
        case .unsigned(let value): .unsigned(value)
        case .real(let value): .real(value)
        case .date(let value): .date(value)
        case .data(let value): .data(value)
        case .string(let value): .string(value)
        case .array(let values): .array(try values.map { try foundationValue(list, at: $0) })
        case .dictionary(let keys, let values):
            .dictionary(
                try zip(keys, values).reduce(into: [:]) { dictionary, pair in
                    let key = try foundationValue(list, at: pair.0)
                    dictionary[String(propertyList: key)!] = try foundationValue(
                        list, at: pair.1)
                })
        }
    }

    @Test(arguments: [3, 300, 70_000])
    func `that Foundation has written are read`(_ count: Int) throws {
        let value: [String: any Sendable] = [
            "numbers": (0..<count).map { $0 * 1_000_003 }, "negative": -5, "half": 0.5,
            "date": Date(timeIntervalSinceReferenceDate: 1), "data": Data([1, 2]), "yes": true,
            "text": String(repeating: "a", count: count), "wide": String(repeating: "é", count: 20),
        ]
        let data = try PropertyListSerialization.data(
            fromPropertyList: value, format: .binary, options: 0)
        let list = try BinaryPropertyList(data)
        #expect(try foundationValue(list, at: list.rootIndex) == PropertyList(value))
    }

    @Test func `that are written are read by Foundation`() throws {
        let objects: [BinaryPropertyList.Object] = [
            .string("a"), .string("é"), .integer(-1), .integer(70_000), .real(0.5), .boolean(true),
            .data(Data(repeating: 7, count: 300)), .array([0, 1, 2, 3, 4, 5, 6]),
            .dictionary(keys: [0, 1], values: [7, 0]),
        ]
        let data = BinaryPropertyList.data(of: objects, rootIndex: 8)
        let list = try BinaryPropertyList(data)
        for index in objects.indices { #expect(try list.object(at: index) == objects[index]) }
        let read = try PropertyListSerialization.propertyList(from: data, format: nil)
        #expect(PropertyList(read) == (try foundationValue(list, at: 8)))
    }
}
