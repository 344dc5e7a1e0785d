import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Entities and inheritance (§1.2)` {
    private typealias Author = TestSupport.Author

    @Test func `a description carries all that an entity is (§1.2.1)`() throws {
        let description = EntityDescription(
            name: "Book", managedObjectClass: Book.self, superentity: "Publication",
            isAbstract: true, attributes: [AttributeDescription("isbn", .string)],
            uniquenessConstraints: [["isbn"]], indexes: [FetchIndexDescription("i", on: "isbn")],
            renamingIdentifier: "Volume", userInfo: ["shelf": "3"], versionHashModifier: "2")
        let model = try ManagedObjectModel(entities: [
            EntityDescription(name: "Publication"), description,
        ])
        let found = try #require(model.entitiesByName["Book"])
        #expect(found.managedObjectClass == Book.self)
        #expect(found.superentity == "Publication")
        #expect(found.isAbstract)
        #expect(found.uniquenessConstraints == [["isbn"]])
        #expect(found.indexes.map(\.name) == ["i"])
        #expect(found.renamingIdentifier == "Volume")
        #expect(found.userInfo == ["shelf": "3"])
        #expect(found.versionHashModifier == "2")
        #expect(model.subentities(ofEntity: "Publication") == ["Book"])
    }

    @Test func `a line of inheritance has a greatest length (§1.2.10)`() throws {
        func model(_ count: Int) throws -> ManagedObjectModel {
            try ManagedObjectModel(
                entities: (1...count).map { number in
                    EntityDescription(
                        name: "E\(number)", superentity: number > 1 ? "E\(number - 1)" : nil)
                })
        }
        #expect(try model(100).entitiesByName.count == 100)
        #expect(throws: ModelError("E101", nil, .tooManyAncestors(limit: 100))) {
            try model(101)
        }
        // The recursion ends there too.
        #expect(throws: ModelError("E101", nil, .tooManyAncestors(limit: 100))) {
            try model(60_000)
        }
    }

    @Test func `a subentity has the properties of its ancestors (§1.2.2)`() throws {
        let model = try makeLibraryModel()
        #expect(
            Set(model.attributesByName(ofEntity: "Book")!.keys)
                == ["title", "year", "loanCount", "rating", "pageCount"])
        #expect(
            Set(model.relationshipsByName(ofEntity: "Book")!.keys) == ["author", "topics"])
        #expect(model.attributesByName(ofEntity: "Nothing") == nil)
    }

    @Test func `an abstract entity is fetched but not inserted (§1.2.3)`() throws {
        let store = try StoreFixture(makeLibraryModel())
        try store.run { context in
            #expect(throws: FetchError.abstractEntity("Publication")) {
                _ = try context.insertObject(entityName: "Publication")
            }
            try context.insert("Book", ["title": "b"])
            try context.insert("Magazine", ["title": "m"])
            try context.save()
            let found = try context.all("Publication", by: "title")
            #expect(found.map(\.entity.name) == ["Book", "Magazine"])
            #expect(found[0] is Book)
        }
    }

    @Test func `an entity is a kind of itself and its ancestors (§1.2.4)`() throws {
        let model = try makeLibraryModel()
        #expect(model.isEntity("Book", kindOf: "Book"))
        #expect(model.isEntity("Book", kindOf: "Publication"))
        #expect(!model.isEntity("Publication", kindOf: "Book"))
        #expect(!model.isEntity("Book", kindOf: "Author"))
    }

    @Test func `a description knows what it inherits (§1.2.2, §1.2.4)`() throws {
        let store = try StoreFixture(makeLibraryModel())
        try store.run { context in
            let book = try context.insertObject(entityName: "Book")
            let entities = context.model.entitiesByName
            let publication = try #require(entities["Publication"])
            let author = try #require(entities["Author"])
            #expect(book.entity.attributesByName["title"] != nil)
            #expect(book.entity.relationshipsByName["author"]?.destination == "Author")
            #expect(book.entity.isKind(of: publication) && book.entity.isKind(of: book.entity))
            #expect(!publication.isKind(of: book.entity) && !book.entity.isKind(of: author))
            #expect(book.objectID.entity.name == "Book")
            #expect(book.objectID.entity.attributesByName.keys == book.entity.attributesByName.keys)
        }
    }

    @Test(arguments: [true, false])
    func `a fetch has descendants unless told otherwise (§1.2.5, §14.25)`(
        isSaved: Bool
    ) throws {
        let store = try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(name: "Base", attributes: [AttributeDescription("a", .string)]),
                EntityDescription(name: "Middle", superentity: "Base"),
                EntityDescription(name: "Leaf", superentity: "Middle"),
                EntityDescription(name: "Other", superentity: "Base"),
            ]))
        try store.run { context in
            for name in ["Base", "Middle", "Leaf", "Other"] {
                try context.insert(name, ["a": name])
            }
            if isSaved { try context.save() }
            func names(_ entity: String, subentities: Bool) throws -> Set<String> {
                var request = FetchRequest(entityName: entity)
                request.includesSubentities = subentities
                return Set(try context.fetch(request, as: ManagedObject.self).map(\.entity.name))
            }
            #expect(try names("Base", subentities: true) == ["Base", "Middle", "Leaf", "Other"])
            #expect(try names("Middle", subentities: true) == ["Middle", "Leaf"])
            #expect(try names("Middle", subentities: false) == ["Middle"])
            #expect(try names("Base", subentities: false) == ["Base"])
        }
    }

    @Test func `descendants share a table and its keys (§1.2.6, §14.24)`() throws {
        let store = try StoreFixture(makeLibraryModel())
        try store.run { context in
            for number in 0..<3 {
                try context.insert("Book", ["title": "b\(number)"])
                try context.insert("Magazine", ["title": "m\(number)"])
            }
            try context.save()
        }
        let rows = try store.sql("SELECT Z_PK, Z_ENT FROM ZPUBLICATION ORDER BY Z_PK")
        #expect(rows.count == 6)
        #expect(Set(rows.map { $0[0] }).count == 6)
        #expect(Set(rows.map { $0[1] }).count == 2)
        let names = try store.sql(
            "SELECT Z_NAME FROM Z_PRIMARYKEY WHERE Z_MAX > 0 ORDER BY Z_NAME")
        #expect(names == [["Publication"]])
        #expect(try store.sql("SELECT 1 FROM sqlite_schema WHERE name = 'ZBOOK'").isEmpty)
    }

    @Test func `entities may share a class (§1.2.7)`() throws {
        let store = try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(name: "A", managedObjectClass: Notebook.self),
                EntityDescription(name: "B", managedObjectClass: Notebook.self),
                EntityDescription(name: "C", superentity: "A"),
            ]))
        try store.run { context in
            for name in ["A", "B", "C"] { try context.insert(name) }
            try context.save()
            #expect(try context.all("B").first is Notebook)
            #expect(try context.all("C").first is Notebook == false)
        }
    }
}
