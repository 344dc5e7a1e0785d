import Foundation
import TestSupport

@testable import ObjectGraph

// Random models and rows, for random predicates.
extension SeededGenerator {
    /// Three entities and a subentity, with attributes of most types and relationships of all
    /// kinds.
    ///
    /// - Parameter hasFullText: Whether texts have full-text indexes, which only SQLite has.
    mutating func model(hasFullText: Bool = true) throws -> ManagedObjectModel {
        let names = ["Alpha", "Beta", "Gamma"]
        var relationships = names.map { _ in [RelationshipDescription]() }
        for (source, destination) in [(0, 1), (1, 2), (2, 0), (0, 0), (1, 1)] where chance(75) {
            let (name, inverse) = ("to\(names[destination])", "from\(names[source])")
            relationships[source].append(
                chance(50)
                    ? .toOne(name, names[destination], inverse: inverse)
                    : .toMany(name, names[destination], inverse: inverse, isOrdered: chance(30)))
            relationships[destination].append(
                .toMany(inverse, names[source], inverse: name, isOrdered: chance(30)))
        }
        var entities = names.enumerated().map { index, name in
            let attributes = makeAttributes(suffix: "")
            return EntityDescription(
                name: name, attributes: attributes, relationships: relationships[index],
                indexes: indexes(of: attributes)
                    + (hasFullText ? [.fullText("words", on: "text")] : []))
        }
        let attributes = makeAttributes(suffix: "2")
        entities.append(
            EntityDescription(
                name: "Delta", superentity: pick(names), attributes: attributes,
                indexes: indexes(of: attributes)))
        return try ManagedObjectModel(entities: entities)
    }

    /// Indexes of the texts, most of them with a folding.
    private mutating func indexes(
        of attributes: [AttributeDescription]
    ) -> [FetchIndexDescription] {
        let foldings: [FetchIndexDescription.Folding] = [
            .none, .caseInsensitive, .diacriticInsensitive, .caseAndDiacriticInsensitive,
        ]
        return attributes.filter { $0.type == .string }.flatMap { attribute in
            foldings.filter { _ in chance(75) }.map {
                FetchIndexDescription(
                    "\(attribute.name)\($0.rawValue)",
                    elements: [.init(attribute.name, folding: $0)])
            }
        }
    }

    private mutating func makeAttributes(suffix: String) -> [AttributeDescription] {
        let others: [(String, AttributeType)] = [
            ("middle", .integer32), ("long", .integer64), ("real", .double), ("single", .float),
            ("price", .decimal), ("title", .string), ("flag", .boolean), ("day", .date),
            ("key", .uuid), ("bytes", .binaryData), ("link", .uri),
        ]
        let chosen = others.filter { _ in chance(65) }
        let place = AttributeDescription(
            "place" + suffix, .composite,
            elements: [
                AttributeDescription("depth", .integer16), AttributeDescription("label", .string),
                AttributeDescription(
                    "point", .composite, elements: [AttributeDescription("x", .double)]),
            ])
        return ([("small", .integer16), ("text", .string)] + chosen).map {
            AttributeDescription($0.0 + suffix, $0.1)
        } + [place]
    }

    /// Saved objects of every entity in the context, by the name of their root entity.
    mutating func fill(
        _ context: ManagedObjectContext, nilPercent: Int
    ) throws -> [String: [ManagedObject]] {
        let model = context.model
        var objects: [String: [ManagedObject]] = [:]
        for entity in model.entities {
            let root = model.entities[entity.rootIndex].name
            for _ in 0..<Int.random(in: 4...10, using: &self) {
                let object = try context.insertObject(entityName: entity.name)
                for property in entity.properties where !property.isHidden {
                    guard property.attributeType != nil else { continue }
                    try object.setValue(
                        value(of: property, nilPercent: nilPercent), forKey: property.name)
                }
                objects[root, default: []].append(object)
            }
        }
        for root in objects.keys.sorted() {
            for object in objects[root]! {
                for property in object.binding.entity.properties where !property.isHidden {
                    guard let relationship = property.relationship else { continue }
                    let others = objects[model.entities[relationship.destinationIndex].name]!
                    if property.kind == .toOne {
                        guard !chance(nilPercent) else { continue }
                        try object.setValue(pick(others), forKey: property.name)
                    } else if relationship.isInJoinTable {
                        try object.setValue(
                            others.filter { _ in chance(20) }, forKey: property.name)
                    }
                }
            }
        }
        try context.save()
        return objects
    }

    /// A value of an attribute, which is nil now and then; of a composite one, values of its
    /// elements.
    private mutating func value(of property: Property, nilPercent: Int) -> AttributeValue {
        guard property.isComposite else {
            return chance(nilPercent) ? .null : value(of: property.attributeType!)
        }
        var values: [String: AttributeValue] = [:]
        for element in property.elements {
            values[element.name] = value(of: element.property, nilPercent: nilPercent)
        }
        return AttributeValue(elements: values)
    }

    static let strings = [
        "", "a", "A", "ab", "Ab", "aB c", "é", "É", "e\u{301}", "straße", "STRASSE", "日本", "😀",
        "z10", "z9", "a*b", "100%", "ı", "İ", "\u{10FFFF}", "\u{D7FF}", "\u{E000}", "ZZ", "Ǆ", "ﬁ",
        "ΣΊΣΥΦΟΣ", "σίσυφος", "ệ", "12", "-3.5", "Alpha", "Delta",
    ]
    static let doubles = [0, -0.5, 1.5, 3, 1e300, -1e300, 0.1, .leastNonzeroMagnitude, 2]

    /// A constant of the type: often a value of a row, sometimes an extreme.
    mutating func value(of type: AttributeType) -> AttributeValue {
        switch type {
        case .integer16: .integer(pick([-3, -1, 0, 1, 2, 3, 5, 7]))
        case .integer32: .integer(pick([-1, 0, 1, 2, 3, Int64(Int32.max), Int64(Int32.min)]))
        case .integer64: .integer(pick([0, 1, 2, -7, .max, .min, 1 << 53 + 1]))
        case .double: .double(pick(Self.doubles))
        case .float: .double(Double(Float(pick([0, 0.1, -2.5, 3]))))
        case .decimal: .decimal(Decimal(string: pick(["0.1", "2", "-3.75", "1000000000000.5"]))!)
        case .boolean: .boolean(chance(50))
        case .date: .date(Date(timeIntervalSinceReferenceDate: pick(Self.doubles)))
        case .uuid:
            .uuid(UUID(uuid: (pick([UInt8](0...3)), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 200)))
        case .binaryData: .data(pick([Data(), Data([0]), Data([0, 255]), Data([7])]))
        case .uri: .uri(URL(string: pick(["https://a.b", "https://a.b/c", "file:///x"]))!)
        default: .string(pick(Self.strings))
        }
    }
}
