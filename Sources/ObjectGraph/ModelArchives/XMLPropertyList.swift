import Foundation

/// A property list in XML, as other tools write keyed archives, in the form of a binary one.
///
/// A reference of a keyed archive is a dictionary with the one key `CF$UID` there.
enum XMLPropertyList {
    /// Whether data are a text with such a list. Most keyed archives are binary.
    static func isLikely(_ data: Data) -> Bool {
        !data.starts(with: BinaryPropertyList.magic.utf8)
            && data.prefix(1024).range(of: Data("<plist".utf8)) != nil
    }

    /// The bytes of the binary list with the same content.
    ///
    /// - Throws: `KeyedArchiveError`: `notAnArchive` for another text, `damaged` and `tooDeep` for a
    ///   list with a fault.
    static func binary(_ data: Data) throws(KeyedArchiveError) -> Data {
        let root: ModelElement
        do throws(ModelFileError) {
            root = try ModelElement(xml: data.withoutDocumentType("plist"), keepsTexts: true)
        } catch { throw .notAnArchive }
        guard root.name == "plist", root.children.count == 1 else { throw .notAnArchive }
        var objects: [BinaryPropertyList.Object] = []
        let index = try add(root.children[0], to: &objects, depth: 0)
        return BinaryPropertyList.data(of: objects, rootIndex: index)
    }

    /// An archive has its objects in one array, so that none is deep within others.
    private static let maximumDepth = 100

    private static func add(
        _ element: ModelElement, to objects: inout [BinaryPropertyList.Object], depth: Int
    ) throws(KeyedArchiveError) -> Int {
        guard depth < maximumDepth else { throw .tooDeep(limit: maximumDepth) }
        let object: BinaryPropertyList.Object
        switch element.name {
        case "dict":
            if let number = try reference(element) {
                object = .uid(number)
                break
            }
            var (keys, values): ([Int], [Int]) = ([], [])
            for (position, child) in element.children.enumerated() {
                guard (child.name == "key") == position.isMultiple(of: 2) else {
                    throw damaged(element)
                }
                let index = try add(child, to: &objects, depth: depth + 1)
                if position.isMultiple(of: 2) { keys.append(index) } else { values.append(index) }
            }
            guard keys.count == values.count else { throw damaged(element) }
            object = .dictionary(keys: keys, values: values)
        case "array":
            var elements: [Int] = []
            for child in element.children {
                elements.append(try add(child, to: &objects, depth: depth + 1))
            }
            object = .array(elements)
        default:
            guard let value = value(of: element) else { throw damaged(element) }
            object = value
        }
        objects.append(object)
        return objects.count - 1
    }

    /// The number of an object, if the dictionary is a reference.
    private static func reference(_ element: ModelElement) throws(KeyedArchiveError) -> Int? {
        guard element.children.count == 2, element.children[0].content == "CF$UID" else {
            return nil
        }
        guard let number = Int(element.children[1].content), number >= 0 else {
            throw damaged(element)
        }
        return number
    }

    private static func value(of element: ModelElement) -> BinaryPropertyList.Object? {
        let text = element.content.trimmingCharacters(in: .whitespacesAndNewlines)
        return switch element.name {
        case "key", "string": .string(element.content)
        case "true": .boolean(true)
        case "false": .boolean(false)
        case "integer":
            Int64(text).map { .integer($0) } ?? UInt64(text).map { .unsigned($0) }
        case "real": Double(text).map { .real($0) }
        case "date": (try? Date(text, strategy: .iso8601)).map { .date($0) }
        case "data":
            Data(base64Encoded: text, options: .ignoreUnknownCharacters).map { .data($0) }
        default: nil
        }
    }

    private static func damaged(_ element: ModelElement) -> KeyedArchiveError {
        .damaged("a wrong '\(element.name)' in line \(element.line)", offset: 0)
    }
}

extension Data {
    /// The text without the declaration that Apple's tools write: a document type that is described
    /// elsewhere. It is never fetched, and any other is refused with the text.
    ///
    /// - Parameter root: The name of the document type.
    func withoutDocumentType(_ root: String) -> Data {
        guard let start = range(of: Data("<!DOCTYPE".utf8))?.lowerBound,
            let end = self[start...].firstIndex(of: UInt8(ascii: ">")),
            let text = String(validating: self[start...end], as: UTF8.self),
            let match = text.wholeMatch(
                of:
                    /<!DOCTYPE\s+(\w+)\s+(PUBLIC\s+"[^"<>\[]*"|SYSTEM)\s+("[^"<>\[]*"|'[^'<>\[]*')\s*>/
            ),
            match.output.1 == root
        else { return self }
        var copy = self
        // Lines stay as they are.
        for index in start...end where copy[index] != UInt8(ascii: "\n") {
            copy[index] = UInt8(ascii: " ")
        }
        return copy
    }
}
