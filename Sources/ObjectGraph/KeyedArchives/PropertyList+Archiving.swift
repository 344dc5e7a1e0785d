import Foundation

extension PropertyList {
    /// The keyed archive of the value, in the format of `NSKeyedArchiver`.
    ///
    /// It does not use `NSKeyedArchiver`: on Linux that stores equal numbers once, so
    /// `[true, 1, 1.0]` would be read as three equal values.
    ///
    /// - Throws: `KeyedArchiveError.tooDeep`.
    func archived() throws(KeyedArchiveError) -> Data {
        var archiver = Archiver()
        return try archiver.archive(self)
    }
}

/// Lays out the objects of a keyed archive.
private struct Archiver {
    private var objects: [BinaryPropertyList.Object] = []

    /// The indexes of the objects that have a number, by their numbers.
    private var numbered: [Int] = []

    /// The index of the reference to an object, by the index of the object.
    private var references: [Int: Int] = [:]

    /// The indexes of strings by their UTF-8, because strings that are equal in Swift may have
    /// different bytes.
    private var strings: [Data: Int] = [:]
    private var classes: [String: Int] = [:]

    private static let null = "$null"

    mutating func archive(_ value: PropertyList) throws(KeyedArchiveError) -> Data {
        _ = reference(to: string(Self.null))
        let root = try reference(to: value, depth: 0)
        let archive = dictionary([
            ("$version", add(.integer(KeyedArchive.version))),
            ("$archiver", string(KeyedArchive.archiver)),
            ("$top", dictionary([("root", root)])),
            ("$objects", add(.array(numbered))),
        ])
        return BinaryPropertyList.data(of: objects, rootIndex: archive)
    }

    /// Adds a value and returns the index of a reference to it.
    private mutating func reference(
        to value: PropertyList, depth: Int
    ) throws(KeyedArchiveError) -> Int {
        switch value {
        case .null: return node("NSNull")
        case .boolean(let value): return reference(to: add(.boolean(value)))
        case .integer(let value): return reference(to: add(.integer(value)))
        case .unsigned(let value): return reference(to: add(.unsigned(value)))
        case .real(let value): return reference(to: add(.real(value)))
        case .data(let value): return reference(to: add(.data(value)))
        // Written as a plain string, this one would mean nil.
        case .string(Self.null): return node("NSMutableString", [("NS.string", string(Self.null))])
        case .string(let value): return reference(to: string(value))
        case .date(let value):
            let time = add(.real(value.timeIntervalSinceReferenceDate))
            return node("NSDate", [("NS.time", time)])
        case .uuid(let value):
            let bytes = withUnsafeBytes(of: value.uuid) { Data($0) }
            return node("NSUUID", [("NS.uuidbytes", add(.data(bytes)))])
        case .url(let value):
            // The base URL itself is written without a base.
            var base = reference(to: string(Self.null))
            if let url = value.baseURL.flatMap({ URL(string: $0.absoluteString) }) {
                base = try reference(to: .url(url), depth: depth)
            }
            let relative = reference(to: string(value.relativeString))
            return node("NSURL", [("NS.base", base), ("NS.relative", relative)])
        case .array(let values): return try collection("NSArray", values, depth: depth)
        case .set(let values): return try collection("NSSet", Array(values), depth: depth)
        case .dictionary(let values):
            let sorted = values.sorted { $0.key < $1.key }
            return try collection(
                "NSDictionary", sorted.map(\.value), keys: sorted.map(\.key), depth: depth)
        }
    }

    private mutating func collection(
        _ className: String, _ values: [PropertyList], keys: [String]? = nil, depth: Int
    ) throws(KeyedArchiveError) -> Int {
        guard depth < PropertyList.maximumDepth else {
            throw .tooDeep(limit: PropertyList.maximumDepth)
        }
        var fields: [(String, Int)] = []
        if let keys {
            var indexes: [Int] = []
            for key in keys { indexes.append(try reference(to: .string(key), depth: depth + 1)) }
            fields.append(("NS.keys", add(.array(indexes))))
        }
        var indexes: [Int] = []
        for value in values { indexes.append(try reference(to: value, depth: depth + 1)) }
        fields.append(("NS.objects", add(.array(indexes))))
        return node(className, fields)
    }

    // MARK: - Objects

    private mutating func add(_ object: BinaryPropertyList.Object) -> Int {
        objects.append(object)
        return objects.count - 1
    }

    private mutating func string(_ text: String) -> Int {
        let bytes = Data(text.utf8)
        if let index = strings[bytes] { return index }
        let index = add(.string(text))
        strings[bytes] = index
        return index
    }

    private mutating func dictionary(_ fields: [(String, Int)]) -> Int {
        var keys: [Int] = []
        for field in fields { keys.append(string(field.0)) }
        return add(.dictionary(keys: keys, values: fields.map(\.1)))
    }

    /// Adds an object of a class and returns the index of a reference to it.
    private mutating func node(_ className: String, _ fields: [(String, Int)] = []) -> Int {
        reference(to: dictionary(fields + [("$class", classReference(className))]))
    }

    private mutating func classReference(_ name: String) -> Int {
        if let index = classes[name] { return reference(to: index) }
        let ancestors = name == "NSMutableString" ? ["NSString", "NSObject"] : ["NSObject"]
        var chain: [Int] = []
        for name in [name] + ancestors { chain.append(string(name)) }
        let index = dictionary([("$classname", string(name)), ("$classes", add(.array(chain)))])
        classes[name] = index
        return reference(to: index)
    }

    /// The index of a reference to an object. Gives the object a number if it has none.
    private mutating func reference(to index: Int) -> Int {
        if let reference = references[index] { return reference }
        numbered.append(index)
        let reference = add(.uid(numbered.count - 1))
        references[index] = reference
        return reference
    }
}
