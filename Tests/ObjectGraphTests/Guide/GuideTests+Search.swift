import Foundation
import ObjectGraph
import TestSupport
import Testing

// Full-text search.
extension `Guide` {
    @Test func `words are found, the best match first`() throws {
        let entry = Self.searchableEntry()
        let coordinator = PersistentStoreCoordinator(
            model: try ManagedObjectModel(entities: [entry]))
        try coordinator.addPersistentStore(.sqlite(at: file))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            for text in ["A crème brûlée", "Crème, and crème again", "Nothing"] {
                try context.insertObject(entityName: "Entry").setValue(text, forKey: "text")
            }
            try context.save()
            let found = try Self.search("crem*", in: context)
            #expect(
                found.map { $0["snippet"] } == ["[Crème], and [crème] again", "A [crème] brûlée"])
        }
    }

    static func searchableEntry() -> EntityDescription {
        var entry = EntityDescription(
            name: "Entry",
            attributes: [
                AttributeDescription("title", .string), AttributeDescription("text", .string),
            ])
        entry.indexes = [.fullText("words", on: "title", "text")]
        return entry
    }

    static func search(
        _ input: String, in context: ManagedObjectContext
    ) throws -> [[String: AttributeValue]] {
        var request = FetchRequest(entityName: "Entry", sortKeys: [.rank(of: "words")])
        request.predicate = try ObjectPredicate("words SEARCH %@", input)
        request.propertiesToFetch = [
            "title", FetchedProperty(name: "snippet", expression: .snippet(of: "text")),
        ]
        return try context.fetchDictionaries(request)
    }
}
