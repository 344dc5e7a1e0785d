import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// Stores that come to the program's model over versions in between.
@Suite struct `Chains of migrations (§9.7)` {
    private let fixture = MigrationFixture()

    /// The size changes its type by way of a version without it.
    private var versions: [[EntityDescription]] {
        let title = AttributeDescription("title", .string)
        let second = [title, AttributeDescription("words", .integer64)]
        return [
            [fixture.entity("Page", [title, AttributeDescription("size", .integer16)])],
            [fixture.entity("Page", second)],
            [fixture.entity("Page", second + [AttributeDescription("size", .double)])],
        ]
    }

    private func models(_ range: Range<Int>) throws -> [ManagedObjectModel] {
        try versions[range].map { try ManagedObjectModel(entities: $0) }
    }

    private func make() throws {
        try fixture.make(versions[0], [("Page", ["title": "one", "size": 3])])
    }

    @Test func `a store goes over listed versions (§9.7.1)`() throws {
        try make()
        let models = try models(0..<2)
        let content = try fixture.open(versions[2], { $0.migration.sourceModels = models }) {
            try $0.content()
        }
        #expect(content == ["Page 1": "", "Page 1.title": "one"])
        #expect(
            try fixture.sql("SELECT name FROM pragma_table_info('ZPAGE')").sorted()
                == ["ZSIZE", "ZTITLE", "ZWORDS", "Z_ENT", "Z_OPT", "Z_PK"])
    }

    @Test func `without them it is refused, with what is in the way (§9.7.5)`() throws {
        try make()
        let before = try fixture.files()
        let error = #expect(throws: MigrationError.self) {
            try fixture.open(versions[2]) { _ in }
        }
        #expect(error?.code == 134190)
        #expect(error?.description.contains("'Page.size' was of type") == true)
        #expect(try fixture.files() == before)
    }

    @Test func `each step commits, and the next opening goes on (§9.7.6)`() throws {
        try fixture.make(
            versions[0],
            [("Page", ["title": "one", "size": 3]), ("Page", ["title": "one"])])
        let models = try models(0..<2)
        let title = AttributeDescription("title", .string)
        // The last step fails, since two titles are equal.
        let last = [
            fixture.entity(
                "Page",
                [
                    title, AttributeDescription("words", .integer64),
                    AttributeDescription("size", .double),
                ], unique: [["title"]])
        ]
        let error = #expect(throws: MigrationError.self) {
            try fixture.open(last, { $0.migration.sourceModels = models }) { _ in }
        }
        #expect(error?.code == 134111)
        // The store is at the second version, which opens it without a migration.
        try fixture.open(versions[1], { $0.migration.isAutomatic = false }) { context in
            let pages = try context.fetch(
                FetchRequest(entityName: "Page"), as: ManagedObject.self)
            #expect(pages.count == 2)
            try pages[1].setValue("two", forKey: "title")
            try context.save()
        }
        let count = try fixture.open(last, { $0.migration.sourceModels = models }) {
            try $0.count(for: FetchRequest(entityName: "Page"))
        }
        #expect(count == 2)
    }

    @Test func `steps that change nothing for a configuration come to an end (§9.7.6)`() throws {
        func model(_ note: AttributeType?, _ size: AttributeType?) throws -> ManagedObjectModel {
            func attributes(_ name: String, _ type: AttributeType?) -> [AttributeDescription] {
                [AttributeDescription("title", .string)]
                    + (type.map { [AttributeDescription(name, $0)] } ?? [])
            }
            return try ManagedObjectModel(
                entities: [
                    fixture.entity("Note", attributes("note", note)),
                    fixture.entity("Page", attributes("size", size)),
                ], configurations: ["Pages": ["Page"]])
        }
        let models = try [
            model(.string, .integer16), model(.string, nil), model(nil, nil), model(nil, .double),
        ]
        func open(_ model: ManagedObjectModel) throws {
            let coordinator = PersistentStoreCoordinator(model: model)
            var description = PersistentStoreDescription.sqlite(at: fixture.url)
            description.configuration = "Pages"
            description.migration.sourceModels = models
            let store = try coordinator.addPersistentStore(description)
            try coordinator.removePersistentStore(store)
        }
        try open(models[0])
        try open(models[3])
        #expect(try fixture.sql("SELECT count(*) FROM ZPAGE") == ["0"])
        #expect(
            try PersistentStoreCoordinator.model(ofStoreAt: fixture.url).versionChecksum
                == models[3].versionChecksum)
    }

    // MARK: - Progress

    @Test func `the progress counts steps and their statements (§9.7.7)`() throws {
        try make()
        let models = try models(0..<2)
        let fractions = Recorder<Double>()
        let progress = MigrationProgress { fractions.values.append($0) }
        try fixture.open(
            versions[2],
            {
                $0.migration.sourceModels = models
                $0.migration.progress = progress
            }
        ) { _ in }
        let found = fractions.values
        #expect(found == found.sorted() && Set(found).count == found.count)
        #expect(found.contains(0.5) && found.contains { $0 < 0.5 } && found.last == 1)
        #expect(progress.fractionCompleted == 1 && !progress.isCancelled)
    }

    @Test func `a migration can be cancelled (§9.7.8)`() throws {
        try make()
        let before = try fixture.files()
        let models = try models(0..<2)
        let early = MigrationProgress()
        early.cancel()
        let first = #expect(throws: MigrationError.self) {
            try fixture.open(
                versions[2],
                {
                    $0.migration.sourceModels = models
                    $0.migration.progress = early
                }
            ) { _ in }
        }
        #expect(first?.reason == .cancelled(nil))
        #expect(first?.code == 134120)
        #expect(try fixture.files() == before)

        // In the second step.
        let own = Recorder<MigrationProgress>()
        let late = MigrationProgress { if $0 >= 0.5 { own.values.first?.cancel() } }
        own.values.append(late)
        let second = #expect(throws: MigrationError.self) {
            try fixture.open(
                versions[2],
                {
                    $0.migration.sourceModels = models
                    $0.migration.progress = late
                }
            ) { _ in }
        }
        #expect(second?.reason == .cancelled(nil))
        let content = try fixture.open(versions[1], { $0.migration.isAutomatic = false }) {
            try $0.content()
        }
        #expect(content == ["Page 1": "", "Page 1.title": "one"])
    }

    @Test func `so do mapped steps, chunk by chunk (§9.7.7, §9.7.8)`() throws {
        try make()
        let models = try models(0..<3)
        let own = Recorder<MigrationProgress>()
        let calls = Recorder<Bool>()
        let mapping = try MappingModel(
            from: models[0], to: models[1],
            [
                .custom(from: "Page", to: "Page") { _, page, _ in
                    calls.values.append(true)
                    if calls.values.count == 1 { own.values.first?.cancel() }
                    try page.setValue(7, forKey: "words")
                }
            ])
        func open(_ progress: MigrationProgress) throws -> [String: String] {
            own.values = [progress]
            return try fixture.open(
                versions[2],
                {
                    $0.migration.mappingModels = [mapping]
                    $0.migration.progress = progress
                }
            ) { try $0.content() }
        }
        let error = #expect(throws: MigrationError.self) { try open(MigrationProgress()) }
        #expect(error?.reason == .cancelled(nil))
        #expect(try fixture.content(versions[0])["Page 1.size"] == "3")
        let fractions = Recorder<Double>()
        let content = try open(MigrationProgress { fractions.values.append($0) })
        #expect(content == ["Page 1": "", "Page 1.title": "one", "Page 1.words": "7"])
        #expect(fractions.values.contains(0.5) && fractions.values.last == 1)
    }

    @Test func `a statement that runs is ended (§9.7.8)`() throws {
        let title = AttributeDescription("title", .string)
        let size = AttributeDescription("size", .integer64)
        try fixture.make([fixture.entity("Page", [title, size])])
        let connection = try Connection(
            SQLiteConfiguration(path: fixture.url.path, mode: .readWrite))
        try connection.execute(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) \
            INSERT INTO ZPAGE (Z_PK, Z_ENT, Z_OPT, ZSIZE) SELECT i, 1, 1, i FROM n
            """)
        try connection.close()
        let before = try fixture.files()
        let progress = MigrationProgress()
        // Before the rows are copied.
        let error = #expect(throws: MigrationError.self) {
            try fixture.open(
                [fixture.entity("Page", [title])],
                { description in
                    description.migration.progress = progress
                    description.statementObserver = { sql, _ in
                        if sql.hasPrefix("CREATE TABLE ZPAGE") { progress.cancel() }
                    }
                }
            ) { _ in }
        }
        #expect(error?.reason == .cancelled(nil))
        #expect(try fixture.files() == before)
        #expect(try fixture.sql("SELECT count(*) FROM ZPAGE") == ["20000"])
    }
}
