import Foundation

extension PropertyList {
    /// The value in data that `NSKeyedArchiver` wrote.
    ///
    /// Time and memory are linear in the number of bytes. An archive that repeats shared objects
    /// may always contain a million values.
    ///
    /// - Throws: `KeyedArchiveError` for any bytes that cannot be read.
    init(unarchiving data: Data) throws(KeyedArchiveError) {
        let archive = try KeyedArchive(data)
        var reader = PropertyListUnarchiver(archive, byteCount: data.count)
        self = try reader.value(at: archive.rootIndex)
    }
}

/// Converts the objects of a keyed archive to property lists. Each object is read once.
struct PropertyListUnarchiver {
    /// An object that has been read.
    private struct Entry {
        let value: PropertyList

        /// The number of values in it, including itself and each repetition.
        var count = 1

        /// The levels of collections.
        var depth = 0
    }

    private let archive: KeyedArchive
    private let maximumCount: Int

    /// The number of bytes that may still be decoded. Every object is decoded once, so only
    /// overlapping objects exhaust it. UTF-8 can be half as long again as the UTF-16 in the
    /// archive.
    private var bytesLeft: Int
    private var finished: [Int: Entry] = [:]
    private var classNames: [Int: String] = [:]

    /// The objects that are being read, each within the previous one.
    private var path: Set<Int> = []

    /// - Parameter byteCount: The size of the archive. Everything that is read together takes time
    ///   and memory in proportion to it.
    init(_ archive: KeyedArchive, byteCount: Int) {
        self.archive = archive
        bytesLeft = 2 * byteCount
        maximumCount = max(byteCount, 1 << 20)
    }

    /// The object at an index; nil is null.
    mutating func value(at index: Int?) throws(KeyedArchiveError) -> PropertyList {
        try entry(at: index).value
    }

    private mutating func entry(at index: Int?) throws(KeyedArchiveError) -> Entry {
        guard let index else { return Entry(value: .null) }
        if let entry = finished[index] { return entry }
        // A few levels more than for collections, because elements and their fields count here too.
        guard path.count <= PropertyList.maximumDepth + 8 else {
            throw .tooDeep(limit: PropertyList.maximumDepth)
        }
        guard path.insert(index).inserted else {
            throw .circular(offset: try archive.list.offset(of: index))
        }
        defer { path.remove(index) }
        let entry = try makeEntry(at: index)
        finished[index] = entry
        return entry
    }

    private mutating func makeEntry(at index: Int) throws(KeyedArchiveError) -> Entry {
        switch try archive.list.object(at: index) {
        case .null: return Entry(value: .null)
        case .boolean(let value): return Entry(value: .boolean(value))
        case .integer(let value): return Entry(value: .integer(value))
        case .unsigned(let value): return Entry(value: .unsigned(value))
        case .real(let value): return Entry(value: .real(value))
        case .date(let value): return Entry(value: .date(value))
        case .data(let value):
            try spend(value.count)
            return Entry(value: .data(value))
        case .string(let value):
            try spend(value.utf8.count)
            return Entry(value: .string(value))
        case .dictionary(let keys, let values):
            try spend(2 * keys.count)
            return try entry(of: KeyedArchive.Node(index: index, keys: keys, values: values))
        case .uid, .array, .set: throw try damaged("an object without a class", at: index)
        }
    }

    private mutating func entry(
        of node: KeyedArchive.Node
    ) throws(KeyedArchiveError) -> Entry {
        let className = try className(of: node)
        switch className {
        case "NSArray", "NSMutableArray":
            let elements = try entries(in: "NS.objects", of: node)
            return try collection(.array(elements.map(\.value)), of: elements)
        case "NSSet", "NSMutableSet":
            let elements = try entries(in: "NS.objects", of: node)
            return try collection(.set(Set(elements.map(\.value))), of: elements)
        case "NSDictionary", "NSMutableDictionary": return try dictionary(node)
        case "NSString", "NSMutableString":
            return Entry(value: .string(try string(in: "NS.string", of: node)))
        case "NSNumber": return Entry(value: try number(node))
        case "NSDate":
            guard let time = Double(propertyList: try value(in: "NS.time", of: node)) else { break }
            return Entry(value: .date(Date(timeIntervalSinceReferenceDate: time)))
        case "NSData", "NSMutableData":
            guard case .data(let data) = try value(in: "NS.data", of: node) else { break }
            return Entry(value: .data(data))
        case "NSUUID":
            guard case .data(let bytes) = try value(in: "NS.uuidbytes", of: node),
                let uuid = UUID(bytes: bytes)
            else { break }
            return Entry(value: .uuid(uuid))
        case "NSURL": return Entry(value: .url(try url(node)))
        case "NSNull": return Entry(value: .null)
        default: throw .unsupportedClass(className)
        }
        throw try damaged("an impossible \(className)", at: node.index)
    }

    // MARK: - Collections

    private mutating func dictionary(
        _ node: KeyedArchive.Node
    ) throws(KeyedArchiveError) -> Entry {
        let keys = try entries(in: "NS.keys", of: node)
        let values = try entries(in: "NS.objects", of: node)
        guard keys.count == values.count else {
            throw try damaged("a dictionary with unequal counts of keys and values", at: node.index)
        }
        var dictionary: [String: PropertyList] = [:]
        for (key, entry) in zip(keys, values) {
            guard case .string(let name) = key.value else { throw .unsupportedKey }
            guard dictionary.updateValue(entry.value, forKey: name) == nil else {
                throw try damaged("a dictionary with a duplicate key", at: node.index)
            }
        }
        return try collection(.dictionary(dictionary), of: keys + values)
    }

    private mutating func entries(
        in field: String, of node: KeyedArchive.Node
    ) throws(KeyedArchiveError) -> [Entry] {
        let indexes = try archive.elements(in: field, of: node)
        try spend(indexes.count)
        var entries: [Entry] = []
        entries.reserveCapacity(indexes.count)
        for index in indexes { entries.append(try entry(at: index)) }
        return entries
    }

    /// A collection of elements that were read.
    ///
    /// A shared object counts each time it occurs, so a few bytes cannot become billions of values.
    /// The limits are checked first, because a set hashes its elements with everything they
    /// contain.
    private func collection(
        _ value: @autoclosure () -> PropertyList, of elements: [Entry]
    ) throws(KeyedArchiveError) -> Entry {
        var (count, depth) = (1, 0)
        for element in elements {
            count += element.count
            depth = max(depth, element.depth)
            guard count <= maximumCount else { throw .tooLarge(limit: maximumCount) }
        }
        guard depth < PropertyList.maximumDepth else {
            throw .tooDeep(limit: PropertyList.maximumDepth)
        }
        return Entry(value: value(), count: count, depth: depth + 1)
    }

    // MARK: - Fields

    private mutating func value(
        in field: String, of node: KeyedArchive.Node
    ) throws(KeyedArchiveError) -> PropertyList {
        try entry(at: try archive.field(field, of: node)).value
    }

    private mutating func string(
        in field: String, of node: KeyedArchive.Node
    ) throws(KeyedArchiveError) -> String {
        guard case .string(let text) = try value(in: field, of: node) else {
            throw try damaged("no \(field)", at: node.index)
        }
        return text
    }

    /// A number stored as its own object, as Foundation on Linux sometimes writes it.
    private mutating func number(
        _ node: KeyedArchive.Node
    ) throws(KeyedArchiveError) -> PropertyList {
        for field in ["NS.intval", "NS.dblval", "NS.floatval", "NS.boolval", "NS.number"] {
            let value = try value(in: field, of: node)
            switch value {
            case .boolean, .integer, .unsigned, .real: return value
            default: continue
            }
        }
        throw try damaged("an impossible NSNumber", at: node.index)
    }

    private mutating func url(_ node: KeyedArchive.Node) throws(KeyedArchiveError) -> URL {
        let text = try string(in: "NS.relative", of: node)
        var base: URL?
        if case .url(let url) = try value(in: "NS.base", of: node) { base = url }
        guard let url = URL(string: text, relativeTo: base) else {
            throw try damaged("an impossible NSURL", at: node.index)
        }
        return url
    }

    private mutating func className(
        of node: KeyedArchive.Node
    ) throws(KeyedArchiveError) -> String {
        guard let index = try archive.field("$class", of: node) else {
            throw try damaged("an object without a class", at: node.index)
        }
        if let name = classNames[index] { return name }
        guard let description = try archive.node(at: index) else {
            throw try damaged("an impossible class", at: index)
        }
        try spend(2 * description.keys.count)
        let name = try string(in: "$classname", of: description)
        classNames[index] = name
        return name
    }

    // MARK: - Limits

    private mutating func spend(_ count: Int) throws(KeyedArchiveError) {
        bytesLeft -= count
        guard bytesLeft >= 0 else { throw .tooLarge(limit: maximumCount) }
    }

    private func damaged(
        _ fault: String, at index: Int
    ) throws(KeyedArchiveError) -> KeyedArchiveError {
        .damaged(fault, offset: try archive.list.offset(of: index))
    }
}
