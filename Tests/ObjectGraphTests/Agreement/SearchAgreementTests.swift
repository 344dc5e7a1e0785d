import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Searches agree (§7.9)` {
    /// The store finds what `filter` finds, for random texts and queries.
    @Test func `in SQL and in memory (§7.9.5, §14.8)`() throws {
        let generator = SeededGenerator.fromEnvironment()
        let store = try SearchFixture.store()
        try store.run { [generator] context in
            var generator = generator
            for _ in 0..<300 {
                try context.insert(
                    "Document", ["title": generator.searchText(), "body": generator.searchText()])
            }
            try context.save()
            let all = try context.all("Document")
            var findings = 0
            for _ in 0..<1_000 {
                let query = generator.searchQuery()
                let key = generator.pick(["title", "body", "byText"])
                let predicate = try ObjectPredicate("%K SEARCH %@", key, query)
                let found = try context.fetchObjectIDs(
                    FetchRequest(entityName: "Document", predicate: predicate))
                let filtered = try all.filter(predicate).map(\.objectID)
                guard Set(found) == Set(filtered) else {
                    Issue.record("\(key) SEARCH \(query) TEST_SEED=\(generator.seed)")
                    return
                }
                if !found.isEmpty { findings += 1 }
            }
            #expect(findings > 200, "TEST_SEED=\(generator.seed)")
        }
    }
}
