import ObjectGraph
import Testing

@Suite struct `In-memory store (§11.3)` {
    let library: InMemoryStoreLibrary

    init() throws {
        library = try InMemoryStoreLibrary()
    }

    // MARK: - Fetching

    @Test(
        arguments: [
            ("pages > 200", ["Emma", "Hamlet"]),
            ("title BEGINSWITH 'B' OR title CONTAINS 'mm'", ["Beowulf", "Emma"]),
            ("writer.name == 'Austen'", ["Emma", "Persuasion"]),
            ("writer == nil", ["Beowulf"]),
            ("ANY subjects.name == 'death'", ["Beowulf", "Hamlet"]),
            ("subjects.@count == 2", ["Hamlet"]),
            ("subjects.@count == 0", ["Persuasion"]),
            ("FALSEPREDICATE", []),
        ])
    func `a predicate chooses rows, along relationships too`(
        format: String, titles: [String]
    ) throws {
        #expect(try library.titles(ObjectPredicate(format)) == titles)
    }

    // Unlike in SQL, `nil != 120` is true, and the negation of a false condition holds.
    @Test(
        arguments: [
            ("pages == nil", ["Persuasion"]),
            ("pages != nil", ["Beowulf", "Emma", "Hamlet"]),
            ("pages != 120", ["Emma", "Hamlet", "Persuasion"]),
            ("NOT (pages == 120)", ["Emma", "Hamlet", "Persuasion"]),
            ("pages < 200", ["Beowulf"]),
            ("NOT (pages IN {120, 342})", ["Emma", "Persuasion"]),
        ])
    func `nil has two truth values (§7.4)`(format: String, titles: [String]) throws {
        #expect(try library.titles(ObjectPredicate(format)) == titles)
    }

    @Test func `an object in a predicate stands for its row`() throws {
        let context = library.newContext()
        let austen = try context.performAndWait {
            try context.work("Emma")[Work.writer]!.objectID
        }
        #expect(
            try library.titles(ObjectPredicate("writer == %@", austen)) == ["Emma", "Persuasion"])
    }

    @Test func `sort keys order rows, nil first, also by a destination`() throws {
        #expect(
            try library.titles(nil, [.descending("pages")])
                == ["Emma", "Hamlet", "Beowulf", "Persuasion"])
        #expect(
            try library.titles(nil, [.ascending("writer.name"), .descending("title")])
                == ["Beowulf", "Persuasion", "Emma", "Hamlet"])
    }

    @Test func `offset and limit cut the ordered result`() throws {
        let titles = try library.titles {
            $0.fetchOffset = 1
            $0.fetchLimit = 2
        }
        #expect(titles == ["Emma", "Hamlet"])
        let context = library.newContext()
        var request = FetchRequest(entityName: "Work")
        request.fetchOffset = 3
        let final = request
        #expect(try context.performAndWait { try context.count(for: final) } == 1)
    }

    @Test func `descendants come unless the request says otherwise`() throws {
        #expect(try library.titles(entity: "Play") == ["Hamlet"])
        #expect(
            try library.titles { $0.includesSubentities = false }
                == ["Beowulf", "Emma", "Persuasion"])
    }

    @Test func `batches are read in the order of the result`() throws {
        #expect(
            try library.titles { $0.fetchBatchSize = 2 }
                == ["Beowulf", "Emma", "Hamlet", "Persuasion"])
    }

    @Test func `a transient attribute is refused, since rows do not have it`() {
        #expect(throws: FetchError.transientKeyNotAllowedHere("draft", entity: "Work")) {
            try library.titles(ObjectPredicate("draft == 'x'"))
        }
    }

    // MARK: - Dictionaries

    @Test func `dictionaries have the values at key paths, without nils`() throws {
        var request = FetchRequest(entityName: "Work", sortKeys: [.ascending("title")])
        request.propertiesToFetch = ["title", "pages", "writer.name"]
        request.fetchOffset = 2
        #expect(
            try library.dictionaries(request) == [
                ["title": "Hamlet", "pages": 342, "writer.name": "Shakespeare"],
                ["title": "Persuasion", "writer.name": "Austen"],
            ])
    }

    @Test func `distinct dictionaries come once`() throws {
        var request = FetchRequest(entityName: "Work", sortKeys: [.ascending("writer.name")])
        request.propertiesToFetch = ["writer.name"]
        request.returnsDistinctResults = true
        #expect(
            try library.dictionaries(request)
                == [[:], ["writer.name": "Austen"], ["writer.name": "Shakespeare"]])
    }

    @Test func `aggregates look at all rows of a group`() throws {
        var request = FetchRequest(entityName: "Work", sortKeys: [.descending("count")])
        request.propertiesToGroupBy = ["writer.name"]
        request.predicate = try ObjectPredicate("writer != nil")
        request.propertiesToFetch = [
            "writer.name",
            FetchedProperty(name: "count", expression: .function("count:", [.keyPath("title")])),
            FetchedProperty(name: "pages", expression: .function("sum:", [.keyPath("pages")])),
            FetchedProperty(name: "least", expression: .function("min:", [.keyPath("title")])),
            FetchedProperty(
                name: "average", expression: .function("average:", [.keyPath("pages")])),
        ]
        #expect(
            try library.dictionaries(request) == [
                [
                    "writer.name": "Austen", "count": 2, "pages": 474, "least": "Emma",
                    "average": 474.0,
                ],
                [
                    "writer.name": "Shakespeare", "count": 1, "pages": 342, "least": "Hamlet",
                    "average": 342.0,
                ],
            ])
    }

    // MARK: - Relationships

    @Test func `to-many relationships are read from the foreign keys of the others`() throws {
        let context = library.newContext()
        let titles = try context.performAndWait {
            let austen = try context.work("Emma")[Work.writer]!
            return austen[Writer.works].map { $0[Work.title] }.sorted()
        }
        #expect(titles == ["Emma", "Persuasion"])
    }

    @Test func `a changed foreign key moves a row from one owner to the other`() throws {
        let context = library.newContext()
        try context.performAndWait {
            try context.work("Persuasion")[Work.writer] = context.work("Hamlet")[Work.writer]
            try context.save()
        }
        let predicate = try ObjectPredicate("ANY writer.works.title == 'Persuasion'")
        #expect(try library.titles(predicate) == ["Hamlet", "Persuasion"])
    }

    @Test func `pairs of a many-to-many relationship come and go, seen from both ends`() throws {
        let context = library.newContext()
        try context.performAndWait {
            let hamlet = try context.work("Hamlet")
            let love = hamlet[Work.subjects].first { $0[Subject.name] == "love" }!
            hamlet.remove(love, from: Work.subjects)
            love.add(try context.work("Beowulf"), to: Subject.works)
            try context.save()
        }
        #expect(
            try library.titles(ObjectPredicate("ANY subjects.name == 'love'"))
                == ["Beowulf", "Emma"])
        let other = library.newContext()
        let counts = try other.performAndWait {
            try other.fetch(
                FetchRequest(entityName: "Subject", sortKeys: [.ascending("name")]),
                as: Subject.self
            ).map { $0[Subject.works].count }
        }
        #expect(counts == [2, 2])
    }

    @Test func `prefetching reads both kinds of relationship`() throws {
        let context = library.newContext()
        let counts = try context.performAndWait {
            var request = FetchRequest(entityName: "Writer", sortKeys: [.ascending("name")])
            request.relationshipKeyPathsForPrefetching = ["works.subjects"]
            return try context.fetch(request, as: Writer.self).map { writer in
                writer[Writer.works].reduce(0) { $0 + $1[Work.subjects].count }
            }
        }
        #expect(counts == [1, 2])
    }

    @Test func `a deleted row is gone from results and relationships`() throws {
        let context = library.newContext()
        try context.performAndWait {
            context.delete(try context.work("Hamlet"))
            try context.save()
        }
        #expect(try library.titles() == ["Beowulf", "Emma", "Persuasion"])
        let deaths = try ObjectPredicate("ANY subjects.name == 'death'")
        #expect(try library.titles(deaths) == ["Beowulf"])
    }
}
