import TestSupport
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

@Suite struct `Request templates (§1.11)` {
    private func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: [
                EntityDescription(name: "A", attributes: [AttributeDescription("a", .string)])
            ],
            fetchRequestTemplates: [
                "between": FetchRequest(
                    entityName: "A", predicate: try ObjectPredicate("a > $LOW AND a < $HIGH"))
            ])
    }

    @Test func `is found by name, and its copy is changed alone (§1.11.1)`() throws {
        let model = try model()
        var request = try #require(model.fetchRequestTemplate(named: "between"))
        request.fetchLimit = 3
        #expect(model.fetchRequestTemplate(named: "between")?.fetchLimit == 0)
        #expect(model.fetchRequestTemplate(named: "other") == nil)
    }

    @Test func `all variables are replaced (§1.11.2)`() throws {
        let model = try model()
        let request = try model.fetchRequest(
            fromTemplateNamed: "between", substitutionVariables: ["LOW": "b", "HIGH": "d"])
        #expect(request?.predicate?.predicateFormat == "a > \"b\" AND a < \"d\"")
        #expect(throws: FetchError.unboundVariable("HIGH")) {
            _ = try model.fetchRequest(
                fromTemplateNamed: "between", substitutionVariables: ["LOW": "b"])
        }
        #expect(
            try model.fetchRequest(fromTemplateNamed: "other", substitutionVariables: [:]) == nil)
    }

    @Test func `names an entity of the model`() {
        #expect(throws: ModelError("B", nil, .unknownTemplateEntity(template: "t"))) {
            _ = try ManagedObjectModel(
                entities: [EntityDescription(name: "A")],
                fetchRequestTemplates: ["t": FetchRequest(entityName: "B")])
        }
    }
}

@Suite struct `Configurations (§1.10)` {
    @Test func `names entities of the model`() {
        #expect(throws: ModelError("B", nil, .unknownConfigurationEntity(configuration: "c"))) {
            _ = try ManagedObjectModel(
                entities: [EntityDescription(name: "A")], configurations: ["c": ["B"]])
        }
    }
}

@Suite struct `Validation rules (§1.12)` {
    private func errors(_ rules: [ValidationRule], _ value: AttributeValue) throws
        -> [ValidationError]
    {
        let type: AttributeType = if case .integer = value { .integer32 } else { .string }
        let store = try StoreFixture(AttributeDescription("a", type, validationRules: rules))
        return try store.run { context in
            try context.insert("Thing", ["a": value])
            return try context.validationErrors()
        }
    }

    @Test(arguments: [
        ("length >= 3 AND length <= 5", "four" as AttributeValue, true),
        ("length >= 3 AND length <= 5", "no", false), ("length <= 5", "too long", false),
        ("SELF CONTAINS 'x'", "axe", true), ("SELF CONTAINS 'x'", "saw", false),
        ("SELF MATCHES '[a-z]+'", "abc", true), ("SELF MATCHES '[a-z]+'", "ABC", false),
        ("SELF >= 3", 3, true), ("SELF >= 3", 2, false), ("SELF BETWEEN {1, 5}", 6, false),
        ("SELF IN {1, 2}", 2, true), ("NOT SELF == 4", 4, false),
    ])
    func `asks about the value (§1.12.1)`(
        _ format: String, _ value: AttributeValue, _ isValid: Bool
    ) throws {
        let rule = ValidationRule(try ObjectPredicate(format), .message("no"))
        #expect(try errors([rule], value).isEmpty == isValid)
    }

    @Test func `a message stands under 1550, a code under itself (§1.12.2)`() throws {
        let format = try ObjectPredicate("length > 3")
        let message = try errors([ValidationRule(format, .message("Too short."))], "a")
        #expect(message.map(\.code) == [1550])
        #expect(message[0].description == "Thing.a: Too short.")
        let code = try errors([ValidationRule(format, .code(1670))], "a")
        #expect(code.map(\.code) == [1670])
        #expect(code[0].predicateFormat == format.predicateFormat)
    }

    @Test func `is not asked about nil (§1.12.3)`() throws {
        let rule = ValidationRule(try ObjectPredicate("length > 3"), .message("no"))
        #expect(try errors([rule], .null).isEmpty)
    }

    @Test(arguments: ["length > 3", "other == 1", "SELF CONTAINS 'a'"])
    func `must fit the type of the attribute`(_ format: String) throws {
        let rule = ValidationRule(try ObjectPredicate(format), .message("no"))
        let error = try #require(throws: ModelError.self) {
            _ = try StoreFixture(AttributeDescription("a", .integer32, validationRules: [rule]))
        }
        #expect(error.property == "a")
    }
}
