import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Full-text indexes (§7.9)` {
    private let tables = ["Z_FT_Document_byText", "Z_FT_Letter_byAddress", "Z_FT_Folder_byName"]

    private func check(_ store: StoreFixture) throws {
        try store.checkFullTextIndexes(tables[0], tables[1], tables[2])
    }

    @Test func `follow saves (§7.9.7)`() throws {
        let store = try SearchFixture.store()
        try store.run { context in
            let documents = try context.all("Document", by: "title")
            try documents[1].setValue("A badger", forKey: "body")
            try documents[3].setValue(nil, forKey: "title")
            try documents[4].setValue("Badger Street", forKey: "address")
            context.delete(documents[0])
            try context.save()
            #expect(try SearchFixture.titles("byText SEARCH 'badger'", in: context) == ["Dog"])
            #expect(try SearchFixture.titles("byText SEARCH 'zurich'", in: context).isEmpty)
            #expect(try SearchFixture.titles("title SEARCH 'fox'", in: context).isEmpty)
            #expect(
                try SearchFixture.titles(
                    "byAddress SEARCH 'badger'", entity: "Letter", in: context) == ["Letter"])
        }
        try check(store)
    }

    @Test func `follow batch requests (§7.9.7)`() throws {
        let store = try SearchFixture.store()
        try store.run { context in
            let rows = (0..<200).map { number -> [String: AttributeValue] in
                ["title": .string("Row \(number)"), "body": "a red row"]
            }
            _ = try context.execute(BatchInsertRequest(entityName: "Document", objects: rows))
            #expect(try SearchFixture.titles("body SEARCH 'red'", in: context).count == 200)
            _ = try context.execute(
                BatchUpdateRequest(
                    entityName: "Document",
                    predicate: ObjectPredicate("body SEARCH 'red' AND title SEARCH '1*'"),
                    propertiesToUpdate: ["body": .constant("a blue row")]))
            #expect(try SearchFixture.titles("body SEARCH 'blue'", in: context).count == 111)
            #expect(try SearchFixture.titles("body SEARCH 'red'", in: context).count == 89)
            let request = FetchRequest(
                entityName: "Document", predicate: try ObjectPredicate("body SEARCH 'red'"))
            #expect(
                try context.execute(BatchDeleteRequest(fetchRequest: request)).count == 89)
            #expect(try SearchFixture.titles("body SEARCH 'row'", in: context).count == 111)
            #expect(try SearchFixture.titles("body SEARCH 'red'", in: context).isEmpty)
        }
        try check(store)
    }

    @Test(arguments: [MergePolicy.Kind.mergeByPropertyObjectTrump, .overwrite, .rollback])
    func `follow upserts (§7.9.7)`(_ policy: MergePolicy.Kind) throws {
        let store = try SearchFixture.store()
        try store.run { context in
            context.mergePolicy = MergePolicy(policy)
            _ = try context.execute(
                BatchInsertRequest(
                    entityName: "Folder", objects: [["name": "Crème brûlée"], ["name": "New"]]))
            try context.insert("Folder", ["name": "New"])
            try context.save()
            func count(_ text: String) throws -> Int {
                try context.count(
                    for: FetchRequest(
                        entityName: "Folder", predicate: ObjectPredicate("name SEARCH %@", text)))
            }
            #expect(try count("brulee") == 1)
            #expect(try count("new") == 1)
            #expect(try count("animals") == 1)
        }
        try check(store)
    }

    /// Whatever is written in whatever order, the index says the same as the texts.
    @Test func `follow random changes (§7.9.7)`() throws {
        let generator = SeededGenerator.fromEnvironment()
        let store = try SearchFixture.store()
        try store.run { [generator] context in
            var generator = generator
            for _ in 0..<60 {
                for _ in 0..<Int.random(in: 1...5, using: &generator) {
                    let all = try context.all("Document")
                    let text = generator.searchText()
                    if all.isEmpty || generator.chance(40) {
                        let entity = generator.pick(["Document", "Letter"])
                        try context.insert(entity, ["title": text])
                    } else if generator.chance(70) {
                        try generator.pick(all).setValue(
                            generator.chance(10) ? nil : text,
                            forKey: generator.pick(["title", "body"]))
                    } else {
                        context.delete(generator.pick(all))
                    }
                }
                try context.save()
                let query = generator.searchQuery()
                let predicate = try ObjectPredicate("byText SEARCH %@", query)
                let found = try context.fetchObjectIDs(
                    FetchRequest(entityName: "Document", predicate: predicate))
                let filtered = try context.all("Document").filter(predicate).map(\.objectID)
                #expect(Set(found) == Set(filtered), "\(query) TEST_SEED=\(generator.seed)")
            }
        }
        try check(store)
    }

    @Test func `can be built again from the rows (§7.9.8)`() throws {
        let store = try SearchFixture.store()
        do {
            let connection = try Connection(
                SQLiteConfiguration(path: store.folder.path("store.sqlite")))
            for table in tables {
                try connection.execute("INSERT INTO \(table) (\(table)) VALUES ('rebuild')")
            }
        }
        try check(store)
        #expect(try store.sql("SELECT COUNT(*) FROM \(tables[1])") == [["1"]])
        #expect(try store.sql("SELECT COUNT(*) FROM \(tables[0])") == [["5"]])
    }

    @Test func `of a store made before are missed by name (§7.9.6)`() throws {
        for index: FetchIndexDescription? in [nil, .fullText("byText", on: "title")] {
            let store = try StoreFixture(SearchFixture.model(index))
            let coordinator = PersistentStoreCoordinator(model: try SearchFixture.model())
            try coordinator.addPersistentStore(.sqlite(at: store.folder.url("store.sqlite")))
            let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
            try context.performAndWait {
                #expect(throws: FetchError.indexNotInStore("byText", entity: "Document")) {
                    try SearchFixture.titles("title SEARCH 'x'", in: context)
                }
                let request = FetchRequest(
                    entityName: "Folder", predicate: try ObjectPredicate("name SEARCH 'x'"))
                let count = try context.count(for: request)
                #expect(count == 0)
            }
        }
    }

    @Test func `are found again when the store is opened (§7.9.6)`() throws {
        let store = try SearchFixture.store()
        for isReadOnly in [false, true] {
            let coordinator = PersistentStoreCoordinator(model: try SearchFixture.model())
            var description = PersistentStoreDescription.sqlite(
                at: store.folder.url("store.sqlite"))
            description.isReadOnly = isReadOnly
            try coordinator.addPersistentStore(description)
            let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
            try context.performAndWait {
                let found = try SearchFixture.titles("title SEARCH 'fox'", in: context)
                #expect(found == ["Fox"])
            }
        }
    }

    // MARK: - SQL

    private func sql(_ format: String, sortedBy keys: SortKey...) throws -> String {
        let model = try SearchFixture.model()
        return try FetchTranslation(
            FetchRequest(
                entityName: "Document", predicate: ObjectPredicate(format), sortKeys: keys),
            entity: model.entity(named: "Document")!,
            layout: StoreLayout(model, storeIdentifier: "S"), selection: .columns("t0.Z_PK")
        ).sql
    }

    private let joined =
        "SELECT t0.Z_PK FROM Z_FT_Document_byText s0 CROSS JOIN ZDOCUMENT t0 ON t0.Z_PK = s0.rowid"

    @Test func `are joined for a search that every row must match (§7.9.11)`() throws {
        #expect(
            try sql("number > 1 AND byText SEARCH 'x'", sortedBy: .rank(of: "title"))
                == "\(joined) WHERE t0.ZNUMBER > ? AND s0.Z_FT_Document_byText MATCH ? ORDER BY s0.rank"
        )
        #expect(
            try sql("folder.name == 'x' AND body SEARCH 'x'")
                == "\(joined) JOIN ZFOLDER t1 ON t0.ZFOLDER = t1.Z_PK WHERE t1.ZNAME = ? AND s0.Z_FT_Document_byText MATCH ?"
        )
    }

    @Test func `are lists of keys for any other (§7.9.11)`() throws {
        let list = "IN (SELECT rowid FROM Z_FT_Document_byText WHERE Z_FT_Document_byText MATCH ?)"
        #expect(
            try sql("NOT byText SEARCH 'x'")
                == "SELECT t0.Z_PK FROM ZDOCUMENT t0 WHERE NOT (t0.Z_PK \(list))")
        #expect(
            try sql("title SEARCH 'x' AND byText SEARCH 'y'")
                == "\(joined) WHERE s0.Z_FT_Document_byText MATCH ? AND t0.Z_PK \(list)")
        #expect(
            try sql("folder.name SEARCH 'x' OR number == 1")
                == "SELECT t0.Z_PK FROM ZDOCUMENT t0 WHERE IFNULL(t0.ZFOLDER IN (SELECT rowid FROM Z_FT_Folder_byName WHERE Z_FT_Folder_byName MATCH ?), 0) OR t0.ZNUMBER = ?"
        )
    }
}

// MARK: - Random texts

extension SeededGenerator {
    private static let words = [
        "fox", "Fox", "FÓX", "foxes", "dog", "do", "straße", "STRASSE", "e\u{301}te\u{301}", "été",
        "日本", "σίσυφος", "ΣΊΣΥΦΟΣ", "İ", "ı", "x1", "e-mail", "😀", "\u{0}", "\"", "*", "AND", "(",
    ]

    mutating func searchText() -> String {
        (0..<Int.random(in: 0...8, using: &self)).map { _ in pick(Self.words) }
            .joined(separator: pick([" ", " ", ", ", "", "-"]))
    }

    /// Some words, phrases and beginnings of words.
    mutating func searchQuery() -> String {
        (0..<Int.random(in: 0...3, using: &self)).map { _ in
            let star = chance(30) ? "*" : ""
            guard chance(30) else { return String(pick(Self.words).prefix(pick([2, 9]))) + star }
            return "\"\(pick(Self.words)) \(pick(Self.words))\"" + star
        }
        .joined(separator: " ")
    }
}
