import Foundation

/// The objects in an archive that `NSKeyedArchiver` wrote.
///
/// The archive is a binary property list with a list of numbered objects, which refer to each other
/// by `uid`. An instance of a class is a dictionary, here called a node; its `$class` refers to the
/// name. This type identifies objects by their indexes in the property list. A reference to number
/// 0 is nil.
struct KeyedArchive: Sendable {
    /// A dictionary of the property list; its keys are strings.
    struct Node: Sendable {
        let index: Int
        let keys: [Int]
        let values: [Int]
    }

    static let archiver = "NSKeyedArchiver"
    static let version: Int64 = 100_000

    let list: BinaryPropertyList

    /// The object that was archived.
    private(set) var rootIndex: Int?

    /// The indexes of the objects by their numbers.
    private let objects: [Int]

    /// - Throws: `KeyedArchiveError.notAnArchive` for other data, `.damaged`.
    init(_ data: Data) throws(KeyedArchiveError) {
        list = try BinaryPropertyList(data)
        guard let archive = try Self.node(at: list.rootIndex, in: list),
            let archiver = try Self.value(of: "$archiver", in: archive, list),
            try list.isString(Self.archiver, at: archiver)
        else { throw .notAnArchive }
        guard let objects = try Self.value(of: "$objects", in: archive, list),
            case .array(let indexes) = try list.object(at: objects),
            let top = try Self.value(of: "$top", in: archive, list),
            let topNode = try Self.node(at: top, in: list),
            let root = try Self.value(of: "root", in: topNode, list)
        else { throw .damaged("no root object", offset: try list.offset(of: list.rootIndex)) }
        self.objects = indexes
        rootIndex = try target(of: root)
    }

    /// The node at an index; nil if the object there is not a node.
    func node(at index: Int) throws(KeyedArchiveError) -> Node? {
        try Self.node(at: index, in: list)
    }

    /// The object in a field of a node, either stored inline or referenced; nil also if the field
    /// is missing.
    func field(_ name: String, of node: Node) throws(KeyedArchiveError) -> Int? {
        guard let index = try Self.value(of: name, in: node, list) else { return nil }
        return try target(of: index)
    }

    /// The objects in a field that is an array of references.
    func elements(in name: String, of node: Node) throws(KeyedArchiveError) -> [Int?] {
        guard let index = try Self.value(of: name, in: node, list),
            case .array(let references) = try list.object(at: index)
        else { throw .damaged("no array \(name)", offset: try list.offset(of: node.index)) }
        var elements: [Int?] = []
        elements.reserveCapacity(references.count)
        for reference in references { elements.append(try target(of: reference)) }
        return elements
    }

    /// The object of a reference. An object that is not a reference is returned unchanged.
    func target(of index: Int) throws(KeyedArchiveError) -> Int? {
        guard let number = try list.uid(at: index) else { return index }
        guard number < objects.count else {
            throw .damaged(
                "a reference to object \(number) of only \(objects.count)",
                offset: try list.offset(of: index))
        }
        return number == 0 ? nil : objects[number]
    }

    private static func node(
        at index: Int, in list: BinaryPropertyList
    ) throws(KeyedArchiveError) -> Node? {
        guard case .dictionary(let keys, let values) = try list.object(at: index) else {
            return nil
        }
        return Node(index: index, keys: keys, values: values)
    }

    private static func value(
        of key: String, in node: Node, _ list: BinaryPropertyList
    ) throws(KeyedArchiveError) -> Int? {
        for (index, value) in zip(node.keys, node.values)
        where try list.isString(key, at: index) {
            return value
        }
        return nil
    }
}
