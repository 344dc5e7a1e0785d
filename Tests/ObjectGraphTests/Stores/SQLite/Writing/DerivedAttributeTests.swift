import Foundation
import Testing

@testable import ObjectGraph

@Suite struct `Derived attributes (§1.4)` {
    /// The value of an object after it was refreshed.
    private func refreshed(_ object: ManagedObject, _ key: String) throws -> String {
        object.managedObjectContext?.refresh(object, mergeChanges: true)
        return try object.text(key)
    }

    // MARK: - The forms

    @Test func `a count follows its members in and out (§1.4.5)`() throws {
        let fixture = try DerivedFixture()
        try fixture.run { context in
            let (left, right) = (try context.insert("Shelf"), try context.insert("Shelf"))
            try context.save()
            #expect(try refreshed(left, "bookCount") == "0")
            let book = try context.insert("Book", ["shelf": left])
            let other = try context.insert("Book", ["shelf": left])
            try context.save()
            #expect(try refreshed(left, "bookCount") == "2")
            try book.setValue(right, forKey: "shelf")
            try context.save()
            #expect(try refreshed(left, "bookCount") == "1")
            #expect(try refreshed(right, "bookCount") == "1")
            try other.setValue(nil, forKey: "shelf")
            try context.save()
            #expect(try refreshed(left, "bookCount") == "0")
            context.delete(book)
            try context.save()
            #expect(try refreshed(right, "bookCount") == "0")
            try other.setValue(left, forKey: "shelf")
            context.delete(left)
            try context.save()
        }
        #expect(try fixture.mismatches() == [])
    }

    @Test func `sum, minimum and maximum follow members and their values (§1.4.5)`() throws {
        let fixture = try DerivedFixture()
        try fixture.run { context in
            let shelf = try context.insert("Shelf")
            let books = try (1...3).map { number in
                try context.insert(
                    "Book",
                    [
                        "shelf": shelf, "pages": number * 100, "weight": Double(number) / 4,
                        "bought": Date(timeIntervalSinceReferenceDate: Double(number)),
                    ])
            }
            try context.insert("Book", ["shelf": shelf])
            try context.save()
            func values() throws -> [String] {
                try ["pages", "weight", "fewest", "latest"].map { try refreshed(shelf, $0) }
            }
            #expect(try values() == ["600", "1.5", "100", "3.0"])
            try books[0].setValue(1_000, forKey: "pages")
            try books[2].setValue(nil, forKey: "bought")
            try books[1].setValue(nil, forKey: "weight")
            try context.save()
            #expect(try values() == ["1500", "1.0", "200", "2.0"])
            context.delete(books[1])
            try books[2].setValue(nil, forKey: "shelf")
            try context.save()
            #expect(try values() == ["1000", "0.25", "1000", "1.0"])
            // Owner and value change in one statement.
            try books[2].setValue(shelf, forKey: "shelf")
            try books[2].setValue(7, forKey: "pages")
            try books[0].setValue(nil, forKey: "shelf")
            try books[0].setValue(8, forKey: "pages")
            try context.save()
            #expect(try values() == ["7", "0.75", "7", "nil"])
        }
        #expect(try fixture.mismatches() == [])
    }

    @Test func `a value over a to-one relationship follows both ends (§1.4.5)`() throws {
        let fixture = try DerivedFixture()
        try fixture.run { context in
            let (left, right) = (
                try context.insert("Shelf", ["name": "Élan"]),
                try context.insert("Cabinet", ["name": "Right"])
            )
            let book = try context.insert("Comic", ["title": "T", "shelf": left])
            try context.save()
            func values() throws -> [String] {
                try ["copy", "shelfName", "loud", "quiet", "neighbours"]
                    .map { try refreshed(book, $0) }
            }
            #expect(try values() == ["T", "Élan", "ÉLAN", "élan", "1"])
            try left.setValue("New", forKey: "name")
            try book.setValue("U", forKey: "title")
            try context.save()
            #expect(try values() == ["U", "New", "NEW", "new", "1"])
            try book.setValue(right, forKey: "shelf")
            try context.save()
            #expect(try values() == ["U", "Right", "RIGHT", "right", "1"])
            context.delete(right)
            try context.save()
            #expect(try values() == ["U", "nil", "nil", "nil", "nil"])
        }
        #expect(try fixture.mismatches() == [])
    }

    @Test func `canonical removes case and diacritics (§1.4.5)`() throws {
        let fixture = try DerivedFixture()
        try fixture.run { context in
            let shelf = try context.insert("Cabinet", ["name": "CAFÉ Noir"])
            try context.save()
            #expect(try refreshed(shelf, "folded") == "cafe noir")
            try shelf.setValue(nil, forKey: "name")
            try context.save()
            #expect(try refreshed(shelf, "folded") == "nil")
        }
    }

    @Test func `now is the time of each write of the row (§1.4.5)`() throws {
        let fixture = try DerivedFixture()
        try fixture.run { context in
            let before = Date()
            let shelf = try context.insert("Shelf")
            try context.save()
            context.refresh(shelf, mergeChanges: true)
            let first = try #require(try shelf.value(forKey: "changedAt") as? Date)
            #expect((before...Date()).contains(first))
            try context.execute(
                BatchInsertRequest(entityName: "Book", objects: [["title": "x"]]))
            context.refresh(shelf, mergeChanges: true)
            #expect(try shelf.value(forKey: "changedAt") as? Date == first)
            try shelf.setValue("x", forKey: "name")
            try context.save()
            context.refresh(shelf, mergeChanges: true)
            let second = try #require(try shelf.value(forKey: "changedAt") as? Date)
            #expect((first...Date()).contains(second))
            #expect(second != first)
        }
    }

    // MARK: - Relationships of every kind

    @Test func `pairs of a join table count and sum (§1.4.6)`() throws {
        let fixture = try DerivedFixture()
        try fixture.run { context in
            let tags = try (0..<2).map { _ in try context.insert("Tag") }
            let books = try (1...3).map {
                try context.insert("Book", ["pages": $0, "weight": Double($0)])
            }
            try tags[0].setValue(Set(books), forKey: "books")
            try tags[1].setValue(Set(books[1...]), forKey: "books")
            try context.save()
            func values(_ tag: ManagedObject) throws -> [String] {
                try ["bookCount", "pages", "heaviest"].map { try refreshed(tag, $0) }
            }
            #expect(try values(tags[0]) == ["3", "6", "3.0"])
            try books[2].setValue(10, forKey: "pages")
            try books[2].setValue(0.5, forKey: "weight")
            try context.save()
            #expect(try values(tags[0]) == ["3", "13", "2.0"])
            #expect(try values(tags[1]) == ["2", "12", "2.0"])
            try tags[0].setValue(Set(books[..<2]), forKey: "books")
            context.delete(books[1])
            try context.save()
            #expect(try values(tags[0]) == ["1", "1", "1.0"])
            #expect(try values(tags[1]) == ["1", "10", "0.5"])
        }
        #expect(try fixture.mismatches() == [])
    }

    @Test func `relationships within an entity (§1.4.6)`() throws {
        let fixture = try DerivedFixture()
        try fixture.run { context in
            let people = try (0..<4).map { number in
                try context.insert("Person", ["name": "P\(number)", "age": number * 10])
            }
            // One is its own parent.
            try people[0].setValue(people[0], forKey: "parent")
            try people[1].setValue(people[0], forKey: "parent")
            try people[2].setValue(people[1], forKey: "parent")
            try people[3].setValue(people[1], forKey: "parent")
            try people[0].setValue(Set(people[1...]), forKey: "friends")
            try people[1].setValue(Set(people), forKey: "likes")
            try people[1].setValue(people[3], forKey: "boss")
            try context.save()
        }
        #expect(try fixture.mismatches() == [])
        try fixture.run { context in
            let people = try context.all("Person", by: "name")
            #expect(try refreshed(people[0], "childCount") == "2")
            #expect(try refreshed(people[2], "grandparent") == "P0")
            try people[0].setValue("Q", forKey: "name")
            try people[1].setValue(people[3], forKey: "parent")
            try people[3].setValue(nil, forKey: "parent")
            try people[2].setValue(5, forKey: "age")
            try people[2].setValue(nil, forKey: "friends")
            try context.save()
        }
        #expect(try fixture.mismatches() == [])
        try fixture.run { context in
            for person in try context.all("Person", by: "name").dropFirst() {
                context.delete(person)
                try context.save()
            }
        }
        #expect(try fixture.mismatches() == [])
    }

    @Test func `a reference that no rule cuts derives nothing (§1.4.6)`() throws {
        let fixture = try DerivedFixture()
        try fixture.run { context in
            let boss = try context.insert("Person", ["name": "B", "age": 50])
            let person = try context.insert("Person", ["boss": boss, "likes": Set([boss])])
            try context.save()
            #expect(try refreshed(person, "bossName") == "B")
            #expect(try refreshed(person, "likedAges") == "50")
            context.delete(boss)
            try context.save()
            #expect(try refreshed(person, "bossName") == "nil")
            #expect(try refreshed(person, "likedAges") == "0")
        }
    }

    @Test func `subentities have those that they inherit and their own (§1.4.6)`() throws {
        let fixture = try DerivedFixture()
        try fixture.run { context in
            let cabinet = try context.insert("Cabinet", ["name": "C"])
            try context.insert("Comic", ["shelf": cabinet])
            try context.insert("Book", ["shelf": cabinet])
            try context.insert("Book", ["shelf": context.insert("Shelf", ["name": "S"])])
            try context.save()
            #expect(try refreshed(cabinet, "bookCount") == "2")
            #expect(try refreshed(cabinet, "cabinetCount") == "2")
        }
        #expect(try fixture.mismatches() == [])
        // A row without the attribute keeps its column empty.
        #expect(
            try fixture.store.sql("SELECT ZCABINETCOUNT FROM ZSHELF ORDER BY ZBOOKCOUNT")
                == [[nil], ["2"]])
        #expect(
            try fixture.store.sql("SELECT count(*) FROM ZBOOK WHERE ZQUIET NOT NULL") == [["1"]])
    }

    // MARK: - Numbers at their limits

    @Test func `a sum of real numbers that becomes small has no rounding errors (§1.4.7)`() throws {
        let fixture = try DerivedFixture()
        try fixture.run { context in
            let shelf = try context.insert("Shelf")
            let books = try [0.1, 0.2, 0.3, 1e18].map {
                try context.insert("Book", ["shelf": shelf, "weight": $0])
            }
            try context.save()
            context.delete(books[3])
            try context.save()
            #expect(abs((Double(try refreshed(shelf, "weight")) ?? 0) - 0.6) < 1e-15)
            for book in books.prefix(3) {
                context.delete(book)
                try context.save()
            }
            #expect(try refreshed(shelf, "weight") == "0.0")
            let infinite = try context.insert("Book", ["shelf": shelf, "weight": Double.infinity])
            try context.insert("Book", ["shelf": shelf, "weight": 2.5])
            try context.save()
            context.delete(infinite)
            try context.save()
            #expect(try refreshed(shelf, "weight") == "2.5")
        }
    }

    @Test func `a number too large for its type fails the save (§1.4.7)`() throws {
        let fixture = try DerivedFixture()
        try fixture.run { context in
            let shelf = try context.insert("Shelf")
            try context.insert("Book", ["shelf": shelf, "pages": Int64.max])
            try context.save()
            let book = try context.insert("Book", ["shelf": shelf, "pages": 1])
            let error = #expect(throws: StoreError.self) { try context.save() }
            #expect(error?.reason == .derivedValueTooLarge(entity: "Shelf", attribute: "pages"))
            try book.setValue(0, forKey: "pages")
            try context.save()
        }
        #expect(try fixture.mismatches() == [])
        let small = try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Box",
                    attributes: [
                        AttributeDescription("size", .integer16, derivation: "parts.@sum.size")
                    ],
                    relationships: [.toMany("parts", "Part", inverse: "box")]),
                EntityDescription(
                    name: "Part", attributes: [AttributeDescription("size", .integer32)],
                    relationships: [.toOne("box", "Box", inverse: "parts")]),
            ]))
        try small.run { context in
            let box = try context.insert("Box")
            for _ in 0..<2 { try context.insert("Part", ["box": box, "size": 20_000]) }
            let error = #expect(throws: StoreError.self) { try context.save() }
            #expect(error?.reason == .derivedValueTooLarge(entity: "Box", attribute: "size"))
        }
        #expect(try small.sql("SELECT count(*) FROM ZPART") == [["0"]])
    }
}
