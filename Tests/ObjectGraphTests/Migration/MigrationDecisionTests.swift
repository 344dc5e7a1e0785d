import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// Which stores are migrated, and what keeps others from it. A store that is not keeps its bytes.
@Suite struct `The decision to migrate` {
    private let fixture = MigrationFixture()
    private let title = AttributeDescription("title", .string)
    private let note = AttributeDescription("note", .string)

    private func make() throws {
        try fixture.make(
            [fixture.entity("Page", [title])],
            [("Page", ["title": "one"]), ("Page", ["title": "one"])])
    }

    private func expectRefusal<Failure: Error>(
        _ type: Failure.Type, _ entities: [EntityDescription],
        _ change: (inout PersistentStoreDescription) -> Void = { _ in },
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Failure? {
        let before = try fixture.files()
        let error = #expect(throws: type, sourceLocation: sourceLocation) {
            try fixture.open(entities, change) { _ in }
        }
        #expect(try fixture.files() == before, sourceLocation: sourceLocation)
        return error
    }

    private var later: [EntityDescription] { [fixture.entity("Page", [title, note])] }

    @Test func `a store of another model is migrated by default (§9.1.4)`() throws {
        try make()
        #expect(
            try fixture.content(later)
                == [
                    "Page 1": "", "Page 1.title": "one", "Page 2": "", "Page 2.title": "one",
                ])
        // It is of the new model now.
        let error = try expectRefusal(StoreError.self, [fixture.entity("Page", [title])]) {
            $0.migration.isAutomatic = false
        }
        #expect(error?.reason == .incompatibleModel(entities: ["Page"]))
    }

    @Test func `without migration.isAutomatic it is refused (§9.1.3, §11.4.6)`() throws {
        try make()
        let error = try expectRefusal(StoreError.self, later) { $0.migration.isAutomatic = false }
        #expect(error?.reason == .incompatibleModel(entities: ["Page"]))
        #expect(error?.code == 134100)
    }

    @Test func `a store that is only read is never migrated (§9.1.5)`() throws {
        try make()
        let error = try expectRefusal(StoreError.self, later) { $0.isReadOnly = true }
        #expect(error?.reason == .incompatibleModel(entities: ["Page"]))
    }

    @Test func `the model of the rows can be given (§9.1.6)`() throws {
        try make()
        let connection = try Connection(
            SQLiteConfiguration(path: fixture.url.path, mode: .readWrite))
        try connection.execute("DELETE FROM Z_MODELCACHE")
        try connection.close()
        let error = try expectRefusal(MigrationError.self, later)
        #expect(error?.reason == .unknownSourceModel(entities: ["Page"]))
        #expect(error?.code == 134130)
        let source = try ManagedObjectModel(entities: [fixture.entity("Page", [title])])
        let count = try fixture.open(later, { $0.migration.sourceModels = [source] }) {
            try $0.count(for: FetchRequest(entityName: "Page"))
        }
        #expect(count == 2)
    }

    @Test func `a constraint that rows violate is refused (§9.2.7)`() throws {
        try make()
        let error = try expectRefusal(
            MigrationError.self, [fixture.entity("Page", [title], unique: [["title"]])])
        #expect(error?.reason == .constraintViolated(entity: "Page", constraint: ["title"]))
        #expect(error?.code == 134111)
    }

    @Test func `a store that is open elsewhere is refused (§9.1.7)`() throws {
        try make()
        let coordinator = PersistentStoreCoordinator(
            model: try ManagedObjectModel(entities: [fixture.entity("Page", [title])]))
        let store = try coordinator.addPersistentStore(.sqlite(at: fixture.url))
        let error = #expect(throws: MigrationError.self) {
            try fixture.open(later, { $0.timeout = .milliseconds(20) }) { _ in }
        }
        #expect(error?.reason == .storeInUse)
        // What no wait would change is said at once.
        let other = #expect(throws: MigrationError.self) {
            try fixture.open([fixture.entity("Book", [title])]) { _ in }
        }
        #expect(other?.code == 134190)
        try coordinator.removePersistentStore(store)
        #expect(try fixture.content(later).count == 4)
    }

    // MARK: - Changes that say too little

    private func obstacle(
        _ property: String?, _ reason: MigrationObstacle.Reason, entity: String = "Page"
    ) -> MigrationObstacle {
        MigrationObstacle(entity: entity, property: property, reason: reason)
    }

    private func expectObstacles(
        _ before: [EntityDescription], _ after: [EntityDescription],
        _ obstacles: MigrationObstacle..., sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let models = try [before, after].map { try ManagedObjectModel(entities: $0) }
        let error = #expect(throws: MigrationError.self, sourceLocation: sourceLocation) {
            try MappingModel.inferred(from: models[0], to: models[1])
        }
        #expect(error?.reason == .notInferable(obstacles), sourceLocation: sourceLocation)
    }

    @Test func `an attribute of another type (§9.2.10)`() throws {
        try expectObstacles(
            [fixture.entity("Page", [AttributeDescription("size", .integer32)])],
            [fixture.entity("Page", [AttributeDescription("size", .integer16)])],
            obstacle("size", .attributeType(from: .integer32, to: .integer16)))
    }

    @Test func `only a type that holds all values may follow (§9.2.10)`() {
        let numbers: [AttributeType] = [
            .boolean, .integer16, .integer32, .integer64, .float, .double, .decimal, .date,
        ]
        let wider = numbers.flatMap { from in
            numbers.filter { $0 != from && $0.holdsValues(of: from) }.map { "\(from) \($0)" }
        }
        #expect(
            wider == [
                "boolean integer16", "boolean integer32", "boolean integer64",
                "integer16 integer32", "integer16 integer64", "integer32 integer64",
                "float double",
            ])
    }

    @Test func `the error of a type says what a mapping would do (§9.2.10)`() {
        let text = obstacle("size", .attributeType(from: .string, to: .integer64)).description
        #expect(text.contains("PropertyMapping(\"size\""))
    }

    @Test func `a mandatory attribute without a default (§9.2.11)`() throws {
        let mandatory = AttributeDescription("title", .string, isOptional: false)
        try expectObstacles(
            [fixture.entity("Page", [title])], [fixture.entity("Page", [mandatory])],
            obstacle("title", .noDefault))
        try expectObstacles(
            [fixture.entity("Page", [note])], [fixture.entity("Page", [note, mandatory])],
            obstacle("title", .noDefault))
    }

    /// What comes, what goes, and the name that the error asks about.
    static let renames: [(came: [AttributeDescription], went: [AttributeDescription], String?)] = [
        ([mandatory("name")], [.init("title", .string)], "title"),
        ([mandatory("name")], [mandatory("title")], "title"),
        // Another type, several that may be meant, or none.
        ([mandatory("name")], [.init("size", .integer64)], nil),
        ([mandatory("name")], [.init("title", .string), .init("text", .string)], nil),
        ([mandatory("name")], [], nil),
        // Renamed, or gone on purpose for another one.
        (
            [mandatory("name", was: "title"), mandatory("text")],
            [.init("title", .string), .init("size", .integer64)], nil
        ),
        ([mandatory("name")], [.init("title", .string, isTransient: true)], nil),
    ]

    private static func mandatory(
        _ name: String, was former: String? = nil
    ) -> AttributeDescription {
        AttributeDescription(name, .string, isOptional: false, renamingIdentifier: former)
    }

    @Test(arguments: renames)
    func `an attribute that may have been renamed is named (§9.2.11)`(
        _ came: [AttributeDescription], _ went: [AttributeDescription], _ former: String?
    ) throws {
        let models = try [went, came].map {
            try ManagedObjectModel(entities: [fixture.entity("Page", [note] + $0)])
        }
        let error = #expect(throws: MigrationError.self) {
            try MappingModel.inferred(from: models[0], to: models[1])
        }
        guard case .notInferable(let obstacles)? = error?.reason else {
            Issue.record("\(error as Any)")
            return
        }
        let unnamed = obstacles.filter { $0.reason == .noDefault && $0.property != "title" }
        #expect(unnamed.contains { $0.possibleFormerName == former })
        let hint = "renamingIdentifier of 'name' to '\(former ?? "")'"
        #expect(error?.description.contains(hint) == (former != nil))
    }

    @Test func `a relationship that may have been renamed is named (§9.2.12)`() throws {
        func model(_ relationship: RelationshipDescription) throws -> ManagedObjectModel {
            try ManagedObjectModel(entities: [
                fixture.entity("Book", [title]), fixture.entity("Page", [title], [relationship]),
            ])
        }
        let error = #expect(throws: MigrationError.self) {
            try MappingModel.inferred(
                from: model(.toOne("volume", "Book")),
                to: model(.toOne("book", "Book", isOptional: false)))
        }
        #expect(
            error?.description.contains(
                "(if 'Page.volume' was renamed, set renamingIdentifier of 'book' to 'volume')")
                == true)
    }

    @Test func `a mandatory relationship that is new (§9.2.12)`() throws {
        try expectObstacles(
            [fixture.entity("Book", [title]), fixture.entity("Page", [title])],
            [
                fixture.entity("Book", [title]),
                fixture.entity("Page", [title], [.toOne("book", "Book", isOptional: false)]),
            ], obstacle("book", .mandatoryRelationship))
    }

    @Test(arguments: [
        (isOptional: false, minCount: 0, isObstacle: false), (false, 1, true), (true, 0, false),
        (true, 2, false),
    ])
    func `a new to-many whose objects may be none is none (§9.2.12)`(
        isOptional: Bool, minCount: Int, isObstacle: Bool
    ) throws {
        let before = [fixture.entity("Book", [title]), fixture.entity("Page", [title])]
        let after = [
            fixture.entity(
                "Book", [title],
                [.toMany("pages", "Page", isOptional: isOptional, minCount: minCount)]),
            fixture.entity("Page", [title]),
        ]
        if isObstacle {
            try expectObstacles(
                before, after, obstacle("pages", .mandatoryRelationship, entity: "Book"))
        } else {
            _ = try MappingModel.inferred(
                from: ManagedObjectModel(entities: before), to: ManagedObjectModel(entities: after))
        }
    }

    @Test func `an attribute in place of a relationship (§9.2.13)`() throws {
        try expectObstacles(
            [fixture.entity("Page", [title], [.toOne("note", "Page")])],
            [fixture.entity("Page", [title, note])], obstacle("note", .otherKind))
    }

    @Test func `a relationship to other objects (§9.2.14)`() throws {
        func model(_ destination: String) -> [EntityDescription] {
            [
                fixture.entity("Book", [title]), fixture.entity("Item", [title]),
                fixture.entity("Page", [title], [.toOne("other", destination)]),
            ]
        }
        try expectObstacles(
            model("Book"), model("Item"), obstacle("other", .destination(missing: "Book")))
    }

    @Test func `an inverse that held other objects (§9.2.15)`() throws {
        func model(_ first: String, _ second: String) -> [EntityDescription] {
            [
                fixture.entity(
                    "Book", [title],
                    [
                        .toMany("first", "Page", inverse: first),
                        .toMany("second", "Page", inverse: second),
                    ]),
                fixture.entity("Page", [title], [.toOne("a", "Book"), .toOne("b", "Book")]),
            ]
        }
        try expectObstacles(
            model("a", "b"), model("b", "a"), obstacle("first", .inverse, entity: "Book"),
            obstacle("second", .inverse, entity: "Book"), obstacle("a", .inverse),
            obstacle("b", .inverse))
    }

    @Test func `a common ancestor of entities that had none (§9.2.16)`() throws {
        try expectObstacles(
            [fixture.entity("Book", [title]), fixture.entity("Page", [title])],
            [
                fixture.entity("Item", [title]), fixture.entity("Book", parent: "Item"),
                fixture.entity("Page", parent: "Item"),
            ], obstacle(nil, .mergedHierarchies("Book", "Page"), entity: "Item"))
    }

    @Test func `models without a common entity (§9.2.17)`() throws {
        try expectObstacles(
            [fixture.entity("Book", [title])], [fixture.entity("Page", [title])],
            obstacle(nil, .unrelatedModels, entity: ""))
    }

    @Test func `a mapping lists what becomes of each property (§9.2.18)`() throws {
        let source = try ManagedObjectModel(entities: [
            fixture.entity("Book", [title]), fixture.entity("Page", [title, note]),
        ])
        let destination = try ManagedObjectModel(entities: [
            fixture.entity("Leaf", was: "Page", [title, AttributeDescription("size", .double)]),
            fixture.entity("Shelf", [title]),
        ])
        let mapping = try MappingModel.inferred(from: source, to: destination)
        #expect(mapping.entityMappings.map(\.kind) == [.transform, .add, .remove])
        let page = mapping.entityMappings[0]
        #expect(page.source == "Page" && page.destination == "Leaf")
        #expect(
            page.propertyMappings == [
                PropertyMapping(name: "title", source: "title"),
                PropertyMapping(name: "size", source: nil),
            ])
        #expect(page.removedProperties == ["note"])
        #expect(mapping.entityMappings[2].source == "Book")
    }
}
