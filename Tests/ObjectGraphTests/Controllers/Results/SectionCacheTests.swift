import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Sections on disk (§10.1)` {
    private let folder = TemporaryFolder()

    private func statements(_ store: StoreFixture, cacheName: String = "things") throws -> Int64 {
        let context = store.makeContext()
        return try context.performAndWait {
            let controller = try context.controller(
                batchSize: 2, cacheName: cacheName, folder: folder.url("cache"))
            let count = try store.statements { try controller.performFetch() }
            #expect(controller.text == "a: 0 1, b: 2")
            return count
        }
    }

    @Test func `sections in the cache are not computed until something differs (§10.1.9)`() throws {
        let store = try ResultScript.fixture(inMemory: false)
        try store.saveThings("a 1", "a 2", "b 1")
        #expect(try statements(store) == 2)
        #expect(try statements(store) == 1)
        #expect(try statements(store, cacheName: "../other") == 2)

        // Another state of the store.
        try store.run { context in
            try context.thing(0).setValue("x", forKey: "note")
            try context.save()
        }
        #expect(try statements(store) == 2)
        #expect(try statements(store) == 1)

        try FetchedResultsController<ManagedObject>.deleteCache(
            named: "things", in: folder.url("cache"))
        #expect(try statements(store) == 2)
        try FetchedResultsController<ManagedObject>.deleteCache(
            named: nil, in: folder.url("cache"))
        #expect(try statements(store) == 2)
    }

    @Test func `a damaged or foreign file is ignored (§10.1.9)`() throws {
        let store = try ResultScript.fixture(inMemory: false)
        try store.saveThings("a 1", "a 2", "b 1")
        _ = try statements(store)
        let folder = folder.url("cache")
        let name = try #require(FileManager.default.contentsOfDirectory(atPath: folder.path).first)
        let file = folder.appending(path: name)
        let whole = try String(contentsOf: file, encoding: .utf8)
        let damaged = [
            "", "{}", String(whole.dropLast(3)), whole.replacing("\"b\"", with: "\"c\""),
            whole.replacing("\"count\":2", with: "\"count\":9223372036854775807"),
            whole.replacing("\"count\":1", with: "\"count\":-1"),
        ]
        for text in damaged {
            #expect(text != whole)
            try text.write(to: file, atomically: true, encoding: .utf8)
            #expect(try statements(store) == 2)
            #expect(try statements(store) == 1)
        }
    }

    @Test func `a context with unsaved changes does not use the cache (§10.1.9)`() throws {
        let store = try ResultScript.fixture(inMemory: false)
        try store.saveThings("a 1", "a 2", "b 1")
        _ = try statements(store)
        try store.run { context in
            try context.insertThing("b 9", number: 3)
            let controller = try context.controller(
                batchSize: 2, cacheName: "things", folder: folder.url("cache"))
            try controller.performFetch()
            #expect(controller.text == "a: 0 1, b: 2 3")
        }
    }

    @Test func `a pinned context neither uses nor fills the cache (§10.1.9)`() throws {
        let store = try ResultScript.fixture(inMemory: false)
        try store.saveThings("a 1", "a 2", "b 1")
        let pinned = store.makeContext()
        let folder = folder.url("cache")
        @Sendable func text(_ context: ManagedObjectContext, _ cacheName: String) throws -> String {
            let controller = try context.controller(
                batchSize: 2, cacheName: cacheName, folder: folder)
            try controller.performFetch()
            return controller.text
        }
        try pinned.performAndWait {
            try pinned.setQueryGeneration(from: .current)
            _ = try pinned.things()
        }
        // As many objects, in other sections.
        try store.run { context in
            try context.thing(1).setValue("b", forKey: "group")
            try context.thing(1).setValue(0, forKey: "rank")
            try context.save()
            #expect(try text(context, "new") == "a: 0, b: 1 2")
        }
        let old = try pinned.performAndWait {
            [try text(pinned, "new"), try text(pinned, "old")]
        }
        #expect(old == ["a: 0 1, b: 2", "a: 0 1, b: 2"])
        #expect(try store.run { try text($0, "old") } == "a: 0, b: 1 2")
    }
}
