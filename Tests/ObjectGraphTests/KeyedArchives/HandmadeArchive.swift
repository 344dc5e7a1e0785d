import Foundation

@testable import ObjectGraph

/// A keyed archive that a test builds object by object, valid or invalid.
struct HandmadeArchive {
    var objects: [BinaryPropertyList.Object] = []
    private var numbered: [Int] = []
    private var classes: [String: Int] = [:]

    /// The number of the next object.
    var nextNumber: Int { numbered.count }

    init() { _ = reference(to: add(.string("$null"))) }

    /// The index of an object in the property list.
    mutating func add(_ object: BinaryPropertyList.Object) -> Int {
        objects.append(object)
        return objects.count - 1
    }

    mutating func string(_ text: String) -> Int { add(.string(text)) }

    /// Numbers an object and returns the index of a reference to it.
    mutating func reference(to index: Int) -> Int {
        numbered.append(index)
        return add(.uid(numbered.count - 1))
    }

    /// Adds a numbered object of a class and returns the index of a reference to it.
    mutating func node(_ className: String, _ fields: KeyValuePairs<String, Int>) -> Int {
        node(className, fields: fields.map { ($0.key, $0.value) })
    }

    mutating func node(_ className: String, fields: [(key: String, value: Int)]) -> Int {
        var (keys, values): ([Int], [Int]) = ([], [])
        for field in fields {
            keys.append(string(field.key))
            values.append(field.value)
        }
        keys.append(string("$class"))
        // The class comes after its node, so that the node has the next number.
        let place = add(.null)
        let reference = reference(to: place)
        if classes[className] == nil {
            let name = string(className)
            classes[className] = self.reference(
                to: add(
                    .dictionary(
                        keys: [string("$classname"), string("$classes")],
                        values: [name, add(.array([name]))])))
        }
        values.append(classes[className]!)
        objects[place] = .dictionary(keys: keys, values: values)
        return reference
    }

    /// The object that a reference leads to.
    func target(of reference: Int) -> BinaryPropertyList.Object {
        guard case .uid(let number) = objects[reference] else { return objects[reference] }
        return objects[numbered[number]]
    }

    /// Adds an array of references and returns the index of a reference to it.
    mutating func array(_ references: [Int]) -> Int {
        node("NSArray", ["NS.objects": add(.array(references))])
    }

    /// The bytes, with a reference to the root.
    func data(root: Int, archiver: String = "NSKeyedArchiver") -> Data {
        var whole = self
        let top = whole.add(.dictionary(keys: [whole.string("root")], values: [root]))
        let keys = ["$version", "$archiver", "$top", "$objects"].map { whole.string($0) }
        let values = [
            whole.add(.integer(100_000)), whole.string(archiver), top, whole.add(.array(numbered)),
        ]
        let index = whole.add(.dictionary(keys: keys, values: values))
        return BinaryPropertyList.data(of: whole.objects, rootIndex: index)
    }
}
