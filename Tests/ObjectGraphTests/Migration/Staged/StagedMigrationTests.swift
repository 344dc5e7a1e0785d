import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// Stages that lead old stores to the program's model, with code of the program.
@Suite struct `Staged migrations (§9.5)` {
    private let versions: StagedVersions

    init() throws { versions = try StagedVersions() }

    private func expectError(
        _ version: Int, _ stages: [any MigrationStage],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> MigrationError? {
        let before = try versions.fixture.files()
        let error = #expect(throws: MigrationError.self, sourceLocation: sourceLocation) {
            try versions.open(version, stages) { _ in }
        }
        #expect(try versions.fixture.files() == before, sourceLocation: sourceLocation)
        return error
    }

    @Test func `stages run in their order, with code before and after (§9.5.1, §9.5.3)`() throws {
        try versions.make(1, "one two", "three")
        let calls = Recorder<String>()
        @Sendable func note(_ name: String) -> CustomMigrationStage.Handler {
            { context in
                let entity = context.model.entity(named: "Page")!
                calls.values.append("\(name) \(entity.properties.map(\.name).sorted())")
            }
        }
        let content = try versions.open(
            4,
            [
                versions.custom(
                    1, 2, willMigrate: note("before"),
                    didMigrate: { context in
                        try note("after")(context)
                        try StagedVersions.countWords(context)
                    }),
                versions.lightweight(3),
                versions.custom(3, 4, willMigrate: note("before")),
            ]
        ) { try $0.content() }
        #expect(content == ["Page 1": "", "Page 2": "", "Page 1.words": "2", "Page 2.words": "1"])
        #expect(
            calls.values == [
                #"before ["title"]"#, #"after ["title", "words"]"#, #"before ["title", "words"]"#,
            ])
        // Nothing runs again.
        try versions.open(4, [try versions.counting(), versions.lightweight(3, 4)]) { _ in }
        #expect(calls.values.count == 3)
    }

    @Test func `a store enters at the stage that names its model (§9.5.1)`() throws {
        try versions.make(2, "one two")
        let content = try versions.open(3, [try versions.counting(), versions.lightweight(3)]) {
            try $0.content()
        }
        #expect(content == ["Page 1": "", "Page 1.title": "one two", "Page 1.words": "-1"])
    }

    @Test func `a custom stage may lie anywhere (§9.5.1)`() throws {
        let stages: [(Int, [any MigrationStage])] = try [
            (3, [versions.counting(), versions.lightweight(3)]),
            (3, [versions.counting()]),
            (2, [versions.lightweight(1), versions.counting()]),
            (4, [versions.lightweight(1), versions.counting(), versions.lightweight(3, 4)]),
        ]
        for (version, stages) in stages {
            let versions = try StagedVersions()
            try versions.make(1, "one two")
            let content = try versions.open(version, stages) { try $0.content() }
            #expect(content["Page 1.words"] == "2")
        }
    }

    @Test func `lightweight stages form a chain (§9.5.2)`() throws {
        try versions.make(1, "one two")
        let content = try versions.open(
            4, [versions.lightweight(1), versions.lightweight(2, 3), versions.lightweight(4)]
        ) { try $0.content() }
        #expect(content == ["Page 1": "", "Page 1.words": "-1"])
        let fixture = MigrationFixture()
        func entity(_ type: AttributeType?) -> [EntityDescription] {
            [fixture.entity("Page", type.map { [AttributeDescription("size", $0)] } ?? [])]
        }
        // Where only a version in between makes the change possible, too.
        let chain = try [entity(.integer16), entity(nil), entity(.integer32)].map {
            try ManagedObjectModel(entities: $0)
        }
        try fixture.make(entity(.integer16), [("Page", ["size": 1])])
        let count = try fixture.open(
            entity(.integer32),
            {
                $0.migration.sourceModels = chain
                $0.migration.stages = StagedMigrationManager([
                    LightweightMigrationStage(chain.map(\.versionChecksum))
                ])
            }
        ) { try $0.count(for: FetchRequest(entityName: "Page")) }
        #expect(count == 1)
    }

    @Test func `a stage whose change cannot be inferred runs no code (§9.5.4)`() throws {
        let fixture = MigrationFixture()
        let entities = [AttributeType.string, .integer32].map {
            [fixture.entity("Page", [AttributeDescription("size", $0)])]
        }
        try fixture.make(entities[0])
        let references = try entities.map {
            let model = try ManagedObjectModel(entities: $0)
            return try ModelReference(model, versionChecksum: model.versionChecksum)
        }
        let error = #expect(throws: MigrationError.self) {
            try fixture.open(
                entities[1],
                {
                    $0.migration.stages = StagedMigrationManager([
                        CustomMigrationStage(
                            from: references[0], to: references[1],
                            willMigrate: { _ in Issue.record("code ran") })
                    ])
                }
            ) { _ in }
        }
        #expect(error?.code == 134190)
    }

    @Test func `a model that is not the one referred to is an error (§9.5.5)`() throws {
        let error = #expect(throws: MigrationError.self) {
            try ModelReference(
                versions.model(1), versionChecksum: versions.model(2).versionChecksum)
        }
        #expect(
            error?.reason == .modelNotFound(versionChecksum: versions.model(2).versionChecksum))
        #expect(error?.code == 134504)
        try versions.make(1, "one")
        let other = try expectError(2, [LightweightMigrationStage(["unknown"])])
        #expect(other?.reason == .modelNotFound(versionChecksum: "unknown"))
    }

    @Test func `stages that lead back are an error (§9.5.6)`() throws {
        try versions.make(1, "one")
        let second = versions.model(2).versionChecksum
        let wrong = try expectError(3, [versions.custom(2, 3), versions.custom(1, 2)])
        #expect(wrong?.reason == .stagesGoBackward(versionChecksum: second))
        #expect(wrong?.code == 134506)
        // The program's model comes before the last stage.
        let late = try expectError(2, [versions.lightweight(1, 2, 3)])
        #expect(late?.reason == .stagesGoBackward(versionChecksum: second))
        let same = try expectError(2, [versions.custom(1, 1)])
        #expect(same?.code == 134506)
    }

    @Test func `a store that no stage names is an error (§9.5.7)`() throws {
        try versions.make(4)
        let newer = try expectError(3, [versions.lightweight(1, 2, 3)])
        #expect(
            newer?.reason == .newerThanStages(versionChecksum: versions.model(4).versionChecksum))
        #expect(newer?.code == 134506)
    }

    @Test func `a store remains at the last stage that succeeded (§9.5.8)`() throws {
        try versions.make(1, "one two")
        let error = #expect(throws: MigrationError.self) {
            try versions.open(
                4,
                [
                    versions.counting(),
                    versions.custom(3, 4, willMigrate: { _ in throw CodeFailure() }),
                ]
            ) { _ in }
        }
        let place = MigrationPlace.willMigrate(versionChecksum: versions.model(4).versionChecksum)
        #expect(error?.reason == .codeFailed(place, UnderlyingError(CodeFailure())))
        #expect(error?.code == 134110)
        let expected = ["Page 1": "", "Page 1.title": "one two", "Page 1.words": "2"]
        #expect(try versions.content(3) == expected)
    }

    @Test func `code that has failed runs again at the next opening (§9.5.9)`() throws {
        try versions.make(1, "one two", "three")
        let before = try versions.fixture.files()
        let calls = Recorder<String>()
        @Sendable func failing(_ name: String) -> CustomMigrationStage.Handler {
            { context in
                calls.values.append(name)
                try context.insertObject(entityName: "Page").setValue(name, forKey: "title")
                let isFirst = calls.values.filter { $0 == name }.count == 1
                if isFirst { throw CodeFailure() }
            }
        }
        func open() throws -> [String: String] {
            try versions.open(
                2,
                [
                    versions.custom(
                        1, 2, willMigrate: failing("before"), didMigrate: failing("after"))
                ]
            ) { try $0.content() }
        }
        #expect(throws: MigrationError.self) { try open() }
        #expect(try versions.fixture.files().keys == before.keys)
        #expect(try versions.fixture.sql("SELECT count(*) FROM ZPAGE") == ["2"])
        #expect(throws: MigrationError.self) { try open() }
        // The store has the program's model, and opens without stages.
        #expect(try versions.content(2).count == 6)
        let content = try open()
        #expect(calls.values == ["before", "before", "after", "after"])
        #expect(content.values.filter { ["before", "after"].contains($0) }.count == 2)
        _ = try open()
        #expect(calls.values.count == 4)
    }

    @Test func `invalid changes of code are an error of the stage (§9.5.9)`() throws {
        try versions.make(2, "one two")
        let error = #expect(throws: MigrationError.self) {
            try versions.open(
                3,
                [
                    versions.custom(
                        2, 3,
                        didMigrate: { context in
                            let page = try context.insertObject(entityName: "Page")
                            try page.setValue(nil, forKey: "words")
                        })
                ]
            ) { _ in }
        }
        guard case .codeFailed(_, let error) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error.error is SaveError)
    }

    @Test func `nothing else has the store open while code runs (§9.5.3)`() throws {
        try versions.make(1, "one")
        let url = versions.fixture.url
        let model = versions.model(1)
        try versions.open(
            2,
            [
                versions.custom(
                    1, 2,
                    willMigrate: { context in
                        let count = try context.count(for: FetchRequest(entityName: "Page"))
                        #expect(count == 1)
                        let other = PersistentStoreCoordinator(model: model)
                        var description = PersistentStoreDescription.sqlite(at: url)
                        description.timeout = .milliseconds(10)
                        #expect(throws: StoreError.self) {
                            try other.addPersistentStore(description)
                        }
                    })
            ]
        ) { _ in }
    }

    @Test func `without migration.isAutomatic no stage runs (§9.5.10)`() throws {
        try versions.make(1, "one")
        let error = #expect(throws: StoreError.self) {
            try versions.open(2, [try versions.counting()], { $0.migration.isAutomatic = false }) {
                _ in
            }
        }
        #expect(error?.code == 134100)
    }
}
