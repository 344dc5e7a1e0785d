import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Damaged archived models (§1.14)` {
    private typealias Model = ArchivedModel

    struct Fault: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let archive: Data

        init(_ description: String, _ model: ArchivedModel) {
            (testDescription, archive) = (description, model.archived())
        }

        /// A model with an entity that has one property.
        init(_ description: String, _ property: (String, ArchivedPart)) {
            self.init(description, ArchivedModel(ArchivedModel.entity("Thing", [property])))
        }
    }

    static let faults: [Fault] = [
        Fault(
            "Thing: a NSArray in place of an entity",
            ArchivedModel(Model.entity("Thing", []), .list([]))),
        Fault(
            "Thing.a: a NSEntityDescription in place of a property", ("a", .reference("Thing"))),
        Fault(
            "Thing.a: the unknown type 5",
            Model.attribute("a", .string, [("NSAttributeType", 5)])),
        Fault(
            "Thing.a: NSIsOptional is not of type Bool",
            Model.attribute("a", .string, [("NSIsOptional", "yes")])),
        Fault(
            "Thing.a: unequal counts of conditions and warnings",
            Model.attribute("a", .string, [("NSValidationWarnings", .list([1]))])),
        Fault(
            "Thing.r: no NSDestinationEntity",
            ("r", .node("NSRelationshipDescription", []))),
        Fault(
            "Thing.r: the unknown delete rule 9",
            Model.relationship("r", of: "Thing", to: "Thing", [("NSDeleteRule", 9)])),
        Fault(
            "Thing.r: NSMaxCount is not of type Int",
            Model.relationship(
                "r", of: "Thing", to: "Thing", [("NSMaxCount", .value(.unsigned(.max)))])),
        Fault(
            "Thing.r: counts from 0 to -7 are impossible",
            Model.relationship("r", of: "Thing", to: "Thing", maxCount: -7)),
        Fault(
            "Thing.p: no NSFetchRequest", ("p", .node("NSFetchedPropertyDescription", []))),
        Fault(
            "Dog: the entity is its own ancestor",
            ArchivedModel(
                Model.entity("Dog", [], [("NSSuperentity", .reference("Puppy"))]),
                Model.entity("Puppy", [], [("NSSuperentity", .reference("Dog"))]))),
        Fault(
            "Dog: the superentity 'Animal' is not in the model",
            ArchivedModel(
                Model.entity(
                    "Dog", [], [("NSSuperentity", Model.entity("Animal", []))]))),
        Fault(
            "Dog: two entities have this name",
            ArchivedModel(Model.entity("Dog", []), .reference("Dog"))),
        Fault(
            "no NSEntityName",
            ArchivedModel(.node("NSEntityDescription", []))),
        Fault(
            "a dictionary with unequal counts",
            ArchivedModel(
                fields: [
                    (
                        "NSConfigurations",
                        .node(
                            "NSDictionary",
                            [("NS.keys", .parts(["a"])), ("NS.objects", .parts([]))])
                    )
                ])),
    ]

    @Test(arguments: faults)
    func `an archive that contradicts itself names the part (§1.14.7)`(_ fault: Fault) throws {
        let store = try CachedStore(fault.archive)
        let error = try #require(throws: ModelFileError.self) {
            _ = try PersistentStoreCoordinator.model(ofStoreAt: store.url)
        }
        let message = error.description.replacing("The archived model is damaged: ", with: "")
        #expect(message.contains(fault.testDescription))
        #expect(error.file == store.url)
    }

    @Test func `a store without a model says so (§1.14.7)`() throws {
        let store = try CachedStore(nil)
        let error = try #require(throws: ModelFileError.self) {
            _ = try PersistentStoreCoordinator.model(ofStoreAt: store.url)
        }
        #expect(error.reason == .noModelInStore)
        #expect(error.code == 134020)
    }

    @Test func `what is no store is a store error (§1.14.7)`() throws {
        let folder = TemporaryFolder()
        #expect(throws: StoreError.self) {
            _ = try PersistentStoreCoordinator.model(ofStoreAt: folder.url("none"))
        }
        try Data("text".utf8).write(to: folder.url("text"))
        #expect(throws: StoreError.self) {
            _ = try PersistentStoreCoordinator.model(ofStoreAt: folder.url("text"))
        }
    }

    @Test func `a cache that is cut off or goes on is damaged (§1.14.7)`() throws {
        let cache = try RawDeflate.deflate(Model(Model.entity("Thing", [])).archived())
        for cache in [cache.dropLast(), cache + [0], Data(), Data("text".utf8)] {
            let store = try CachedStore(compressed: Data(cache))
            let error = try #require(throws: ModelFileError.self) {
                _ = try PersistentStoreCoordinator.model(ofStoreAt: store.url)
            }
            #expect(error.reason == .malformed("its model cannot be decompressed"))
        }
    }

    @Test func `a bomb is refused before it is decompressed (§1.14.8)`() throws {
        let bomb = try RawDeflate.deflate(Data(count: 17 << 20))
        #expect(bomb.count < 200_000)
        let store = try CachedStore(compressed: bomb)
        let error = try #require(throws: ModelFileError.self) {
            _ = try PersistentStoreCoordinator.model(ofStoreAt: store.url)
        }
        #expect(error.reason == .tooLarge(limit: 16 << 20))
    }

    @Test func `shared objects do not multiply (§1.14.8)`() throws {
        // Each level holds the one before it twice.
        var predicate = ArchivedPart.labelled("0", .node("NSTruePredicate", []))
        for level in 1...40 {
            predicate = .labelled(
                "\(level)",
                .node(
                    "NSCompoundPredicate",
                    [
                        ("NSCompoundPredicateType", 1),
                        ("NSSubpredicates", .list([predicate, .reference("\(level - 1)")])),
                    ]))
        }
        let attribute = Model.attribute(
            "a", .integer16,
            [
                ("NSValidationPredicates", .list([predicate])),
                ("NSValidationWarnings", .list([1])),
            ])
        let error = try #require(throws: ModelFileError.self) {
            _ = try Model(Model.entity("Thing", [attribute])).model()
        }
        #expect(error.description.contains("Thing.a"))
        #expect(error.description.contains("shared too often"))
    }

    @Test func `another archive is no model (§1.14.7)`() throws {
        let store = try CachedStore(PropertyList(["a"])!.archived())
        let other = try #require(throws: ModelFileError.self) {
            _ = try PersistentStoreCoordinator.model(ofStoreAt: store.url)
        }
        #expect(other.reason == .notAModel("the archive has a 'NSArray'"))
        let folder = ModelFolder()
        let file = try folder.write(
            ArchivedPart.node("XDPMModel", []).archived(), to: "A.xcdatamodel/elements")
        let legacy = try #require(throws: ModelFileError.self) {
            _ = try ManagedObjectModel(contentsOf: file)
        }
        #expect(legacy.reason == .legacyFormat)
    }
}
