import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Printing a model file (§1.13)` {
    /// The model that the printed model is read as.
    private func reread(_ model: ManagedObjectModel) throws -> ManagedObjectModel {
        let classes = model.entities.compactMap(\.description.managedObjectClass)
        let transformers = model.entities.flatMap(\.description.attributes)
            .compactMap(\.transformer)
        return try ModelFolder.model(
            ofText: model.xcdatamodelContents(), classes: classes, transformers: transformers)
    }

    @Test func `a model that uses every feature is read as it was (§1.13.11)`() throws {
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
        var attributes: [AttributeDescription] = []
        for type in AttributeType.allCases where type != .objectID {
            attributes.append(
                AttributeDescription(
                    "plain\(type.rawValue)", type, isTransient: type == .undefined))
            attributes.append(
                AttributeDescription(
                    "full\(type.rawValue)", type, isOptional: false, defaultValue: defaults[type],
                    isTransient: type == .undefined,
                    transformer: type == .transformable ? transformer : nil,
                    allowsExternalStorage: type == .binaryData,
                    validationRules: bounds[type, default: []].map(\.rule),
                    renamingIdentifier: "old", userInfo: ["k": "v"], versionHashModifier: "2"))
        }
        var request = FetchRequest(
            entityName: "Thing", predicate: try ObjectPredicate("full700 == $NAME OR full300 > 5"))
        (request.fetchLimit, request.fetchBatchSize) = (10, 5)
        (request.includesSubentities, request.includesPropertyValues) = (false, false)
        (request.includesPendingChanges, request.returnsObjectsAsFaults) = (false, false)
        request.returnsDistinctResults = true
        let model = try ManagedObjectModel(
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
        let read = try reread(model)
        #expect(read.differences(from: model) == ["Thing.class: Optional(\"Author\"), nil"])
        #expect(read.entitiesByName["Thing"]?.managedObjectClass == Author.self)
        #expect(read.fileWarnings.isEmpty)
        #expect(try read.xcdatamodelContents() == model.xcdatamodelContents())
    }

    @Test func `an inverse of an ancestor names it (§1.13.11)`() throws {
        let text = try makeLibraryModel().xcdatamodelContents()
        #expect(
            text.contains(
                """
                    <entity name="Book" representedClassName="Book" parentEntity="Publication" syncable="YES">
                        <attribute name="pageCount" optional="YES" attributeType="Integer 32"/>
                    </entity>

                """))
        #expect(
            text.contains(
                """
                        <relationship name="publications" optional="YES" toMany="YES" deletionRule="Cascade" \
                destinationEntity="Publication" inverseName="author" inverseEntity="Publication"/>

                """))
        #expect(text.hasPrefix("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"))
    }

    @Test func `random models are read as they were (§1.13.11)`() throws {
        var generator = SeededGenerator.fromEnvironment()
        for _ in 0..<50 {
            let model = try generator.fileModel()
            let read = try reread(model)
            #expect(read.differences(from: model).isEmpty, "TEST_SEED=\(generator.seed)")
            #expect(read.fileWarnings.isEmpty, "TEST_SEED=\(generator.seed)")
        }
    }

    // MARK: - What files cannot express

    struct Inexpressible: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let model: @Sendable () throws -> ManagedObjectModel

        init(
            _ description: String, _ model: @escaping @Sendable () throws -> ManagedObjectModel
        ) {
            (testDescription, self.model) = (description, model)
        }

        /// A model with one attribute.
        init(_ description: String, _ attribute: AttributeDescription) {
            self.init(description) {
                try ManagedObjectModel(entities: [
                    EntityDescription(name: "A", attributes: [attribute])
                ])
            }
        }

        /// A model with one template.
        init(_ description: String, _ request: FetchRequest) {
            self.init(description) {
                try ManagedObjectModel(
                    entities: [
                        EntityDescription(
                            name: "A", attributes: [AttributeDescription("a", .string)])
                    ], fetchRequestTemplates: ["t": request])
            }
        }
    }

    static let inexpressible: [Inexpressible] = [
        Inexpressible(
            "a default that is data",
            AttributeDescription("a", .binaryData, defaultValue: .data(Data([1])))),
        Inexpressible(
            "a default that is transformable",
            AttributeDescription(
                "a", .transformable,
                defaultValue: ValueTransformer.propertyList.attributeValue(of: ["x"]))),
        Inexpressible(
            "a default of undefined type",
            AttributeDescription("a", .undefined, defaultValue: 1, isTransient: true)),
        Inexpressible(
            "an attribute that is an identifier",
            AttributeDescription("a", .objectID, isTransient: true)),
        Inexpressible(
            "a control character", AttributeDescription("a", .string, defaultValue: "\u{0}")),
        Inexpressible("several identifiers") {
            try ManagedObjectModel(
                entities: [EntityDescription(name: "A")], versionIdentifiers: ["1", "2"])
        },
        Inexpressible("a folding") {
            try ManagedObjectModel(entities: [
                EntityDescription(
                    name: "A", attributes: [AttributeDescription("a", .string)],
                    indexes: [
                        FetchIndexDescription(
                            "i", elements: [.init("a", folding: .caseInsensitive)])
                    ])
            ])
        },
        Inexpressible(
            "an order", FetchRequest(entityName: "A", sortKeys: [.ascending("a")])),
        Inexpressible(
            "a block",
            FetchRequest(entityName: "A", predicate: .block(PredicateBlock { _ in true }))),
    ]

    @Test(arguments: inexpressible)
    func `what a file cannot express is refused (§1.13.11)`(_ case: Inexpressible) throws {
        let model = try `case`.model()
        let error = try #require(throws: ModelFileError.self) {
            _ = try model.xcdatamodelContents()
        }
        #expect(error.description.contains("cannot express"))
        #expect(error.code == 512)
    }

    @Test(arguments: [
        ("SELF > 3", ValidationRule.Warning.code(1620)), ("SELF >= 3", .message("Too small.")),
        ("SELF >= 3", .code(1)), ("SELF >= 3 OR SELF == 0", .code(1620)),
    ])
    func `rules are refused unless they are bounds (§1.13.11)`(
        _ format: String, _ warning: ValidationRule.Warning
    ) throws {
        let rule = ValidationRule(try ObjectPredicate(format), warning)
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "A",
                attributes: [AttributeDescription("a", .integer16, validationRules: [rule])])
        ])
        let error = try #require(throws: ModelFileError.self) {
            _ = try model.xcdatamodelContents()
        }
        #expect(error.description.contains("of A.a"))
    }
}

// Random models that files can express.
extension SeededGenerator {
    fileprivate mutating func fileModel() throws -> ManagedObjectModel {
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
            let columns = entities[index].attributes.filter { !$0.isTransient }.map(\.name)
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

    private mutating func attribute(_ name: String) -> AttributeDescription {
        let type = pick(AttributeType.allCases.filter { $0 != .objectID })
        let isTransient = type == .undefined || chance(10)
        return AttributeDescription(
            name, type, isOptional: chance(50),
            defaultValue: chance(50) ? value(ofType: type) : nil,
            isTransient: isTransient, allowsExternalStorage: type == .binaryData && chance(30),
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
        case .undefined, .binaryData, .transformable, .objectID: nil
        }
    }

    private mutating func text() -> String {
        let characters = Array("ab \"'<>&\n\t\r;%$\\é📚\u{FFFD}")
        return String((0..<Int.random(in: 0...6, using: &self)).map { _ in pick(characters) })
    }
}
