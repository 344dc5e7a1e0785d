import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// To-many relationships without an inverse, whose pairs are in the rows of the members.
@Suite struct `Columns for owners (§8.4)` {
    static func entities(isOrdered: Bool = false) -> [EntityDescription] {
        let title = AttributeDescription("title", .string)
        return [
            EntityDescription(
                name: "Book", attributes: [title],
                relationships: [.toMany("pages", "Page", isOrdered: isOrdered)]),
            EntityDescription(name: "Novel", superentity: "Book"),
            EntityDescription(name: "Page", attributes: [title]),
            EntityDescription(name: "Plate", superentity: "Page"),
        ]
    }

    private func fixture(isOrdered: Bool = false) throws -> StoreFixture {
        try StoreFixture(ManagedObjectModel(entities: Self.entities(isOrdered: isOrdered)))
    }

    /// The titles of a book's pages, in their order if there is one.
    private func pages(_ book: ManagedObject) throws -> [String] {
        let members = try book.value(forKey: "pages")
        let titles = { (page: ManagedObject) in try page.value(forKey: "title") as? String ?? "" }
        if let ordered = members as? [ManagedObject] { return try ordered.map(titles) }
        return try (members as? Set<ManagedObject> ?? []).map(titles).sorted()
    }

    private func stored(_ store: StoreFixture) throws -> [String: [String]] {
        let context = store.makeContext()
        return try context.performAndWait {
            try Dictionary(
                uniqueKeysWithValues: context.all("Book").map {
                    (try $0.value(forKey: "title") as? String ?? "", try pages($0))
                })
        }
    }

    /// Two books, of which the first has two pages, and a page without a book.
    @discardableResult
    private func fill(_ store: StoreFixture) throws -> [ManagedObjectID] {
        try store.run { context in
            let pages = try ["one", "two", "three"].map {
                try context.insert($0 == "two" ? "Plate" : "Page", ["title": $0])
            }
            let books = try ["first", "second"].map {
                try context.insert($0 == "second" ? "Novel" : "Book", ["title": $0])
            }
            try books[0].setValue([pages[1], pages[0]], forKey: "pages")
            try context.save()
            return (books + pages).map(\.objectID)
        }
    }

    private static let titles = ["one", "two"]

    // MARK: - The file

    @Test(arguments: [false, true])
    func `a new store has Core Data's column and its index (§8.4.1)`(isOrdered: Bool) throws {
        let store = try fixture(isOrdered: isOrdered)
        try fill(store)
        let place = isOrdered ? ", Z_FOK_1PAGES INTEGER" : ""
        #expect(
            try store.sql(
                "SELECT name, sql FROM sqlite_schema WHERE sql LIKE '%1PAGES%' ORDER BY 1")
                == [
                    [
                        "ZPAGE",
                        "CREATE TABLE ZPAGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, Z1PAGES INTEGER\(place), ZTITLE VARCHAR)",
                    ],
                    [
                        "ZPAGE_Z1PAGES_INDEX",
                        "CREATE INDEX ZPAGE_Z1PAGES_INDEX ON ZPAGE (Z1PAGES)",
                    ],
                ])
        #expect(
            try store.sql("SELECT ZTITLE, Z1PAGES FROM ZPAGE ORDER BY 1") == [
                ["one", "1"], ["three", nil], ["two", "1"],
            ])
    }

    @Test func `other columns of such a name get suffixes (§8.4.1)`() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "A",
                relationships: [
                    .toMany("b", "B"), .toMany("B", "B"), .toMany("_b", "B"),
                ]),
            EntityDescription(name: "ASub", superentity: "A"),
            EntityDescription(name: "B", relationships: [.toOne("b", "A"), .toOne("B", "A")]),
        ])
        let store = try StoreFixture(model)
        try store.run { context in
            let a = try context.insert("A")
            for key in ["b", "B", "_b"] {
                try a.setValue([context.insert("B", [key == "_b" ? "b" : key: a])], forKey: key)
            }
            try context.save()
        }
        let coordinator = PersistentStoreCoordinator(model: model)
        try store.coordinator.removePersistentStore(store.coordinator.persistentStores[0])
        try coordinator.addPersistentStore(.sqlite(at: store.folder.url("store.sqlite")))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            let a = try #require(try context.all("A").first)
            for key in ["b", "B", "_b"] {
                let members = try a.value(forKey: key) as? Set<ManagedObject>
                #expect(members?.count == 1)
                let own = try members?.first?.value(forKey: key == "_b" ? "b" : key)
                #expect(own as? ManagedObject === a)
            }
        }
    }

    // MARK: - Saves

    @Test(arguments: [false, true])
    func `members are added, removed and moved (§8.4.1)`(isOrdered: Bool) throws {
        let store = try fixture(isOrdered: isOrdered)
        let ids = try fill(store)
        #expect(
            try stored(store) == ["first": isOrdered ? ["two", "one"] : Self.titles, "second": []])
        try store.run { context in
            let objects = try ids.map { try context.existingObject(with: $0) }
            try objects[0].setValue([objects[4], objects[2]], forKey: "pages")
            try objects[1].setValue([objects[3]], forKey: "pages")
            try context.save()
        }
        #expect(
            try stored(store) == [
                "first": isOrdered ? ["three", "one"] : ["one", "three"], "second": ["two"],
            ])
        try store.run { context in
            let objects = try ids.map { try context.existingObject(with: $0) }
            try objects[0].setValue([], forKey: "pages")
            try context.save()
        }
        #expect(try stored(store) == ["first": [], "second": ["two"]])
    }

    @Test func `a member has one owner: the last that takes it (§8.4.2)`() throws {
        let store = try fixture()
        let ids = try fill(store)
        let other = store.makeContext()
        try other.performAndWait {
            let second = try other.existingObject(with: ids[1])
            try second.setValue([other.existingObject(with: ids[2])], forKey: "pages")
            try other.save()
        }
        #expect(try stored(store) == ["first": ["two"], "second": ["one"]])
        // The former owner no longer has what it does not show yet.
        try store.run { context in
            let first = try context.existingObject(with: ids[0])
            try first.setValue([], forKey: "pages")
            try context.save()
        }
        #expect(try stored(store) == ["first": [], "second": ["one"]])
    }

    @Test func `two owners of one object in a save are an error (§8.4.2)`() throws {
        let store = try fixture()
        let ids = try fill(store)
        try store.run { context in
            let objects = try ids.map { try context.existingObject(with: $0) }
            try objects[0].setValue([objects[4]], forKey: "pages")
            try objects[1].setValue([objects[4]], forKey: "pages")
            let error = #expect(throws: StoreError.self) { try context.save() }
            guard case .unsupported(let text)? = error?.reason else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(text.contains("'Novel.pages'") || text.contains("'Book.pages'"))
        }
        #expect(try stored(store) == ["first": Self.titles, "second": []])
    }

    @Test(arguments: ["context", "batch"], [0, 2])
    func `a deletion leaves no reference (§8.4.1)`(_ way: String, _ index: Int) throws {
        let store = try fixture(isOrdered: true)
        let ids = try fill(store)
        let context = store.makeContext()
        try context.performAndWait {
            if way == "batch" {
                try context.execute(
                    BatchDeleteRequest(
                        fetchRequest: FetchRequest(
                            entityName: index == 0 ? "Book" : "Page",
                            predicate: ObjectPredicate(
                                "title == %@", index == 0 ? "first" : "one"))))
            } else {
                // Its members are not read.
                try context.delete(context.existingObject(with: ids[index]))
                try context.save()
            }
        }
        let expected: [[String?]] =
            index == 0
            ? [["one", nil, nil], ["three", nil, nil], ["two", nil, nil]]
            : [["three", nil, nil], ["two", "1", "2048"]]
        #expect(
            try store.sql("SELECT ZTITLE, Z1PAGES, Z_FOK_1PAGES FROM ZPAGE ORDER BY 1")
                .map { [$0[0], $0[1], $0[1] == nil ? $0[2] : "2048"] } == expected)
    }

    @Test func `many members are written with few statements (§8.4.1)`() throws {
        let store = try fixture()
        let statements = try store.statements {
            try store.run { context in
                let pages = try (0..<5000).map { try context.insert("Page", ["title": "\($0)"]) }
                let book = try context.insert("Book", ["title": "large"])
                try book.setValue(Set(pages), forKey: "pages")
                try context.save()
            }
        }
        // It is 169: rows are written in groups, not one by one.
        #expect(statements < 200)
        #expect(try stored(store)["large"]?.count == 5000)
    }

    // MARK: - Fetches

    static let predicates = [
        ("ANY pages.title == 'one'", ["first"]), ("pages.@count == 0", ["second"]),
        ("SUBQUERY(pages, $p, $p.title BEGINSWITH 't').@count == 1", ["first"]),
        ("pages.@max.title == 'two'", ["first"]), ("ALL pages.title == 'x'", ["second"]),
    ]

    @Test(arguments: predicates.indices)
    func `predicates ask about the members (§8.4.1)`(_ index: Int) throws {
        let (format, titles) = Self.predicates[index]
        let store = try fixture()
        try fill(store)
        try store.run { context in
            var request = FetchRequest(
                entityName: "Book", predicate: try ObjectPredicate(format))
            request.relationshipKeyPathsForPrefetching = ["pages"]
            let found = try context.fetch(request, as: ManagedObject.self)
            #expect(try found.map { try $0.value(forKey: "title") as? String } == titles)
        }
    }

    @Test func `a derived count follows the members (§8.4.1)`() throws {
        var entities = Self.entities()
        entities[0].attributes.append(
            AttributeDescription("pageCount", .integer64, derivation: "pages.@count"))
        let store = try StoreFixture(ManagedObjectModel(entities: entities))
        let ids = try fill(store)
        func counts() throws -> [[String?]] {
            try store.sql("SELECT ZPAGECOUNT FROM ZBOOK ORDER BY Z_PK")
        }
        #expect(try counts() == [["2"], ["0"]])
        try store.run { context in
            let second = try context.existingObject(with: ids[1])
            try second.setValue([context.existingObject(with: ids[2])], forKey: "pages")
            try context.save()
        }
        #expect(try counts() == [["1"], ["1"]])
    }
}
