import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// Folders with documents, some of them letters, all with full-text indexes.
enum SearchFixture {
    static func model(
        _ index: FetchIndexDescription? = .fullText("byText", on: "title", "body")
    ) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Document",
                attributes: [
                    AttributeDescription("title", .string), AttributeDescription("body", .string),
                    AttributeDescription("plain", .string),
                    AttributeDescription("number", .integer64),
                ],
                relationships: [.toOne("folder", "Folder", inverse: "documents")],
                indexes: index.map { [$0] } ?? []),
            EntityDescription(
                name: "Letter", superentity: "Document",
                attributes: [AttributeDescription("address", .string)],
                indexes: [.fullText("byAddress", on: "address", "title")]),
            EntityDescription(
                name: "Folder", attributes: [AttributeDescription("name", .string)],
                relationships: [.toMany("documents", "Document", inverse: "folder")],
                uniquenessConstraints: [["name"]], indexes: [.fullText("byName", on: "name")]),
        ])
    }

    /// A store with some documents, saved.
    static func store(inMemory: Bool = false) throws -> StoreFixture {
        let store = try StoreFixture(model(), inMemory: inMemory)
        try store.run { context in
            let animals = try context.insert("Folder", ["name": "Animals of the forest"])
            let food = try context.insert("Folder", ["name": "Crème brûlée"])
            let documents: [(String, String?, ManagedObject?)] = [
                ("Fox", "The quick brown fox jumps over the lazy dog", animals),
                ("Dog", "A dog sleeps. The fox is quick, and brown too", animals),
                ("Café", "Déjà vu: an E-Mail from Zürich", food), ("Empty", nil, nil),
            ]
            for (title, body, folder) in documents {
                let document = try context.insert("Document", ["title": title])
                try document.setValue(body, forKey: "body")
                try document.setValue(folder, forKey: "folder")
            }
            let letter = try context.insert("Letter", ["title": "Letter", "address": "Fox Lane"])
            try letter.setValue("To the dog", forKey: "body")
            try letter.setValue(food, forKey: "folder")
            try context.save()
        }
        return store
    }

    /// The titles of the documents that the store finds, in their order.
    static func titles(
        _ format: String, _ arguments: [(any PredicateArgument)?] = [], entity: String = "Document",
        sortedBy keys: [SortKey] = [.ascending("title")], in context: ManagedObjectContext
    ) throws -> [String] {
        let request = FetchRequest(
            entityName: entity, predicate: try ObjectPredicate(format, arguments: arguments),
            sortKeys: keys)
        return try context.fetch(request, as: ManagedObject.self).map {
            try $0.value(forKey: "title") as? String ?? ""
        }
    }
}

extension StoreFixture {
    /// Lets SQLite and FTS5 check the file, indexes against tables.
    func checkFullTextIndexes(_ names: String...) throws {
        #expect(try sql("PRAGMA integrity_check") == [["ok"]])
        let connection = try Connection(SQLiteConfiguration(path: folder.path("store.sqlite")))
        for name in names {
            try connection.execute(
                "INSERT INTO \(name) (\(name), rank) VALUES ('integrity-check', 1)")
        }
    }
}
