// Made by modelgen from Library.xcdatamodeld. Do not edit: the next run replaces this file.
// swift-format-ignore-file

import Foundation
import ObjectGraph

extension ManagedObjectModel {
    /// Makes the model; a program does so once.
    public static func library(transformers: [ValueTransformer]) throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: [
                try library_Author(transformers),
                try library_Book(transformers),
                try library_Novel(transformers),
                try library_Tag(transformers),
            ],
            configurations: [
                "People": ["Author"],
            ],
            versionIdentifiers: [
                "2",
            ],
            fetchRequestTemplates: [
                "booksOfAuthors": try { var request = FetchRequest(entityName: "Book", predicate: try ObjectPredicate("author IN $authors AND since < $day")); request.fetchLimit = 20; return request }(),
                "everything": FetchRequest(entityName: "Book"),
                "famous": FetchRequest(entityName: "Author", predicate: try ObjectPredicate("books.@count > $count")),
            ])
    }

    private static func library_Author(_ transformers: [ValueTransformer])
        throws -> EntityDescription
    {
        var entity = EntityDescription(name: "Author", managedObjectClass: Author.self)
        entity.attributes = [
            AttributeDescription("bookCount", .integer64, derivation: "books.@count"),
            AttributeDescription("name", .string, isOptional: false, validationRules: [ValidationRule("length >= 1", .code(1670))]),
            AttributeDescription("website", .uri),
        ]
        entity.relationships = [
            RelationshipDescription(name: "books", destination: "Book", inverse: "author", maxCount: 0, deleteRule: .cascade, isOrdered: true),
            RelationshipDescription(name: "friends", destination: "Author", inverse: "friends", maxCount: 0),
        ]
        entity.fetchedProperties = [
            FetchedPropertyDescription("novels", FetchRequest(entityName: "Novel", predicate: try ObjectPredicate("author == $FETCH_SOURCE"))),
        ]
        entity.uniquenessConstraints = [
            ["name"],
        ]
        entity.userInfo = [:]
        return entity
    }

    private static func library_Book(_ transformers: [ValueTransformer])
        throws -> EntityDescription
    {
        var entity = EntityDescription(name: "Book", managedObjectClass: Book.self, isAbstract: true)
        entity.attributes = [
            AttributeDescription("binding", .integer32, userInfo: ["attributeValueScalarType": "Int"]),
            AttributeDescription("class", .string),
            AttributeDescription("cover", .transformable, transformer: .codable(Cover.self)),
            AttributeDescription("genre", .integer16, isOptional: false, defaultValue: .integer(1), validationRules: [ValidationRule("SELF >= 0", .code(1620))], userInfo: ["attributeValueScalarType": "Genre", "documentation": "What the shelf says.\nNil if the number is unknown."]),
            AttributeDescription("isLent", .boolean, isOptional: false, defaultValue: .boolean(false)),
            AttributeDescription("isbn", .string, isOptional: false, defaultValue: .string("\"none\" \\(0)")),
            AttributeDescription("mark", .undefined, isTransient: true),
            AttributeDescription("price", .decimal, defaultValue: .decimal(Decimal(string: "9.99")!)),
            AttributeDescription("scan", .binaryData, allowsExternalStorage: true),
            AttributeDescription("since", .date, isOptional: false, defaultValue: .date(Date(timeIntervalSinceReferenceDate: 631152000.0))),
            AttributeDescription("stamp", .transformable, transformer: library_transformer("StampTransformer", transformers), userInfo: ["attributeValueClassName": "Stamp"]),
            AttributeDescription("tags", .transformable, transformer: .propertyList, userInfo: ["attributeValueClassName": "[String]"]),
            AttributeDescription("weight", .float),
        ]
        entity.relationships = [
            RelationshipDescription(name: "author", destination: "Author", inverse: "books", maxCount: 1),
        ]
        entity.uniquenessConstraints = [
            ["isbn"],
        ]
        entity.indexes = [
            FetchIndexDescription("byGenre", elements: [.init("genre", isAscending: false), .init("since")]),
        ]
        entity.renamingIdentifier = "Work"
        entity.userInfo = ["documentation": "Whatever has an ISBN."]
        entity.versionHashModifier = "2"
        return entity
    }

    private static func library_Novel(_ transformers: [ValueTransformer])
        throws -> EntityDescription
    {
        var entity = EntityDescription(name: "Novel", managedObjectClass: Novel.self, superentity: "Book")
        entity.attributes = [
            AttributeDescription("pages", .integer64, isOptional: false, defaultValue: .integer(0)),
        ]
        entity.indexes = [
            FetchIndexDescription("byISBN", elements: [.init("isbn")]),
        ]
        entity.userInfo = [:]
        return entity
    }

    private static func library_Tag(_ transformers: [ValueTransformer])
        throws -> EntityDescription
    {
        var entity = EntityDescription(name: "Tag", managedObjectClass: LibraryTag.self)
        entity.userInfo = [:]
        return entity
    }

    private static func library_transformer(
        _ name: String, _ given: [ValueTransformer]
    ) -> ValueTransformer {
        guard let transformer = given.first(where: { $0.name == name }) else {
            fatalError("The model needs the transformer '\(name)'; give it in transformers.")
        }
        return transformer
    }
}
