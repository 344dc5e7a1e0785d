import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// SQLite's own functions take the character 0 for the end of a text.
@Suite struct `Texts with the character 0 (§7.5)` {
    private static let texts = [
        "", "\0", "a", "a\0", "\0a", "a\0b", "a\0B", "é\0é", "\0\0\0", "abc", "a\0bc", "🎈\0",
    ]

    private static let model = try! ManagedObjectModel(entities: [
        EntityDescription(name: "Thing", attributes: [AttributeDescription("text", .string)])
    ])

    @Test(arguments: [
        "text.length == 0", "text.length == 1", "text.length == 2", "text.length > 2",
        "text.length == length:('a' )", "text == %@", "text != %@", "text ==[c] %@",
        "text ==[cd] %@", "text < %@", "text BEGINSWITH %@", "text BEGINSWITH[c] %@",
        "text ENDSWITH %@", "text CONTAINS %@", "text CONTAINS[cd] %@", "text LIKE %@",
        "text LIKE 'a?*'", "text MATCHES 'a.b'", "lowercase:(text) == lowercase:(%@)",
        "uppercase:(text) == uppercase:(%@)", "canonical:(text) == canonical:(%@)", "text IN %@",
        "text BETWEEN {'', %@}",
    ])
    func `SQL and memory find the same (§7.5.7)`(_ format: String) throws {
        let store = try StoreFixture(Self.model)
        try store.run { context in
            for text in Self.texts { try context.insert("Thing", ["text": text]) }
            try context.save()
            let all = try context.all("Thing")
            for text in Self.texts {
                let long = [text] + (0..<600).map { "x\($0)" }
                let predicate =
                    format.hasSuffix("IN %@")
                    ? try ObjectPredicate(format, long)
                    : format.contains("%@")
                        ? try ObjectPredicate(format, text) : try ObjectPredicate(format)
                let stored = try context.fetch(
                    FetchRequest(entityName: "Thing", predicate: predicate), as: ManagedObject.self)
                let found = try all.filter(predicate)
                #expect(Set(stored) == Set(found), "\(predicate)")
            }
        }
    }

    @Test func `results and orders have them (§7.5.7)`() throws {
        let store = try StoreFixture(Self.model)
        try store.run { context in
            for text in Self.texts { try context.insert("Thing", ["text": text]) }
            try context.save()
            let request = FetchRequest(entityName: "Thing", sortKeys: [.ascending("text")])
            let found = try context.fetch(request, as: ManagedObject.self).map {
                try $0.value(forKey: "text") as? String
            }
            #expect(
                found == Self.texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
            context.reset()
            #expect(
                Set(try context.all("Thing").map { try $0.value(forKey: "text") as? String })
                    == Set(Self.texts))
        }
    }
}
