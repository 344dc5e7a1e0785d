import Foundation

/// The objects of a model in a keyed archive, by their classes and fields.
///
/// Nothing in the archive is trusted: an object is of the expected kind, or the read throws. The
/// graph is cyclic, so nothing follows references by itself. All reads together take time in
/// proportion to the number of bytes.
struct ModelArchive {
    /// An object of a class.
    struct Object {
        let index: Int
        let className: String

        /// The indexes of the fields that are not nil.
        let fields: [String: Int]
    }

    private let archive: KeyedArchive
    private var values: PropertyListUnarchiver
    private var objects: [Int: Object] = [:]
    private var keys: [Int: String] = [:]

    /// The number of bytes that may still be read. Only objects that are shared, or overlap,
    /// exhaust it.
    private var bytesLeft: Int

    init(_ data: Data) throws(KeyedArchiveError) {
        archive = try KeyedArchive(
            XMLPropertyList.isLikely(data) ? XMLPropertyList.binary(data) : data)
        values = PropertyListUnarchiver(archive, byteCount: data.count)
        bytesLeft = 2 * data.count
    }

    mutating func root() throws(KeyedArchiveError) -> Object {
        guard let index = archive.rootIndex else { throw .damaged("no root object", offset: 0) }
        return try object(at: index)
    }

    // MARK: - Objects

    mutating func object(at index: Int) throws(KeyedArchiveError) -> Object {
        if let object = objects[index] { return object }
        guard let node = try archive.node(at: index) else {
            throw try damaged("a value in place of an object", at: index)
        }
        try spend(2 * node.keys.count)
        var fields: [String: Int] = [:]
        for (position, key) in node.keys.enumerated() {
            fields[try self.key(at: key)] = try archive.target(of: node.values[position])
        }
        guard let classIndex = fields["$class"], let kind = try archive.node(at: classIndex),
            let nameIndex = try archive.field("$classname", of: kind)
        else { throw try damaged("an object without a class", at: index) }
        let object = Object(index: index, className: try key(at: nameIndex), fields: fields)
        objects[index] = object
        return object
    }

    private mutating func key(at index: Int) throws(KeyedArchiveError) -> String {
        if let key = keys[index] { return key }
        guard case .string(let key) = try archive.list.object(at: index) else {
            throw try damaged("a key that is not a string", at: index)
        }
        try spend(key.utf8.count)
        keys[index] = key
        return key
    }

    /// The object in a field; nil if there is none.
    mutating func object(
        _ field: String, of object: Object
    ) throws(KeyedArchiveError) -> Object? {
        guard let index = object.fields[field] else { return nil }
        return try self.object(at: index)
    }

    /// The indexes of the elements of an array or a set; empty without the field. Elements that are
    /// nil are left out.
    mutating func elements(
        _ field: String, of object: Object
    ) throws(KeyedArchiveError) -> [Int] {
        try object.fields[field].map { index throws(KeyedArchiveError) in
            try elements(at: index)
        } ?? []
    }

    /// The indexes of the elements of the array or set at an index.
    mutating func elements(at index: Int) throws(KeyedArchiveError) -> [Int] {
        try elements(of: object(at: index), in: "NS.objects").compactMap(\.self)
    }

    private mutating func elements(
        of list: Object, in field: String
    ) throws(KeyedArchiveError) -> [Int?] {
        guard let index = list.fields[field],
            case .array(let references) = try archive.list.object(at: index)
        else { throw try damaged("\(list.className) without \(field)", at: list.index) }
        try spend(references.count)
        var elements: [Int?] = []
        for reference in references { elements.append(try archive.target(of: reference)) }
        return elements
    }

    /// The keys and the indexes of the values of a dictionary, in its order; empty without the
    /// field. Values that are nil are left out.
    mutating func entries(
        _ field: String, of object: Object
    ) throws(KeyedArchiveError) -> [(key: String, value: Int)] {
        guard let dictionary = try self.object(field, of: object) else { return [] }
        let (keys, values): ([Int?], [Int?])
        if let mapping = try self.object("searchMapping", of: dictionary) {
            keys = try knownKeys("keys", of: mapping)
            values = try knownKeys("values", of: dictionary)
        } else {
            keys = try elements(of: dictionary, in: "NS.keys")
            values = try elements(of: dictionary, in: "NS.objects")
        }
        guard keys.count == values.count else {
            throw try damaged(
                "a dictionary with unequal counts of keys and values", at: dictionary.index)
        }
        var entries: [(String, Int)] = []
        for case let (key?, value?) in zip(keys, values) {
            guard case .string(let text) = try self.values.value(at: key) else {
                throw .unsupportedKey
            }
            entries.append((text, value))
        }
        return entries
    }

    /// The keys or values of a dictionary with known keys: references, or an array of its own.
    private mutating func knownKeys(
        _ field: String, of object: Object
    ) throws(KeyedArchiveError) -> [Int?] {
        guard let index = object.fields[field], try archive.node(at: index) != nil else {
            return try elements(of: object, in: field)
        }
        return try elements(at: index)
    }

    // MARK: - Values

    /// The value at an index as a property list; nil if it is of a class that none has.
    mutating func knownValue(at index: Int) throws(KeyedArchiveError) -> PropertyList? {
        do {
            return try values.value(at: index)
        } catch .unsupportedClass, .unsupportedKey { return nil }
    }

    /// The value at an index as a property list.
    mutating func value(at index: Int?) throws(KeyedArchiveError) -> PropertyList {
        try values.value(at: index)
    }

    /// The value of a field; nil without one.
    mutating func value<Value: PropertyListConvertible>(
        _ field: String, of object: Object, as type: Value.Type = Value.self
    ) throws(KeyedArchiveError) -> Value? {
        guard let index = object.fields[field] else { return nil }
        guard let value = Value(propertyList: try values.value(at: index)) else {
            throw try damaged("\(field) is not of type \(type)", at: index)
        }
        return value
    }

    /// The text of a field; nil if it is absent or empty.
    mutating func nonemptyText(
        _ field: String, of object: Object
    ) throws(KeyedArchiveError) -> String? {
        let text: String? = try value(field, of: object)
        return text.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The decimal number at an index; nil for anything else.
    mutating func decimal(at index: Int) throws(KeyedArchiveError) -> Decimal? {
        guard try archive.node(at: index) != nil else { return nil }
        let object = try object(at: index)
        guard object.className == "NSDecimalNumber" else { return nil }
        let mantissa: Data = try required(
            value("NS.mantissa", of: object), "NS.mantissa", of: object)
        let exponent: Int = try value("NS.exponent", of: object) ?? 0
        let isNegative: Bool = try value("NS.negative", of: object) ?? false
        // Words of 16 bits, each in the byte order of the machine that wrote it: 2 is big-endian.
        let isBigEndian = try value("NS.mantissa.bo", of: object, as: Int.self) == 2
        guard mantissa.count == 16, (-128...127).contains(exponent) else {
            throw try damaged("an impossible NSDecimalNumber", at: index)
        }
        let bytes = [UInt8](mantissa)
        var number: UInt128 = 0
        for word in (0..<8).reversed() {
            let (low, high) = isBigEndian ? (2 * word + 1, 2 * word) : (2 * word, 2 * word + 1)
            number = number << 16 | UInt128(bytes[high]) << 8 | UInt128(bytes[low])
        }
        return Decimal(string: "\(isNegative ? "-" : "")\(number)E\(exponent)")
    }

    func required<Value>(
        _ value: Value?, _ field: String, of object: Object
    ) throws(KeyedArchiveError) -> Value {
        guard let value else { throw try damaged("no \(field)", at: object.index) }
        return value
    }

    // MARK: - Limits

    mutating func spend(_ count: Int) throws(KeyedArchiveError) {
        bytesLeft -= count
        guard bytesLeft >= 0 else {
            throw .damaged("objects that are shared too often", offset: 0)
        }
    }

    func damaged(
        _ fault: String, at index: Int
    ) throws(KeyedArchiveError) -> KeyedArchiveError {
        .damaged(fault, offset: try archive.list.offset(of: index))
    }
}
