import TestSupport
import Testing

@testable import ObjectGraph

/// Things are unique by code and by place; each has a name, a count with a default and an owner.
@Suite struct `Batch inserts whose unique values are taken (§6.2)` {
    static func makeStore() throws -> StoreFixture {
        try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Owner", attributes: [],
                    relationships: [
                        .toMany("things", "Thing", inverse: "owner")
                    ]),
                EntityDescription(
                    name: "Thing",
                    attributes: [
                        AttributeDescription("code", .string),
                        AttributeDescription("place", .integer32),
                        AttributeDescription("name", .string),
                        AttributeDescription("count", .integer64, defaultValue: 7),
                    ],
                    relationships: [.toOne("owner", "Owner", inverse: "things")],
                    uniquenessConstraints: [["code"], ["place"]]),
            ]))
    }

    private static let contents =
        "SELECT ZCODE, ZPLACE, ZNAME, ZCOUNT, Z_OPT FROM ZTHING ORDER BY Z_PK"

    /// A store with the thing a at place 1, called old, counted once and owned.
    private func makeFilledStore() throws -> StoreFixture {
        let store = try Self.makeStore()
        try store.run { context in
            let values: [String: Any] = [
                "code": "a", "place": 1, "name": "old", "count": 1,
                "owner": try context.insert("Owner"),
            ]
            try context.insert("Thing", values)
            try context.save()
        }
        return store
    }

    @discardableResult
    private func insert(
        _ rows: [[String: AttributeValue]], in store: StoreFixture, _ kind: MergePolicy.Kind,
        _ resultType: BatchResultType = .objectIDs
    ) throws -> BatchResult {
        try store.run { context in
            context.mergePolicy = MergePolicy(kind)
            let request = BatchInsertRequest(entityName: "Thing", objects: rows)
            return try context.execute(request, resultType: resultType)
        }
    }

    @Test(arguments: [(MergePolicy.Kind.error, 0), (.mergeByPropertyObjectTrump, 1)])
    func `the error names entity, constraint and values (§6.2.7)`(
        _ kind: MergePolicy.Kind, takenCount: Int
    ) throws {
        let store = try makeFilledStore()
        // With object trump a row collides if it has values of two others.
        try insert([["code": "b", "place": 2]], in: store, .error)
        let before = try store.sql(Self.contents)
        let rows: [[String: AttributeValue]] = (0..<100).map { number in
            number == 70 ? ["code": "a", "place": 2] : ["place": .integer(Int64(number + 10))]
        }
        let error = #expect(throws: StoreError.self) { try insert(rows, in: store, kind) }
        let constraints: [StoreError.Reason] = [
            .valuesTaken(entity: "Thing", constraint: ["code"], values: ["a"]),
            .valuesTaken(entity: "Thing", constraint: ["place"], values: [2]),
        ]
        #expect(error.map { constraints.contains($0.reason) } == true)
        #expect(error?.code == 133021 && error?.url != nil)
        #expect(try store.sql(Self.contents) == before)
    }

    @Test(arguments: [MergePolicy.Kind.mergeByPropertyStoreTrump, .rollback])
    func `store trump and rollback skip the row (§6.2.8)`(_ kind: MergePolicy.Kind) throws {
        let store = try makeFilledStore()
        let result = try insert(
            [
                ["code": "a", "name": "new"], ["code": "b"], ["code": "b", "place": 3],
                ["place": 1], ["code": "c", "place": 1],
            ], in: store, kind)
        #expect(result.count == 1 && result.objectIDs.count == 1)
        #expect(result.changes.updated.isEmpty)
        let expected = [["a", "1", "old", "1", "1"], ["b", nil, nil, "7", "1"]]
        #expect(try store.sql(Self.contents) == expected)
    }

    @Test(arguments: [MergePolicy.Kind.mergeByPropertyObjectTrump, .overwrite])
    func `object trump and overwrite update what was given (§6.2.9)`(
        _ kind: MergePolicy.Kind
    ) throws {
        let cases: [(given: [String: AttributeValue], stored: [String?])] = [
            (["code": "a"], ["a", "1", "old", "1", "2"]),
            (["code": "a", "name": "new"], ["a", "1", "new", "1", "2"]),
            (["code": "a", "name": .null], ["a", "1", nil, "1", "2"]),
            (["code": "a", "count": 5, "place": 2], ["a", "2", "old", "5", "2"]),
            (["code": "b", "place": 1], ["b", "1", "old", "1", "2"]),
            (["code": .null, "place": 1], [nil, "1", "old", "1", "2"]),
            (["code": "a", "place": 1], ["a", "1", "old", "1", "2"]),
        ]
        for (given, expected) in cases {
            let store = try makeFilledStore()
            let result = try insert([given], in: store, kind)
            #expect(try store.sql(Self.contents) == [expected], "\(given)")
            #expect(try store.sql("SELECT count(ZOWNER) FROM ZTHING") == [["1"]])
            #expect(result.count == 1 && result.changes.inserted.isEmpty)
            #expect(result.changes.updated.map(\.reference) == [1])
        }
    }

    @Test func `rows with different keys update each its own (§6.2.9)`() throws {
        let store = try Self.makeStore()
        let codes = (0..<200).map { AttributeValue.string("\($0)") }
        try insert(codes.map { ["code": $0, "name": "old", "count": 1] }, in: store, .error)
        let rows = codes.enumerated().map { index, code -> [String: AttributeValue] in
            switch index % 3 {
            case 0: ["code": code, "name": "new"]
            case 1: ["code": code, "count": 2]
            default: ["code": code]
            }
        }
        let result = try insert(rows, in: store, .mergeByPropertyObjectTrump)
        #expect(result.changes.updated.count == 200)
        let counts = try store.sql("SELECT sum(ZNAME = 'new'), sum(ZCOUNT = 2) FROM ZTHING")
        #expect(counts == [["67", "67"]])
    }

    @Test func `rows of one request collide with each other in their order (§6.2.10)`() throws {
        let rows: [[String: AttributeValue]] = [
            ["code": "a", "name": "first"], ["code": "b"], ["code": "a", "count": 2],
            ["code": "a", "name": "last"],
        ]
        let first = try Self.makeStore()
        let skipped = try insert(rows, in: first, .mergeByPropertyStoreTrump)
        #expect(skipped.count == 2 && skipped.objectIDs.count == 2)
        let firstRows = [["a", nil, "first", "7", "1"], ["b", nil, nil, "7", "1"]]
        #expect(try first.sql(Self.contents) == firstRows)

        let last = try Self.makeStore()
        let updated = try insert(rows, in: last, .mergeByPropertyObjectTrump)
        #expect(updated.count == 4 && updated.changes.inserted.count == 2)
        #expect(updated.changes.updated.isEmpty)
        let lastRows = [["a", nil, "last", "2", "3"], ["b", nil, nil, "7", "1"]]
        #expect(try last.sql(Self.contents) == lastRows)

        let none = try Self.makeStore()
        #expect(throws: StoreError.self) { try insert(rows, in: none, .error) }
        #expect(try none.sql(Self.contents) == [])
    }

    @Test(arguments: MergePolicy.Kind.allCases)
    func `nil collides with nothing (§6.2.11)`(_ kind: MergePolicy.Kind) throws {
        let store = try Self.makeStore()
        let result = try insert([[:], ["code": .null], [:]], in: store, kind)
        #expect(result.count == 3 && result.changes.inserted.count == 3)
        #expect(try store.sql("SELECT count(*) FROM ZTHING") == [["3"]])
    }

    @Test(arguments: MergePolicy.Kind.allCases, [BatchResultType.count, .objectIDs])
    func `an index that is none of the model's is no policy's to settle (§6.2.7)`(
        _ kind: MergePolicy.Kind, _ resultType: BatchResultType
    ) throws {
        let store = try makeFilledStore()
        let connection = try Connection(
            SQLiteConfiguration(path: store.folder.path("store.sqlite"), mode: .readWrite))
        try connection.execute("CREATE UNIQUE INDEX own ON ZTHING (lower(ZNAME))")
        try connection.close()
        let error = #expect(throws: StoreError.self) {
            try insert([["code": "b"], ["name": "OLD"]], in: store, kind, resultType)
        }
        #expect(error?.reason == .uniquenessViolated)
        #expect(try store.sql("SELECT count(*) FROM ZTHING") == [["1"]])
    }

    // MARK: - Inheritance

    /// Works are unique by title, books also by code.
    private func makeLibrary() throws -> StoreFixture {
        let store = try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Work",
                    attributes: [
                        AttributeDescription("title", .string),
                        AttributeDescription("year", .integer32),
                    ], uniquenessConstraints: [["title"]]),
                EntityDescription(
                    name: "Book", superentity: "Work",
                    attributes: [
                        AttributeDescription("code", .string),
                        AttributeDescription("pages", .integer32),
                    ], uniquenessConstraints: [["title"], ["code"]]),
                EntityDescription(
                    name: "Film", superentity: "Work",
                    attributes: [AttributeDescription("minutes", .integer32)]),
            ]))
        try store.run { context in
            try context.insert("Book", ["title": "Solaris", "code": "a", "pages": 1])
            try context.insert("Work", ["title": "Eden"])
            try context.save()
            context.mergePolicy = .mergeByPropertyObjectTrump
        }
        return store
    }

    @Test func `an inherited constraint counts, also across descendants (§6.2.12)`() throws {
        let store = try makeLibrary()
        try store.run { context in
            let books = BatchInsertRequest(
                entityName: "Book",
                objects: [
                    ["title": "Solaris", "pages": 2], ["code": "a", "year": 1961],
                    ["title": "Fiasco", "code": "b"],
                ])
            let result = try context.execute(books, resultType: .objectIDs)
            #expect(result.changes.inserted.count == 1 && result.changes.updated.count == 1)
            let works = BatchInsertRequest(
                entityName: "Work", objects: [["title": "Solaris", "year": 1962]])
            let updated = try context.execute(works, resultType: .objectIDs).changes.updated
            #expect(updated.map(\.entityName) == ["Book"])
        }
        let rows = try store.sql(
            "SELECT ZTITLE, ZCODE, ZYEAR, ZPAGES, Z_OPT FROM ZWORK ORDER BY ZTITLE")
        #expect(
            rows == [
                ["Eden", nil, nil, nil, "1"], ["Fiasco", "b", nil, nil, "1"],
                ["Solaris", "a", "1962", "2", "4"],
            ])
    }

    @Test(arguments: ["Eden", "Solaris"])
    func `a row of another entity is not updated: the request throws (§6.2.13)`(
        _ title: String
    ) throws {
        let store = try makeLibrary()
        let before = try store.sql("SELECT * FROM ZWORK")
        try store.run { context in
            let films = BatchInsertRequest(
                entityName: "Film",
                objects: [["title": "Stalker"], ["title": .string(title), "minutes": 3]])
            let error = #expect(throws: StoreError.self) { try context.execute(films) }
            #expect(
                error?.reason
                    == .valuesTaken(
                        entity: "Film", constraint: ["title"], values: [.string(title)]))
            let after = try store.sql("SELECT * FROM ZWORK")
            #expect(after == before)
            context.mergePolicy = .mergeByPropertyStoreTrump
            let skipping = try context.execute(films)
            #expect(skipping.count == 1)
        }
    }

    // MARK: - Against objects

    @Test(arguments: 0..<20)
    func `an upsert is a find-or-create, for each policy (§6.2.7, §6.2.8, §6.2.9)`(
        _ round: Int
    ) throws {
        var generator = SeededGenerator.fromEnvironment()
        let kind = Self.kinds[round % Self.kinds.count]
        let (upserted, created) = (try Self.makeStore(), try Self.makeStore())
        for _ in 0..<12 {
            // With the policy `error` most requests of many rows would throw.
            let rowCount = Int.random(in: 1...(kind == .error ? 8 : 90), using: &generator)
            let rows = (0..<rowCount).map { _ in Self.randomRow(&generator) }
            let expected = Result {
                try created.run { try Self.findOrCreate(rows, kind, in: $0) }
            }
            if case .failure = expected { created.run { $0.reset() } }
            let actual = Result { try insert(rows, in: upserted, kind) }
            let counts = ((try? actual.get().count), (try? expected.get()))
            #expect(counts.0 == counts.1, "TEST_SEED=\(generator.seed)")
            let contents = "SELECT ZCODE, ZPLACE, ZNAME, ZCOUNT FROM ZTHING ORDER BY Z_PK"
            #expect(
                try upserted.sql(contents) == created.sql(contents), "TEST_SEED=\(generator.seed)")
        }
    }

    private static let kinds: [MergePolicy.Kind] = [
        .mergeByPropertyObjectTrump, .overwrite, .mergeByPropertyStoreTrump, .rollback, .error,
    ]

    private static func randomRow(
        _ generator: inout SeededGenerator
    ) -> [String: AttributeValue] {
        var row: [String: AttributeValue] = [:]
        let code = Int.random(in: 0...400, using: &generator)
        switch Int.random(in: 0...20, using: &generator) {
        case 0: break
        case 1: row["code"] = .null
        default: row["code"] = .string("\(code)")
        }
        // Mostly the place of the code, so that few rows collide with two others.
        if Int.random(in: 0...2, using: &generator) == 0 {
            let isElsewhere = Int.random(in: 0...60, using: &generator) == 0
            row["place"] = .integer(Int64(isElsewhere ? 401 + code : code))
        }
        if Bool.random(using: &generator) {
            row["name"] = .string("\(Int.random(in: 0...9, using: &generator))")
        }
        if Int.random(in: 0...3, using: &generator) == 0 { row["count"] = .integer(Int64(code)) }
        return row
    }

    private struct TakenValues: Error {}

    /// What a program does without upserts.
    ///
    /// - Returns: How many rows were created or updated.
    private static func findOrCreate(
        _ rows: [[String: AttributeValue]], _ kind: MergePolicy.Kind,
        in context: ManagedObjectContext
    ) throws -> Int {
        var count = 0
        for row in rows {
            var found: Set<ManagedObjectID> = []
            for key in ["code", "place"] {
                guard let value = row[key], !value.isNull else { continue }
                let request = FetchRequest(
                    entityName: "Thing",
                    predicate: .comparison(.init(.keyPath(key), .equal, .constant(value))))
                found.formUnion(try context.fetch(request, as: ManagedObject.self).map(\.objectID))
            }
            if !found.isEmpty {
                switch kind {
                case .mergeByPropertyStoreTrump, .rollback: continue
                case .error: throw TakenValues()
                default: if found.count > 1 { throw TakenValues() }
                }
            }
            let object =
                try found.first.map { try context.existingObject(with: $0) }
                ?? context.insert("Thing")
            for (key, value) in row { try object.setValue(value.swiftValue, forKey: key) }
            count += 1
        }
        try context.save()
        return count
    }
}
