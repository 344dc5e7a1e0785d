import Foundation

/// Lays out the objects of a keyed archive.
struct KeyedArchiveWriter {
    /// An object that others can refer to before it is written.
    struct Place {
        fileprivate let index: Int

        /// The index of a reference to the object.
        let reference: Int
    }

    private var objects: [BinaryPropertyList.Object] = []

    /// The indexes of the objects that have a number, by their numbers.
    private var numbered: [Int] = []

    /// The index of the reference to an object, by the index of the object.
    private var references: [Int: Int] = [:]

    /// The indexes of strings. Strings that are equal in Swift may have different bytes; only the
    /// latest of them is here.
    private var strings: [String: Int] = [:]
    private var classes: [String: Int] = [:]

    private static let null = "$null"

    init() { _ = null() }

    /// The bytes of the archive.
    consuming func data(root: Int) -> Data {
        let archive = dictionary([
            ("$version", add(.integer(KeyedArchive.version))),
            ("$archiver", string(KeyedArchive.archiver)),
            ("$top", dictionary([("root", root)])),
            ("$objects", add(.array(numbered))),
        ])
        return BinaryPropertyList.data(of: objects, rootIndex: archive)
    }

    // MARK: - Values

    /// Adds a value and returns its index, for a field that holds the value itself.
    mutating func add(_ object: BinaryPropertyList.Object) -> Int {
        objects.append(object)
        return objects.count - 1
    }

    /// Adds a string and returns its index. Equal strings are stored once.
    mutating func string(_ text: String) -> Int {
        if let index = strings[text], case .string(let known) = objects[index],
            known.utf8.elementsEqual(text.utf8)
        {
            return index
        }
        let index = add(.string(text))
        strings[text] = index
        return index
    }

    // MARK: - Objects

    /// The index of a reference to nil.
    mutating func null() -> Int { reference(to: string(Self.null)) }

    /// Adds a string as an object and returns the index of a reference to it.
    mutating func text(_ text: String) -> Int {
        // As a plain string, this one would mean nil.
        text == Self.null
            ? node("NSMutableString", [("NS.string", string(text))]) : reference(to: string(text))
    }

    /// Adds an object of a class and returns the index of a reference to it.
    mutating func node(_ className: String, _ fields: [(String, Int)] = []) -> Int {
        reference(to: dictionary(fields + [("$class", classReference(className))]))
    }

    mutating func reserve() -> Place {
        let index = add(.null)
        return Place(index: index, reference: reference(to: index))
    }

    mutating func fill(_ place: Place, _ className: String, _ fields: [(String, Int)]) {
        objects[place.index] = content(fields + [("$class", classReference(className))])
    }

    /// Adds a collection of references and returns the index of a reference to it.
    mutating func list(_ references: [Int], _ className: String = "NSArray") -> Int {
        node(className, [("NS.objects", add(.array(references)))])
    }

    /// Adds a dictionary with references as values and returns the index of a reference to it.
    mutating func dictionary(
        _ entries: [(key: String, value: Int)], _ className: String
    ) -> Int {
        let keys = entries.map { text($0.key) }
        return node(
            className,
            [
                ("NS.keys", add(.array(keys))),
                ("NS.objects", add(.array(entries.map(\.value)))),
            ])
    }

    /// The index of a reference to an object. Gives the object a number if it has none.
    mutating func reference(to index: Int) -> Int {
        if let reference = references[index] { return reference }
        numbered.append(index)
        let reference = add(.uid(numbered.count - 1))
        references[index] = reference
        return reference
    }

    private mutating func dictionary(_ fields: [(String, Int)]) -> Int { add(content(fields)) }

    private mutating func content(_ fields: [(String, Int)]) -> BinaryPropertyList.Object {
        .dictionary(keys: fields.map { string($0.0) }, values: fields.map(\.1))
    }

    // MARK: - Classes

    private mutating func classReference(_ name: String) -> Int {
        if let index = classes[name] { return reference(to: index) }
        var (chain, next): ([Int], String?) = ([], name)
        while let ancestor = next {
            chain.append(string(ancestor))
            next = Self.superclasses[ancestor] ?? (ancestor == "NSObject" ? nil : "NSObject")
        }
        let index = dictionary([("$classname", string(name)), ("$classes", add(.array(chain)))])
        classes[name] = index
        return reference(to: index)
    }

    /// The superclasses other than `NSObject`.
    private static let superclasses = [
        "NSMutableString": "NSString", "NSMutableDictionary": "NSDictionary",
        "NSKnownKeysDictionary1": "NSKnownKeysDictionary",
        "NSKnownKeysDictionary": "NSMutableDictionary",
        "NSKnownKeysMappingStrategy1": "NSKnownKeysMappingStrategy",
        "NSDecimalNumber": "NSNumber", "NSNumber": "NSValue",
        "NSAttributeDescription": "NSPropertyDescription",
        "NSRelationshipDescription": "NSPropertyDescription",
        "NSFetchedPropertyDescription": "NSPropertyDescription",
        "NSFetchRequest": "NSPersistentStoreRequest",
        "NSCompoundPredicate": "NSPredicate", "NSComparisonPredicate": "NSPredicate",
        "NSTruePredicate": "NSPredicate", "NSFalsePredicate": "NSPredicate",
        "NSEqualityPredicateOperator": "NSPredicateOperator",
        "NSComparisonPredicateOperator": "NSPredicateOperator",
        "NSInPredicateOperator": "NSPredicateOperator",
        "NSSelfExpression": "NSExpression", "NSConstantValueExpression": "NSExpression",
        "NSVariableExpression": "NSExpression", "NSKeyPathSpecifierExpression": "NSExpression",
        "NSFunctionExpression": "NSExpression", "NSKeyPathExpression": "NSFunctionExpression",
    ]
}
