import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Ranks and snippets (§7.9)` {
    @Test func `the best match comes first (§7.9.9)`() throws {
        let store = try SearchFixture.store()
        try store.run { context in
            for (title, body) in [("One", "fox"), ("Many", "fox fox fox and a fox")] {
                try context.insert("Document", ["title": title, "body": body])
            }
            try context.save()
            let format = "body SEARCH 'fox' AND number == nil"
            let best = try SearchFixture.titles(
                format, sortedBy: [.rank(of: "byText")], in: context)
            let order = try store.sql(
                """
                SELECT d.ZTITLE FROM Z_FT_Document_byText f JOIN ZDOCUMENT d ON d.Z_PK = f.rowid \
                WHERE Z_FT_Document_byText MATCH '{ZBODY} : "fox"' \
                ORDER BY bm25(Z_FT_Document_byText)
                """)
            #expect(best == order.map { $0[0] })
            #expect(Set(best.prefix(2)) == ["One", "Many"])
            let worst = try SearchFixture.titles(
                format,
                sortedBy: [SortKey(.function("rank:", [.keyPath("body")]), ascending: false)],
                in: context)
            #expect(worst == best.reversed())
            var page = FetchRequest(
                entityName: "Document", predicate: try ObjectPredicate(format),
                sortKeys: [.rank(of: "byText"), .ascending("title")])
            page.fetchLimit = 1
            page.fetchBatchSize = 10
            #expect(try context.fetch(page, as: ManagedObject.self).count == 1)
            #expect(try context.count(for: page) == 1)
        }
    }

    @Test func `objects with unsaved changes come after the ranked ones (§7.9.9)`() throws {
        try SearchFixture.store().run { context in
            for title in ["Zebra", "Ant"] {
                try context.insert("Document", ["title": title, "body": "fox"])
            }
            let fox = try #require(
                try context.all("Document", by: "title").first {
                    try $0.value(forKey: "title") as? String == "Fox"
                })
            try fox.setValue("An old fox", forKey: "body")
            for batchSize in [0, 10] {
                var request = FetchRequest(
                    entityName: "Document", predicate: try ObjectPredicate("body SEARCH 'fox'"),
                    sortKeys: [.rank(of: "byText"), .ascending("title")])
                request.fetchBatchSize = batchSize
                let found = try context.fetch(request, as: ManagedObject.self)
                #expect(
                    try found.map { try $0.value(forKey: "title") as? String }
                        == ["Dog", "Ant", "Fox", "Zebra"])
            }
        }
    }

    @Test func `a snippet shows the matches (§7.9.10)`() throws {
        try SearchFixture.store().run { context in
            var request = FetchRequest(
                entityName: "Document", predicate: try ObjectPredicate("byText SEARCH 'bro* fox'"),
                sortKeys: [.descending("title")])
            request.propertiesToFetch = [
                "title",
                FetchedProperty(
                    name: "part",
                    expression: .snippet(
                        of: "body", opening: "<b>", closing: "</b>", ellipsis: "~", words: 3)),
                FetchedProperty(name: "best", expression: .snippet(of: "byText")),
                FetchedProperty(name: "rank", expression: .function("rank:", [.keyPath("byText")])),
            ]
            let found = try context.fetchDictionaries(request)
            #expect(found.map { $0["title"] } == ["Fox", "Dog"])
            #expect(found[0]["part"] == "~<b>brown</b> <b>fox</b> jumps~")
            #expect(found[1]["best"] == "A dog sleeps. The [fox] is quick, and [brown] too")
            #expect(found.allSatisfy { ($0["rank"]?.double ?? 0) < 0 })
            request.returnsDistinctResults = true
            request.sortKeys = [.ascending("rank")]
            #expect(try context.fetchDictionaries(request).count == 2)
        }
    }

    @Test func `formats have them too (§7.9.10)`() throws {
        let key = try ObjectPredicate("rank(byText) < 0")
        #expect(key.predicateFormat == "rank:(byText) < 0")
    }

    @Test func `belong to a search that the predicate requires (§7.9.9)`() throws {
        try SearchFixture.store().run { context in
            for format in [
                "TRUEPREDICATE", "NOT byText SEARCH 'fox'", "folder.byName SEARCH 'fox'",
                "byText SEARCH 'fox' OR number == 1",
            ] {
                #expect(throws: FetchError.self, "\(format)") {
                    try SearchFixture.titles(
                        format, sortedBy: [.rank(of: "byText")], in: context)
                }
            }
            let none = try SearchFixture.titles(
                "byText SEARCH ''", sortedBy: [.rank(of: "byText")], in: context)
            #expect(none.isEmpty)
        }
    }

    @Test func `memory refuses them by name (§7.9.9)`() throws {
        try SearchFixture.store(inMemory: true).run { context in
            #expect(throws: FetchError.storeOnly(feature: "'rank:'")) {
                try SearchFixture.titles(
                    "byText SEARCH 'x'", sortedBy: [.rank(of: "byText")], in: context)
            }
            var request = FetchRequest(entityName: "Document")
            request.propertiesToFetch = [
                FetchedProperty(name: "part", expression: .snippet(of: "body"))
            ]
            #expect(throws: FetchError.storeOnly(feature: "'snippet:'")) {
                try context.fetchDictionaries(request)
            }
        }
        try SearchFixture.store().run { context in
            #expect(throws: FetchError.storeOnly(feature: "'rank:'")) {
                try SearchFixture.titles("rank:(byText) < 0", in: context)
            }
            #expect(throws: FetchError.storeOnly(feature: "'rank:'")) {
                _ = try FetchedResultsController<ManagedObject>(
                    FetchRequest(
                        entityName: "Document", predicate: try ObjectPredicate("title SEARCH 'x'"),
                        sortKeys: [.rank(of: "title")]),
                    in: context
                ).performFetch()
            }
        }
    }

    @Test(arguments: [
        ObjectExpression.snippet(of: "body", words: 0), .snippet(of: "body", words: 65),
        .function("snippet:", []), .function("snippet:", [.keyPath("body"), .constant("x")]),
        .function("snippet:", [.constant("body")]), .snippet(of: "plain"),
        .function("rank:", [.keyPath("byText"), .keyPath("byText")]),
    ])
    func `have arguments that are checked (§7.9.10)`(_ expression: ObjectExpression) throws {
        try SearchFixture.store().run { context in
            var request = FetchRequest(
                entityName: "Document", predicate: try ObjectPredicate("byText SEARCH 'fox'"))
            request.propertiesToFetch = [FetchedProperty(name: "part", expression: expression)]
            #expect(throws: FetchError.self) { try context.fetchDictionaries(request) }
        }
    }
}
