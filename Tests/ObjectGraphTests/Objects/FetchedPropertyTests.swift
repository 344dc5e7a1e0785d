import Testing

@testable import ObjectGraph

@Suite struct `Fetched properties (§1.9)` {
    private func store() throws -> StoreFixture {
        try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Author", attributes: [AttributeDescription("name", .string)],
                    fetchedProperties: [
                        FetchedPropertyDescription(
                            "namesakes",
                            FetchRequest(
                                entityName: "Author",
                                predicate: try ObjectPredicate(
                                    "name == $FETCH_SOURCE.name AND SELF != $FETCH_SOURCE"))),
                        FetchedPropertyDescription(
                            "famous",
                            FetchRequest(
                                entityName: "Author",
                                predicate: try ObjectPredicate(
                                    "name == $FETCHED_PROPERTY.userInfo.name")),
                            userInfo: ["name": "Ursula"]),
                    ])
            ]))
    }

    @Test func `is a request about the object (§1.9.1)`() throws {
        let store = try store()
        try store.run { context in
            let authors = try ["Ursula", "Ursula", "Octavia"].map {
                try context.insert("Author", ["name": $0])
            }
            try context.save()
            #expect(try authors[0].fetchedObjects(forProperty: "namesakes") == [authors[1]])
            #expect(try authors[2].fetchedObjects(forProperty: "namesakes").isEmpty)
            #expect(
                try Set(authors[2].fetchedObjects(forProperty: "famous")) == Set(authors[0...1]))
            #expect(throws: PropertyError.self) {
                _ = try authors[0].fetchedObjects(forProperty: "name")
            }
        }
    }

    @Test func `is evaluated once until the object becomes a fault (§1.9.2)`() throws {
        let store = try store()
        try store.run { context in
            let author = try context.insert("Author", ["name": "Ursula"])
            try context.save()
            #expect(try author.fetchedObjects(forProperty: "namesakes").isEmpty)
            try context.insert("Author", ["name": "Ursula"])
            try context.save()
            #expect(
                try store.statements { _ = try author.fetchedObjects(forProperty: "namesakes") }
                    == 0)
            #expect(try author.fetchedObjects(forProperty: "namesakes").isEmpty)
            context.refresh(author, mergeChanges: true)
            #expect(try author.fetchedObjects(forProperty: "namesakes").count == 1)
        }
    }

    @Test func `is no part of what is saved (§1.9.3)`() throws {
        let store = try store()
        try store.run { context in
            let author = try context.insert("Author", ["name": "Ursula"])
            try context.save()
            _ = try author.fetchedObjects(forProperty: "namesakes")
            #expect(!author.hasChanges)
            #expect(author.changedValues().isEmpty)
        }
        #expect(
            try store.sql("SELECT name FROM pragma_table_info('ZAUTHOR') WHERE name LIKE 'ZN%'")
                == [["ZNAME"]])
    }

    @Test func `leads to an entity of the model`() {
        #expect(throws: ModelError("A", "f", .unknownDestination("B"))) {
            _ = try ManagedObjectModel(entities: [
                EntityDescription(
                    name: "A",
                    fetchedProperties: [
                        FetchedPropertyDescription("f", FetchRequest(entityName: "B"))
                    ])
            ])
        }
    }
}
