import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Relationships (§1.5)` {
    private typealias Author = TestSupport.Author

    private static func pair(
        _ first: RelationshipDescription, _ second: RelationshipDescription? = nil
    ) throws -> StoreFixture {
        try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(
                    name: "A", attributes: [AttributeDescription("name", .string)],
                    relationships: [first]),
                EntityDescription(
                    name: "B", attributes: [AttributeDescription("name", .string)],
                    relationships: second.map { [$0] } ?? []),
            ]))
    }

    @Test func `the greatest count decides between one and many (§1.5.1)`() {
        #expect(!RelationshipDescription.toOne("a", "A").isToMany)
        #expect(RelationshipDescription.toMany("a", "A").isToMany)
        #expect(RelationshipDescription.toMany("a", "A", maxCount: 2).isToMany)
        #expect(!RelationshipDescription.toMany("a", "A", maxCount: 1).isToMany)
        let full = RelationshipDescription(
            name: "a", destination: "A", inverse: "b", minCount: 1, maxCount: 3, isOptional: false,
            deleteRule: .deny, isOrdered: true, userInfo: ["k": "v"])
        #expect(full.userInfo == ["k": "v"])
    }

    @Test func `to many is a set, empty rather than nil (§1.5.2)`() throws {
        let store = try StoreFixture(makeLibraryModel())
        try store.run { context in
            let author = Author(context: context)
            #expect(author.publications.isEmpty)
            let book = Book(context: context)
            #expect(book.author == nil)
            try author.setValue([book, book], forKey: "publications")
            #expect(author.publications == [book])
            try author.setValue(nil, forKey: "publications")
            #expect(author.publications.isEmpty)
            #expect(try author.value(forKey: "publications") as? Set<ManagedObject> == [])
        }
    }

    @Test func `a relationship without an inverse is worth a warning`() throws {
        let store = try Self.pair(.toOne("b", "B"))
        let warning = try #require(store.coordinator.model.warnings.first)
        #expect(warning.entityName == "A" && warning.propertyName == "b")
        #expect(warning.description.hasPrefix("A.b: the relationship has no inverse"))
        let mutual = try Self.pair(.toOne("b", "B", inverse: "a"), .toOne("a", "A", inverse: "b"))
        #expect(mutual.coordinator.model.warnings.isEmpty)
    }

    @Test func `to one cannot be ordered (§1.5.3)`() {
        var relationship = RelationshipDescription.toOne("b", "B")
        relationship.isOrdered = true
        #expect(throws: ModelError("A", "b", .orderedToOne)) {
            _ = try Self.pair(relationship)
        }
    }

    @Test func `too few, too many, none at all (§1.5.4)`() throws {
        let store = try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(
                    name: "A",
                    relationships: [
                        .toMany("b", "B", inverse: "a", isOptional: false, minCount: 2, maxCount: 3)
                    ]),
                EntityDescription(
                    name: "B", relationships: [.toOne("a", "A", inverse: "b", isOptional: false)]),
            ]))
        try store.run { context in
            func code() throws -> [Int] { try context.validationErrors().map(\.code) }
            let a = try context.insert("A")
            #expect(try code() == [1580])
            try a.setValue([context.insert("B"), context.insert("B")], forKey: "b")
            #expect(try code() == [])
            let more = try [context.insert("B", ["a": a]), context.insert("B", ["a": a])]
            #expect(try code() == [1590])
            try more[0].setValue(nil, forKey: "a")
            #expect(try code() == [1570])
            context.delete(more[0])
            #expect(try code() == [])
        }
    }

    @Test func `an optional to-many takes none or enough (§1.5.4)`() throws {
        let store = try Self.pair(
            .toMany("b", "B", inverse: "a", minCount: 2), .toOne("a", "A", inverse: "b"))
        try store.run { context in
            let a = try context.insert("A")
            try context.save()
            let b = try context.insert("B", ["a": a])
            #expect(throws: SaveError.self) { try context.save() }
            try context.insert("B", ["a": a])
            try context.save()
            try b.setValue(nil, forKey: "a")
            #expect(throws: SaveError.self) { try context.save() }
        }
    }

    @Test(arguments: [(isOptional: false, minCount: 0), (false, 1), (true, 0), (true, 1)])
    func `a mandatory to-many has its least count, and 0 is 0 (§1.5.4)`(
        isOptional: Bool, minCount: Int
    ) throws {
        let store = try Self.pair(
            .toMany("b", "B", inverse: "a", isOptional: isOptional, minCount: minCount),
            .toOne("a", "A", inverse: "b"))
        try store.run { context in
            let a = try context.insert("A")
            let codes = try context.validationErrors().map(\.code)
            #expect(codes == (!isOptional && minCount > 0 ? [1580] : []))
            try context.insert("B", ["a": a])
            #expect(try context.validationErrors().isEmpty)
        }
    }

    @Test func `a read decides nothing: stored contents are not validated again (§1.5.4)`() throws {
        let store = try Self.pair(
            .toMany("b", "B", inverse: "a", isOptional: false, minCount: 1),
            .toOne("a", "A", inverse: "b"))
        try store.run { context in
            let a = try context.insert("A", ["name": "a"])
            try context.insert("B", ["a": a])
            try context.save()
        }
        // Another program leaves the owner without members.
        let connection = try Connection(
            SQLiteConfiguration(path: store.folder.path("store.sqlite"), mode: .readWrite))
        try connection.execute("UPDATE ZB SET ZA = NULL")
        try connection.close()
        for reads in [false, true] {
            let context = store.makeContext()
            try context.performAndWait {
                let a = try #require(try context.all("A").first)
                if reads { #expect(try (a.value(forKey: "b") as? Set<ManagedObject>)?.count == 0) }
                try a.setValue("read: \(reads)", forKey: "name")
                #expect(try context.validationErrors().isEmpty)
            }
        }
    }

    @Test(arguments: [false, true])
    func `changed contents are validated, read before or not (§1.5.4)`(reads: Bool) throws {
        let store = try Self.pair(
            .toMany("b", "B", inverse: "a", isOptional: false, minCount: 1),
            .toOne("a", "A", inverse: "b"))
        try store.run { context in
            try context.insert("B", ["a": context.insert("A")])
            try context.save()
        }
        let context = store.makeContext()
        try context.performAndWait {
            let b = try #require(try context.all("B").first)
            if reads { _ = try context.all("A").first?.value(forKey: "b") }
            try b.setValue(nil, forKey: "a")
            #expect(try context.validationErrors().map(\.code) == [1580])
        }
    }

    @Test func `an inverse may lead to a subentity of the declarer (§1.5.14)`() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Asset", attributes: [AttributeDescription("name", .string)],
                relationships: [
                    .toOne("details", "Details", inverse: "photo"),
                    .toMany("marks", "Mark", inverse: "photo"),
                ]),
            EntityDescription(name: "Photo", superentity: "Asset"),
            EntityDescription(
                name: "Details", relationships: [.toOne("photo", "Photo", inverse: "details")]),
            EntityDescription(
                name: "Mark", relationships: [.toOne("photo", "Photo", inverse: "marks")]),
        ])
        let store = try StoreFixture(model)
        try store.run { context in
            let photo = try context.insert("Photo", ["name": "p"])
            let details = try context.insert("Details")
            try photo.setValue(details, forKey: "details")
            #expect(try details.value(forKey: "photo") as? ManagedObject === photo)
            let mark = try context.insert("Mark", ["photo": photo])
            #expect(try photo.value(forKey: "marks") as? Set<ManagedObject> == [mark])
            // The other end could not lead to this object.
            let asset = try context.insert("Asset")
            #expect(throws: PropertyError.self) { try asset.setValue(details, forKey: "details") }
            #expect(throws: PropertyError.self) { try asset.setValue([mark], forKey: "marks") }
            try asset.setValue(nil, forKey: "details")
            try asset.setValue([], forKey: "marks")
            try context.save()
        }
        let context = store.makeContext()
        try context.performAndWait {
            let photo = try #require(try context.all("Photo").first)
            let details = try photo.value(forKey: "details") as? ManagedObject
            #expect(try details?.value(forKey: "photo") as? ManagedObject === photo)
            #expect(try (photo.value(forKey: "marks") as? Set<ManagedObject>)?.count == 1)
        }
    }

    @Test func `without an inverse nothing is maintained (§1.5.5)`() throws {
        let store = try Self.pair(.toOne("b", "B"), .toMany("a", "A"))
        try store.run { context in
            let b = try context.insert("B")
            let a = try context.insert("A", ["b": b])
            #expect(try (b.value(forKey: "a") as? Set<ManagedObject>)?.isEmpty == true)
            try context.save()
            context.delete(b)
            try context.save()
            context.reset()
            let found = try context.all("A")[0]
            #expect(try found.value(forKey: "b") != nil, "a dangling reference stays")
            #expect(found.objectID == a.objectID)
        }
    }

    @Test func `without an inverse each has a column (§1.5.6)`() throws {
        let store = try Self.pair(.toOne("b", "B"), .toMany("a", "A"))
        try store.run { context in
            let a = try context.insert("A")
            let b = try context.insert("B", ["a": Set([a, try context.insert("A")])])
            try a.setValue(b, forKey: "b")
            try context.save()
            context.reset()
            let found = try context.all("B")[0]
            #expect(try (found.value(forKey: "a") as? Set<ManagedObject>)?.count == 2)
        }
        #expect(try store.sql("SELECT count(ZB) FROM ZA") == [["1"]])
        #expect(try store.sql("SELECT count(Z2A) FROM ZA") == [["2"]])
    }

    @Test func `objects of different stores cannot be related (§1.5.12, §11.1.5)`() throws {
        let folder = TemporaryFolder()
        let coordinator = PersistentStoreCoordinator(model: notebookModel)
        try coordinator.addPersistentStore(.sqlite(at: folder.url("one.sqlite")))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let id = try context.performAndWait {
            let notebook = Notebook(context: context)
            try context.save()
            return notebook.objectID
        }
        let second = PersistentStoreCoordinator(model: notebookModel)
        try second.addPersistentStore(.sqlite(at: folder.url("two.sqlite")))
        try second.addPersistentStore(.sqlite(at: folder.url("one.sqlite")))
        let other = ManagedObjectContext(.privateQueue, coordinator: second)
        try other.performAndWait {
            let note = other.makeNote("in store two")
            note.notebook = try #require(try other.existingObject(with: id) as? Notebook)
            let errors = try other.validationErrors()
            #expect(errors.map(\.code).contains(133010))
        }
    }
}
