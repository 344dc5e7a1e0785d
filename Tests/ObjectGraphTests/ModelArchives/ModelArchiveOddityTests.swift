import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// What real caches and compiled models have that no document mentions.
@Suite struct `Oddities of archived models (§1.14)` {
    private typealias Model = ArchivedModel

    private func warnings(of model: ManagedObjectModel) -> [String] {
        model.fileWarnings.map { String($0.description.split(separator: ": ", maxSplits: 1)[1]) }
    }

    // MARK: - Indexes and constraints

    private func index(_ name: String, on properties: String...) -> ArchivedPart {
        .node(
            "NSFetchIndexDescription",
            [
                ("NSIndexName", .text(name)),
                (
                    "NSIndexElements",
                    .list(
                        properties.map {
                            .node(
                                "NSFetchIndexElementDescription",
                                [("NSPropertyName", .text($0)), ("NSAscending", true)])
                        })
                ),
            ])
    }

    private func indexes(_ parts: ArchivedPart...) throws -> [FetchIndexDescription] {
        let model = try Model(
            Model.entity(
                "Thing", [Model.attribute("a", .string), Model.attribute("b", .string)],
                [("NSFetchIndexDescriptions", .list(parts))])
        ).model()
        return try #require(model.entitiesByName["Thing"]).indexes
    }

    @Test func `an index that is listed twice is one (§1.14.11)`() throws {
        let found = try indexes(
            index("i", on: "a"), index("j", on: "b"), index("i", on: "a"), index("I", on: "a"))
        #expect(found == [.init("i", on: "a"), .init("j", on: "b")])
    }

    @Test func `of two indexes with one name, the first has it in the file (§1.14.11)`() throws {
        let found = try indexes(
            index("i", on: "a"), index("i", on: "b"), index("i", on: "a", "b"),
            index("i", on: "b"))
        #expect(found.map(\.name) == ["i", "i1", "i2"])
        #expect(found.map { $0.elements.map(\.property) } == [["a"], ["b"], ["a", "b"]])
    }

    @Test func `a constraint that is listed twice is one (§1.14.11)`() throws {
        let model = try Model(
            Model.entity(
                "Thing", [Model.attribute("a", .string)],
                [("NSUniqueTuples", .list([.texts("a"), .texts("a")]))])
        ).model()
        #expect(model.entitiesByName["Thing"]?.uniquenessConstraints == [["a"]])
        // The store makes one index of it.
        _ = try StoreFixture(model)
    }

    // MARK: - Relationships

    @Test func `the order of a to-one relationship is ignored (§1.14.5)`() throws {
        let model = try Model(
            Model.entity(
                "Thing",
                [
                    Model.relationship(
                        "owner", of: "Thing", to: "Thing", inverse: "owned", maxCount: 1,
                        [("NSIsOrdered", true)]),
                    Model.relationship(
                        "owned", of: "Thing", to: "Thing", inverse: "owner",
                        [("NSIsOrdered", true)]),
                ])
        ).model()
        #expect(
            warnings(of: model) == [
                "Thing.owner: not supported: an order of a to-one relationship; the mark is ignored."
            ])
        let found = model.entitiesByName["Thing"]?.relationships.map(\.isOrdered)
        #expect(found == [false, true])
    }

    @Test func `an inverse may lead to a subentity of the declarer (§1.14.4)`() throws {
        let model = try Model(
            Model.entity(
                "Asset",
                [
                    Model.relationship(
                        "details", of: "Asset", to: "Details", inverse: "photo", maxCount: 1)
                ]),
            Model.entity("Photo", [], [("NSSuperentity", .reference("Asset"))]),
            Model.entity(
                "Details",
                [
                    Model.relationship(
                        "photo", of: "Details", to: "Photo", maxCount: 1,
                        [("_NSInverseRelationshipName", "details")])
                ])
        ).model()
        #expect(warnings(of: model).isEmpty)
        let details = model.entitiesByName["Details"]?.relationships.first
        #expect(details?.inverse == "details" && details?.destination == "Photo")
    }

    // MARK: - Names

    @Test func `names may begin with an underscore (§1.1.3)`() throws {
        let model = try Model(
            Model.entity(
                "_Thing", [Model.attribute("_name", .string)],
                [("NSFetchIndexDescriptions", .list([index("_byName", on: "_name")]))])
        ).model()
        #expect(model.entitiesByName["_Thing"]?.indexes == [.init("_byName", on: "_name")])
    }

    // MARK: - The archive

    @Test(arguments: ["NULL", "''", "0"])
    func `a cache that is there without a model is named as such (§1.14.7)`(
        _ value: String
    ) throws {
        let store = try CachedStore(compressed: Data())
        let connection = try Connection(
            SQLiteConfiguration(path: store.url.path, mode: .readWrite))
        try connection.execute("UPDATE Z_MODELCACHE SET Z_CONTENT = \(value)")
        try connection.close()
        let error = #expect(throws: ModelFileError.self) {
            try PersistentStoreCoordinator.model(ofStoreAt: store.url)
        }
        #expect(error?.reason == .emptyModelInStore)
        #expect(error?.description.contains("Z_MODELCACHE holds NULL") == true)
    }

    @Test func `a key that is unknown is a warning (§1.14.5)`() throws {
        let unknown = [("NSNews", ArchivedPart.text("x"))]
        let model = try Model(
            Model.entity(
                "Thing",
                [
                    Model.attribute("a", .string, unknown),
                    Model.relationship("r", of: "Thing", to: "Thing", unknown),
                ],
                [
                    ("NSUniquenessConstraints", .list([.texts("a")])),
                    ("NSNothing", .null),
                    (
                        "NSFetchIndexDescriptions",
                        .list([
                            .node(
                                "NSFetchIndexDescription",
                                [
                                    ("NSIndexName", "i"),
                                    (
                                        "NSIndexElements",
                                        .list([
                                            .node(
                                                "NSFetchIndexElementDescription",
                                                [("NSPropertyName", "a")] + unknown)
                                        ])
                                    ),
                                ] + unknown)
                        ])
                    ),
                ]), fields: unknown
        ).model()
        func ignored(_ key: String, _ element: String) -> String {
            "the attribute '\(key)' of the element '\(element)' is unknown and ignored."
        }
        #expect(
            Set(warnings(of: model)) == [
                ignored("NSNews", "NSManagedObjectModel"),
                "Thing: " + ignored("NSUniquenessConstraints", "NSEntityDescription"),
                "Thing.a: " + ignored("NSNews", "NSAttributeDescription"),
                "Thing.r: " + ignored("NSNews", "NSRelationshipDescription"),
                "Thing: " + ignored("NSNews", "NSFetchIndexDescription"),
                "Thing: " + ignored("NSNews", "NSFetchIndexElementDescription"),
            ])
    }
}
