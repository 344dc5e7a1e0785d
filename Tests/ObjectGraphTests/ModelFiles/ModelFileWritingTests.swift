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
        let model = try makeModelOfAllFeatures()
        let read = try reread(model)
        #expect(read.differences(from: model) == ["Thing.class: Optional(\"Author\"), nil"])
        #expect(read.entitiesByName["Thing"]?.managedObjectClass == Author.self)
        #expect(read.fileWarnings.isEmpty)
        #expect(try read.xcdatamodelContents() == model.xcdatamodelContents())
    }

    @Test func `a default of null is none (§1.13.11)`() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "A", attributes: [AttributeDescription("a", .uuid, defaultValue: .null)])
        ])
        #expect(try reread(model).entitiesByName["A"]?.attributes.first?.defaultValue == nil)
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
