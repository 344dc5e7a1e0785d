import Foundation
import TestSupport

@testable import ObjectGraph

/// A model with every feature that a file can express.
func makeModelOfAllFeatures() throws -> ManagedObjectModel {
    let transformer = ValueTransformer.codable([Int].self)
    let bounds: [AttributeType: [ModelBound]] = [
        .integer16: [.minimum(-5), .maximum(5)], .integer32: [.minimum(0)],
        .integer64: [.maximum(.integer(.max))], .double: [.minimum(0.1), .maximum(1e300)],
        .float: [.minimum(0.5)], .decimal: [.maximum(.decimal(Decimal(string: "1.5")!))],
        .string: [.minimumLength(1), .maximumLength(20), .pattern("a.*\"<&>'\\d")],
        .date: [.minimum(.date(Date(timeIntervalSinceReferenceDate: 0.25)))],
    ]
    let defaults: [AttributeType: AttributeValue] = [
        .integer16: -1, .integer32: 0, .integer64: .integer(.min), .double: 1e-300,
        .float: 0.5, .decimal: .decimal(Decimal(string: "-12345.678")!),
        .string: "a\t\n\r \"<&>' 📚\u{85}\u{2028}", .boolean: false,
        .date: .date(Date(timeIntervalSinceReferenceDate: -0.1)),
        .uuid: .uuid(UUID()), .uri: .uri(URL(string: "https://example.org/?a=b&c=%20")!),
    ]
    let elements = [
        AttributeDescription(
            "number", .integer16, isOptional: false, defaultValue: 3,
            validationRules: [ModelBound.maximum(9).rule], renamingIdentifier: "count",
            userInfo: ["k": "v"], versionHashModifier: "2"),
        AttributeDescription("list", .transformable, transformer: transformer),
        AttributeDescription(
            "inner", .composite, isOptional: false,
            elements: [AttributeDescription("text", .string), AttributeDescription("day", .date)]),
        AttributeDescription("empty", .composite),
    ]
    var attributes: [AttributeDescription] = []
    for type in AttributeType.allCases where type != .objectID {
        attributes.append(
            AttributeDescription(
                "plain\(type.rawValue)", type, isTransient: type == .undefined))
        attributes.append(
            AttributeDescription(
                "full\(type.rawValue)", type, isOptional: false, defaultValue: defaults[type],
                isTransient: type == .undefined, elements: type == .composite ? elements : [],
                transformer: type == .transformable ? transformer : nil,
                allowsExternalStorage: type == .binaryData,
                preservesValueInHistoryOnDeletion: type == .string,
                validationRules: bounds[type, default: []].map(\.rule),
                renamingIdentifier: "old", userInfo: ["k": "v"], versionHashModifier: "2"))
    }
    let derivations: [(AttributeType, String)] = [
        (.string, "plain700"), (.string, "canonical:(plain700)"), (.date, "friend.plain900"),
        (.string, "uppercase:(friend.plain700)"), (.integer64, "parts.@count"),
        (.integer16, "count:(parts)"), (.double, "others.@sum.plain100"),
        (.integer64, "others.plain300.@max"), (.float, "min:(others.plain600)"), (.date, "now()"),
    ]
    for (number, derivation) in derivations.enumerated() {
        attributes.append(
            AttributeDescription("derived\(number)", derivation.0, derivation: derivation.1))
    }
    var request = FetchRequest(
        entityName: "Thing", predicate: try ObjectPredicate("full700 == $NAME OR full300 > 5"))
    (request.fetchLimit, request.fetchBatchSize) = (10, 5)
    (request.includesSubentities, request.includesPropertyValues) = (false, false)
    (request.includesPendingChanges, request.returnsObjectsAsFaults) = (false, false)
    request.returnsDistinctResults = true
    return try ManagedObjectModel(
        entities: [
            EntityDescription(
                name: "Thing", managedObjectClass: Author.self, attributes: attributes,
                relationships: [
                    RelationshipDescription(
                        name: "parts", destination: "Part", inverse: "whole", minCount: 1,
                        maxCount: 9, isOptional: false, deleteRule: .cascade, isOrdered: true,
                        renamingIdentifier: "pieces", userInfo: ["k": "v"],
                        versionHashModifier: ""),
                    .toOne("friend", "Thing", inverse: "friend", deleteRule: .noAction),
                    .toMany("others", "Thing", deleteRule: .deny),
                ],
                fetchedProperties: [
                    FetchedPropertyDescription("found", request, userInfo: ["k": "v"])
                ],
                uniquenessConstraints: [["plain700", "plain300"], ["full700"]],
                indexes: [
                    FetchIndexDescription(
                        "mixed",
                        elements: [.init("plain700", isAscending: false), .init("friend")],
                        partialIndexPredicate: "plain700 != \"<\""),
                    FetchIndexDescription("element", on: "full2100.inner.day"),
                    FetchIndexDescription(
                        "place", elements: [.init("full100"), .init("full200")], kind: .rTree),
                ], renamingIdentifier: "Object", userInfo: ["k": "v"],
                versionHashModifier: "3"),
            EntityDescription(
                name: "Part", relationships: [.toOne("whole", "Thing", inverse: "parts")]),
            EntityDescription(name: "Wheel", superentity: "Part", isAbstract: true),
        ], configurations: ["None": [], "Some": ["Thing", "Part"]],
        versionIdentifiers: ["1.0 \"beta\""],
        fetchRequestTemplates: ["all": FetchRequest(entityName: "Part"), "some": request])
}

// Random models that files can express.
extension SeededGenerator {
    mutating func fileModel() throws -> ManagedObjectModel {
        let names = (0..<Int.random(in: 1...6, using: &self)).map { "E\($0)" }
        var entities = names.enumerated().map { index, name in
            EntityDescription(
                name: name, superentity: index > 0 && chance(30) ? names[index - 1] : nil,
                isAbstract: chance(10), renamingIdentifier: chance(20) ? "Old" : nil,
                userInfo: chance(20) ? [text(): text()] : [:],
                versionHashModifier: chance(20) ? text() : nil)
        }
        for index in entities.indices {
            for number in 0..<Int.random(in: 0...8, using: &self) {
                entities[index].attributes.append(attribute("\(names[index])a\(number)"))
            }
            for number in 0..<Int.random(in: 0...2, using: &self) {
                let other = Int.random(in: entities.indices, using: &self)
                let (name, inverse) = ("\(names[index])r\(number)", "\(names[index])i\(number)")
                entities[index].relationships.append(
                    relationship(name, names[other], inverse: chance(80) ? inverse : nil))
                if entities[index].relationships.last?.inverse != nil {
                    entities[other].relationships.append(
                        relationship(inverse, names[index], inverse: name))
                }
            }
            let columns = entities[index].attributes
                .filter { !$0.isTransient && $0.type != .composite }.map(\.name)
            if chance(50), let column = columns.randomElement(using: &self) {
                entities[index].indexes.append(
                    FetchIndexDescription(
                        "by\(column)", elements: [.init(column, isAscending: chance(50))]))
            }
        }
        return try ManagedObjectModel(
            entities: entities, configurations: chance(50) ? ["Some": [names[0]]] : [:],
            versionIdentifiers: chance(50) ? [text()] : [],
            fetchRequestTemplates: chance(50)
                ? ["all": FetchRequest(entityName: names[0])] : [:])
    }

    /// - Parameter depth: How many composites the attribute may have within each other.
    private mutating func attribute(
        _ name: String, depth: Int = 2, isElement: Bool = false
    ) -> AttributeDescription {
        let type = pick(
            AttributeType.allCases.filter {
                $0 != .objectID && !($0 == .undefined && isElement)
                    && !($0 == .composite && depth == 0)
            })
        let isTransient =
            type == .undefined || type != .composite && !isElement && chance(10)
        var elements: [AttributeDescription] = []
        if type == .composite {
            for number in 0..<Int.random(in: 0...3, using: &self) {
                elements.append(attribute("e\(number)", depth: depth - 1, isElement: true))
            }
        }
        return AttributeDescription(
            name, type, isOptional: chance(50),
            defaultValue: chance(50) ? value(ofType: type) : nil,
            isTransient: isTransient, elements: elements,
            allowsExternalStorage: type == .binaryData && !isElement && chance(30),
            preservesValueInHistoryOnDeletion: chance(10),
            validationRules: type == .string && chance(20)
                ? [ModelBound.maximumLength(9).rule] : [],
            renamingIdentifier: chance(10) ? "old" : nil,
            userInfo: chance(10) ? ["k": text()] : [:],
            versionHashModifier: chance(10) ? text() : nil)
    }

    private mutating func relationship(
        _ name: String, _ destination: String, inverse: String?
    ) -> RelationshipDescription {
        let isToMany = chance(50)
        let maxCount = isToMany ? pick([0, 0, 2, 5]) : 1
        return RelationshipDescription(
            name: name, destination: destination, inverse: inverse,
            minCount: maxCount == 0 ? 0 : Int.random(in: 0...maxCount, using: &self),
            maxCount: maxCount, isOptional: chance(50),
            deleteRule: pick([.noAction, .nullify, .cascade, .deny]),
            isOrdered: isToMany && chance(30))
    }

    private mutating func value(ofType type: AttributeType) -> AttributeValue? {
        switch type {
        case .integer16: .integer(Int64(Int16.random(in: .min ... .max, using: &self)))
        case .integer32: .integer(Int64(Int32.random(in: .min ... .max, using: &self)))
        case .integer64: .integer(Int64.random(in: .min ... .max, using: &self))
        case .decimal: .decimal(Decimal(Int.random(in: -9999...9999, using: &self)) / 100)
        case .double: .double(Double.random(in: -1e9...1e9, using: &self))
        case .float: .double(Double(Float.random(in: -1e9...1e9, using: &self)))
        case .string: .string(text())
        case .boolean: .boolean(chance(50))
        case .date:
            .date(
                Date(timeIntervalSinceReferenceDate: Double.random(in: -1e9...1e9, using: &self)))
        case .uuid: .uuid(UUID())
        case .uri:
            URL(string: "https://example.org/\(Int.random(in: 0...99, using: &self))").map {
                .uri($0)
            }
        case .undefined, .binaryData, .transformable, .objectID, .composite: nil
        }
    }

    private mutating func text() -> String {
        let characters = Array("ab \"'<>&\n\t\r;%$\\é📚\u{FFFD}")
        return String((0..<Int.random(in: 0...6, using: &self)).map { _ in pick(characters) })
    }
}
