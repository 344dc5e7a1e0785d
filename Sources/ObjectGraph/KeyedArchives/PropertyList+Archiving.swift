import Foundation

extension PropertyList {
    /// The keyed archive of the value, in the format of `NSKeyedArchiver`.
    ///
    /// It does not use `NSKeyedArchiver`: on Linux that stores equal numbers once, so
    /// `[true, 1, 1.0]` would be read as three equal values.
    ///
    /// - Throws: `KeyedArchiveError.tooDeep`.
    func archived() throws(KeyedArchiveError) -> Data {
        var archive = KeyedArchiveWriter()
        let root = try archive.reference(to: self)
        return archive.data(root: root)
    }
}

extension KeyedArchiveWriter {
    /// Adds a value and returns the index of a reference to it.
    mutating func reference(
        to value: PropertyList, depth: Int = 0
    ) throws(KeyedArchiveError) -> Int {
        switch value {
        case .null: return node("NSNull")
        case .boolean(let value): return reference(to: add(.boolean(value)))
        case .integer(let value): return reference(to: add(.integer(value)))
        case .unsigned(let value): return reference(to: add(.unsigned(value)))
        case .real(let value): return reference(to: add(.real(value)))
        case .data(let value): return reference(to: add(.data(value)))
        case .string(let value): return text(value)
        case .date(let value):
            let time = add(.real(value.timeIntervalSinceReferenceDate))
            return node("NSDate", [("NS.time", time)])
        case .uuid(let value):
            let bytes = withUnsafeBytes(of: value.uuid) { Data($0) }
            return node("NSUUID", [("NS.uuidbytes", add(.data(bytes)))])
        case .url(let value):
            // The base URL itself is written without a base.
            var base = null()
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
}
