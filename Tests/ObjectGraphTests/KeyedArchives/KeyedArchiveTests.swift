import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Keyed archives (§8.5)` {
    private static let values: [PropertyList] = [
        nil, true, false, 0, -1, .integer(.max), .integer(.min), .unsigned(.max), 0.5,
        .real(.infinity), "", "abc", "é€👍", "$null", "$class", "NS.objects",
        .string(String(repeating: "long ", count: 100)),
        .date(Date(timeIntervalSinceReferenceDate: 700_000_000.25)), .data(Data()),
        .data(Data((0...255).map { UInt8($0) })), .url(URL(string: "https://example.org/a?b#c")!),
        .url(URL(string: "c/d", relativeTo: URL(string: "https://example.org/a/"))!),
        .uuid(UUID()), [], [:], .set([]), [1, 2, 3], [true, 1, 1.0, "1", nil],
        ["a", "a", "e\u{301}", "é"], ["a": 1, "$null": nil, "": [[]]], .set([1, 2, "a"]),
        .set([[1], [2], ["a": .set([3])]]), [["k": "v"], ["k": "v"], ["k": ["k": "k"]]],
        .array((0..<1000).map { .integer($0) }),
    ]

    @Test(arguments: values)
    func `give back what was archived`(_ value: PropertyList) throws {
        let data = try value.archived()
        #expect(data.starts(with: Data("bplist00".utf8)))
        #expect(try PropertyList(unarchiving: data) == value)
    }

    @Test func `keep the form of equal strings`() throws {
        let forms: PropertyList = ["e\u{301}", "é"]
        guard case .array(let read) = try PropertyList(unarchiving: forms.archived()),
            case .string(let first) = read[0], case .string(let second) = read[1]
        else {
            Issue.record("no strings")
            return
        }
        #expect(first.unicodeScalars.count == 2 && second.unicodeScalars.count == 1)
    }

    private static let classes: [AnyClass] = [
        NSArray.self, NSSet.self, NSDictionary.self, NSString.self, NSNumber.self, NSDate.self,
        NSData.self, NSURL.self, NSUUID.self, NSNull.self,
    ]

    /// The object that Foundation unarchives, as a property list.
    private func propertyList(_ object: Any?) -> PropertyList? {
        switch object {
        case nil, is NSNull: nil as PropertyList
        case let value as NSNumber: PropertyList(value)
        case let value as NSString: .string("\(value)")
        case let value as NSDate:
            .date(
                Date(timeIntervalSinceReferenceDate: value.timeIntervalSinceReferenceDate))
        case let value as NSData: .data(Data(referencing: value))
        case let value as NSURL:
            URL(string: value.relativeString, relativeTo: value.baseURL).map { .url($0) }
        case let value as NSUUID: UUID(uuidString: value.uuidString).map { .uuid($0) }
        case let value as NSArray: .array(value.map { propertyList($0)! })
        case let value as NSSet: .set(Set(value.map { propertyList($0)! }))
        case let value as NSDictionary:
            .dictionary(
                value.reduce(into: [:]) { $0["\($1.key)"] = propertyList($1.value) })
        default: object.flatMap { PropertyList($0) }
        }
    }

    @Test(arguments: values)
    func `are read by Foundation`(_ value: PropertyList) throws {
        let object = try NSKeyedUnarchiver.unarchivedObject(
            ofClasses: Self.classes, from: try value.archived())
        #expect(propertyList(object) == value)
    }

    /// Has no equal numbers of different types: Foundation on Linux stores only one of them.
    @Test func `of Foundation are read`() throws {
        let url = URL(string: "https://example.org/a")!
        let uuid = UUID()
        let object: NSDictionary = [
            "array": NSArray(array: ["a", "b", 1, 0.5]),
            "mutable": NSMutableArray(array: [NSMutableString(string: "text"), false]),
            "set": NSSet(array: [1, 2]), "dictionary": NSMutableDictionary(dictionary: ["a": "b"]),
            "date": NSDate(timeIntervalSinceReferenceDate: 0.5),
            "data": NSMutableData(data: Data([1, 2])), "url": NSURL(string: url.absoluteString)!,
            "uuid": NSUUID(uuidString: uuid.uuidString)!,
            "null": NSNull(), "wide": NSString(string: "é"),
        ]
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: object, requiringSecureCoding: true)
        let expected: [String: PropertyList] = [
            "array": ["a", "b", 1, 0.5], "mutable": ["text", false], "set": .set([1, 2]),
            "dictionary": ["a": "b"], "date": .date(Date(timeIntervalSinceReferenceDate: 0.5)),
            "data": .data(Data([1, 2])), "uuid": .uuid(uuid), "null": nil, "wide": "é",
            "url": .url(url),
        ]
        let read = try PropertyList(unarchiving: data)
        guard case .dictionary(let values) = read else {
            Issue.record("\(read)")
            return
        }
        #expect(values.count == expected.count)
        for (key, value) in expected { #expect(values[key] == value, "\(key)") }
    }

    @Test func `made by hand are read`() throws {
        var archive = HandmadeArchive()
        let title = archive.node("NSMutableString", ["NS.string": archive.string("title")])
        // Fields may be in the node or be references.
        let text = archive.reference(to: archive.string("text"))
        let value = archive.node("NSString", ["NS.string": text])
        let time = archive.node("NSDate", ["NS.time": archive.add(.integer(7))])
        let number = archive.node("NSNumber", ["NS.intval": archive.add(.integer(5))])
        let data = archive.node("NSMutableData", ["NS.data": archive.add(.data(Data([1])))])
        let keys = archive.add(.array([title, text]))
        let inner = archive.node(
            "NSMutableSet", ["NS.objects": archive.add(.array([time, number, data]))])
        let root = archive.node(
            "NSMutableDictionary",
            ["NS.keys": keys, "NS.objects": archive.add(.array([value, inner]))])
        #expect(
            try PropertyList(unarchiving: archive.data(root: root)) == [
                "title": "text",
                "text": .set([
                    .date(Date(timeIntervalSinceReferenceDate: 7)), 5, .data(Data([1])),
                ]),
            ])
    }

    @Test func `have a nil, which is null`() throws {
        var archive = HandmadeArchive()
        let null = archive.add(.uid(0))
        #expect(try PropertyList(unarchiving: archive.data(root: null)) == nil)
        let root = archive.array([null])
        #expect(try PropertyList(unarchiving: archive.data(root: root)) == [nil])
    }

    // MARK: - What is refused

    private func error(_ data: Data) -> KeyedArchiveError? {
        do {
            _ = try PropertyList(unarchiving: data)
            return nil
        } catch { return error }
    }

    private func error(_ make: (inout HandmadeArchive) -> Int) -> KeyedArchiveError? {
        var archive = HandmadeArchive()
        let root = make(&archive)
        return error(archive.data(root: root))
    }

    @Test func `of other objects are refused with the class`() {
        let error = error { $0.array([$0.node("Colour", [:])]) }
        #expect(error == .unsupportedClass("Colour"))
        #expect("\(error!)".contains("'Colour'"))
        #expect(error?.localizedDescription == "\(error!)")
    }

    @Test func `of other data are refused`() throws {
        let archive = HandmadeArchive()
        #expect(error(archive.data(root: 0, archiver: "Other")) == .notAnArchive)
        #expect(error(Data("[1]".utf8)) == .notAnArchive)
        #expect(error(Data()) == .notAnArchive)
        let list = try PropertyListSerialization.data(
            fromPropertyList: ["a": 1], format: .binary, options: 0)
        #expect(error(list) == .notAnArchive)
    }

    @Test func `of dictionaries with other keys are refused`() {
        let error = error { archive in
            let one = archive.reference(to: archive.add(.integer(1)))
            return archive.node(
                "NSDictionary",
                ["NS.keys": archive.add(.array([one])), "NS.objects": archive.add(.array([one]))])
        }
        #expect(error == .unsupportedKey)
    }

    private static let faults: [@Sendable (inout HandmadeArchive) -> Int] = [
        { $0.add(.uid(1000)) }, { $0.add(.uid(.max)) }, { $0.add(.array([])) },
        { $0.reference(to: $0.add(.uid(0))) },
        { $0.reference(to: $0.add(.dictionary(keys: [], values: []))) },
        { $0.node("NSArray", [:]) }, { $0.node("NSArray", ["NS.objects": $0.string("a")]) },
        { $0.node("NSDate", [:]) }, { $0.node("NSDate", ["NS.time": $0.string("a")]) },
        { $0.node("NSUUID", ["NS.uuidbytes": $0.add(.data(Data([1])))]) },
        { $0.node("NSString", [:]) }, { $0.node("NSData", [:]) }, { $0.node("NSURL", [:]) },
        { $0.node("NSNumber", ["NS.intval": $0.string("a")]) },
        { archive in
            let key = archive.reference(to: archive.string("k"))
            return archive.node(
                "NSDictionary",
                ["NS.keys": archive.add(.array([key])), "NS.objects": archive.add(.array([]))])
        },
        { archive in
            let key = archive.reference(to: archive.string("k"))
            let list = archive.add(.array([key, key]))
            return archive.node("NSDictionary", ["NS.keys": list, "NS.objects": list])
        },
    ]

    @Test(arguments: faults.indices)
    func `that do not fit together are damaged`(_ index: Int) {
        guard case .damaged(let fault, let offset)? = error({ Self.faults[index](&$0) }) else {
            Issue.record("\(String(describing: error({ Self.faults[index](&$0) })))")
            return
        }
        #expect(!fault.isEmpty && offset >= 8)
    }

    private func isCircular(_ error: KeyedArchiveError?) -> Bool {
        if case .circular? = error { true } else { false }
    }

    @Test func `of objects that contain themselves are refused`() {
        let itself = error { archive in
            let reference = archive.add(.uid(archive.nextNumber))
            return archive.array([reference])
        }
        #expect(isCircular(itself), "\(itself as Any)")
        let inTwoSteps = error { archive in
            let reference = archive.add(.uid(archive.nextNumber))
            let inner = archive.add(.uid(archive.nextNumber + 2))
            let outer = archive.array([inner])
            _ = archive.array([reference])
            return outer
        }
        #expect(isCircular(inTwoSteps), "\(inTwoSteps as Any)")
        let className = error { archive in
            let ownClass = archive.add(.uid(archive.nextNumber))
            let place = archive.add(
                .dictionary(
                    keys: [archive.string("$class"), archive.string("$classname")],
                    values: [ownClass, ownClass]))
            return archive.reference(to: place)
        }
        #expect(isCircular(className), "\(className as Any)")
    }

    /// Arrays of one element within each other.
    private func nest(
        _ levels: Int, around inner: Int, in archive: inout HandmadeArchive
    ) -> Int {
        (0..<levels).reduce(inner) { inner, _ in archive.array([inner]) }
    }

    @Test func `of too many levels are refused`() throws {
        let limit = PropertyList.maximumDepth
        func error(_ levels: Int) -> KeyedArchiveError? {
            self.error { nest(levels, around: $0.add(.uid(0)), in: &$0) }
        }
        #expect(error(limit) == nil)
        #expect(error(limit + 1) == .tooDeep(limit: limit))
        #expect(error(20_000) == .tooDeep(limit: limit))
        // The inner levels are read before the outer ones.
        let twice = self.error { archive in
            let inner = nest(200, around: archive.add(.uid(0)), in: &archive)
            let outer = nest(200, around: inner, in: &archive)
            return archive.array([inner, outer])
        }
        #expect(twice == .tooDeep(limit: limit))

        func nested(_ levels: Int) -> PropertyList {
            (1..<levels).reduce([]) { inner, _ in [inner] }
        }
        let deepest = nested(limit)
        #expect(try PropertyList(unarchiving: deepest.archived()) == deepest)
        #expect(throws: KeyedArchiveError.tooDeep(limit: limit)) {
            _ = try nested(limit + 1).archived()
        }
    }

    @Test func `whose few objects are billions of values are refused`() {
        for className in ["NSArray", "NSSet"] {
            let error = error { archive in
                (0..<40).reduce(archive.add(.uid(0))) { inner, _ in
                    archive.node(
                        className, ["NS.objects": archive.add(.array([inner, inner]))])
                }
            }
            #expect(error == .tooLarge(limit: 1 << 20))
        }
        var archive = HandmadeArchive()
        let text = archive.reference(to: archive.string("shared"))
        let row = archive.array([Int](repeating: text, count: 100))
        let root = archive.array([Int](repeating: row, count: 100))
        let shared = try? PropertyList(unarchiving: archive.data(root: root))
        let strings = PropertyList.array([PropertyList](repeating: "shared", count: 100))
        #expect(shared == .array([PropertyList](repeating: strings, count: 100)))
    }

    @Test func `whose objects overlap are refused`() throws {
        var archive = HandmadeArchive()
        let long = archive.string(String(repeating: "a", count: 100_000))
        let copies = (0..<1000).map { _ in archive.reference(to: archive.add(.null)) }
        let root = archive.array(copies)
        var data = archive.data(root: root)
        // Replaces the four-byte offsets so that all copies refer to the string.
        let table = data.count - 32 - 4 * (try BinaryPropertyList(data).count)
        let offset = data[(table + 4 * long)..<(table + 4 * long + 4)]
        let nulls = archive.objects.indices.filter { archive.objects[$0] == .null }
        for index in nulls {
            let entry = table + 4 * index
            data.replaceSubrange(entry..<entry + 4, with: offset)
        }
        #expect(error(data) == .tooLarge(limit: 1 << 20))
    }

    // MARK: - Damage

    private static let sample: PropertyList = [
        "title": "Reisen", "wide": "é€", "numbers": [1, -2, 70_000, 0.5, true, nil],
        "date": .date(Date(timeIntervalSinceReferenceDate: 1)), "data": .data(Data([1, 2, 3])),
        "url": .url(URL(string: "b", relativeTo: URL(string: "https://example.org/a/"))!),
        "uuid": .uuid(UUID()), "set": .set(["a", ["k": "v"]]),
    ]

    @Test func `cut off anywhere are errors`() throws {
        let data = try Self.sample.archived()
        for count in 0..<data.count { #expect(error(data.prefix(count)) != nil, "\(count)") }
        // A slice is read as it is.
        #expect(try PropertyList(unarchiving: (Data([1]) + data).dropFirst()) == Self.sample)
    }

    @Test func `with any damage give a value or an error`() throws {
        var generator = SeededGenerator.fromEnvironment()
        let data = try Self.sample.archived()
        var values = 0
        for _ in 0..<5_000 {
            var damaged = data
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let byte = UInt8.random(in: 0...255, using: &generator)
                // Half of the damage hits the table and the trailer.
                let start = Bool.random(using: &generator) ? 0 : data.count - 100
                damaged[Int.random(in: start..<data.count, using: &generator)] = byte
            }
            if let list = try? BinaryPropertyList(damaged) {
                for index in 0..<min(list.count, 200) { _ = try? list.object(at: index) }
            }
            guard let value = try? PropertyList(unarchiving: damaged) else { continue }
            values += 1
            _ = try value.archived()
        }
        #expect((1..<5_000).contains(values), "TEST_SEED=\(generator.seed)")
    }
}
