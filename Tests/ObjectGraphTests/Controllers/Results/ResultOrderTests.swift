import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// Lists whose order depends on other objects, or on values that the context does not have yet.
@Suite struct `Order of results controllers (§10.1.12, §10.2.14)` {
    private func store() throws -> StoreFixture {
        let store = try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Item",
                    attributes: [.init("number", .integer32), .init("note", .string)],
                    relationships: [.toOne("feed", "Feed", inverse: "items")]),
                EntityDescription(
                    name: "Feed",
                    attributes: [.init("title", .string), .init("unread", .integer32)],
                    relationships: [
                        .toMany("items", "Item", inverse: "feed"), .toOne("folder", "Folder"),
                    ]),
                EntityDescription(name: "Folder", attributes: [.init("title", .string)]),
            ]))
        try store.run { context in
            let folders = try ["F", "G"].map { try context.insert("Folder", ["title": $0]) }
            for (index, title) in ["a", "b", "c"].enumerated() {
                let feed = try context.insert(
                    "Feed", ["title": title, "folder": folders[index % 2]])
                for number in 0..<2 {
                    try context.insert(
                        "Item", ["number": index * 2 + number, "feed": feed, "note": "n"])
                }
            }
            try context.save()
        }
        return store
    }

    private func controller(
        _ context: ManagedObjectContext, by key: String = "feed.title", batchSize: Int = 0,
        _ mirror: (some ResultMirror)?
    ) throws -> FetchedResultsController<ManagedObject> {
        var request = FetchRequest(
            entityName: "Item", sortKeys: [.ascending(key), .descending("number")])
        request.fetchBatchSize = batchSize
        let controller = FetchedResultsController<ManagedObject>(
            request, in: context, sectionedBy: .keyPath(key))
        controller.delegate = mirror
        try controller.performFetch()
        mirror?.restart(controller)
        return controller
    }

    private func object(
        _ entity: String, _ format: String, _ context: ManagedObjectContext
    ) throws -> ManagedObject {
        let request = FetchRequest(entityName: entity, predicate: try ObjectPredicate(format))
        return try context.fetch(request, as: ManagedObject.self)[0]
    }

    private func require(
        _ controller: FetchedResultsController<ManagedObject>, _ mirror: ChangeMirror,
        _ expected: String
    ) {
        #expect(controller.text == expected)
        #expect(mirror.content == controller.snapshot?.mirrored)
        #expect(mirror.contradictions.isEmpty && mirror.errors.isEmpty)
    }

    @Test(arguments: [0, 2])
    func `a list follows the names of its sections, kept by related objects (§10.2.14)`(
        _ batchSize: Int
    ) throws {
        try store().run { context in
            let mirror = ChangeMirror()
            let controller = try controller(context, batchSize: batchSize, mirror)
            require(controller, mirror, "a: 1 0, b: 3 2, c: 5 4")

            let feed = try object("Feed", "title == 'a'", context)
            try feed.setValue("z", forKey: "title")
            context.processPendingChanges()
            require(controller, mirror, "b: 3 2, c: 5 4, z: 1 0")
            try context.save()
            let item = try object("Item", "number == 2", context)
            try item.setValue("x", forKey: "note")
            context.processPendingChanges()
            require(controller, mirror, "b: 3 2, c: 5 4, z: 1 0")
            #expect(mirror.takeCalls().suffix(3) == ["will", "update 0.1 → 0.1", "did"])

            try feed.setValue("c", forKey: "title")
            context.processPendingChanges()
            require(controller, mirror, "b: 3 2, c: 5 4 1 0")
            context.rollback()
            require(controller, mirror, "b: 3 2, c: 5 4, z: 1 0")
        }
    }

    @Test(arguments: [0, 2])
    func `a list follows what others do to related objects, two steps away (§10.2.14)`(
        _ batchSize: Int
    ) throws {
        let store = try store()
        let view = store.makeContext()
        view.automaticallyMergesChangesFromParent = true
        let mirror = Box(ChangeMirror())
        let list = try view.performAndWait {
            let list = try controller(
                view, by: "feed.folder.title", batchSize: batchSize, mirror.value)
            require(list, mirror.value, "F: 5 4 1 0, G: 3 2")
            return Box(list)
        }
        try store.run { context in
            try object("Folder", "title == 'F'", context).setValue("Z", forKey: "title")
            try context.save()
        }
        view.performAndWait { require(list.value, mirror.value, "G: 3 2, Z: 5 4 1 0") }
        try store.run { context in
            let feed = try object("Feed", "title == 'c'", context)
            try feed.setValue(object("Folder", "title == 'G'", context), forKey: "folder")
            try context.save()
        }
        view.performAndWait { require(list.value, mirror.value, "G: 5 4 3 2, Z: 1 0") }
    }

    @Test func `a related object that keeps its place costs no fetch (§10.2.14)`() throws {
        let store = try store()
        try store.run { context in
            let mirror = ChangeMirror()
            let controller = try controller(context, mirror)
            let feed = try object("Feed", "title == 'a'", context)
            let statements = try store.statements {
                try feed.setValue(7, forKey: "unread")
                context.processPendingChanges()
            }
            #expect(statements == 0 && mirror.takeCalls().isEmpty)
            require(controller, mirror, "a: 1 0, b: 3 2, c: 5 4")
        }
    }

    @Test(arguments: [0, 2])
    func `performFetch sorts by unsaved values of related objects (§10.1.12)`(
        _ batchSize: Int
    ) throws {
        try store().run { context in
            let feed = try object("Feed", "title == 'a'", context)
            try feed.setValue("z", forKey: "title")
            let controller = try controller(context, batchSize: batchSize, ChangeMirror?.none)
            #expect(controller.text == "b: 3 2, c: 5 4, z: 1 0")
        }
    }

    @Test(arguments: [0, 2], ["number", "feed.title"])
    func `performFetch sorts by the values that the context holds (§10.1.12)`(
        _ batchSize: Int, _ key: String
    ) throws {
        let store = try store()
        let view = store.makeContext()
        try view.performAndWait {
            let held = try view.all("Item") + view.all("Feed")
            for object in held { _ = object.attribute("number") + object.attribute("title") }
            // A batch update that nobody merges.
            try store.run { context in
                try context.execute(
                    key == "number"
                        ? BatchUpdateRequest(
                            entityName: "Item", predicate: ObjectPredicate("number == 0"),
                            propertiesToUpdate: ["number": .constant(9)])
                        : BatchUpdateRequest(
                            entityName: "Feed", predicate: ObjectPredicate("title == 'a'"),
                            propertiesToUpdate: ["title": .constant("z")]))
            }
            let expected =
                key == "number"
                ? "0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 5" : "a: 1 0, b: 3 2, c: 5 4"
            let controller = try controller(
                view, by: key, batchSize: batchSize, ChangeMirror?.none)
            #expect(controller.text == expected)
            _ = held.count
        }
    }

    @Test func `values that change without an event have the list fetched again (§10.2.11)`() throws
    {
        let store = try store()
        func setNotes(_ below: String, _ above: String) throws {
            for (format, note) in [("number < 3", below), ("number >= 3", above)] {
                let predicate = try ObjectPredicate(format)
                try store.run { context in
                    try context.execute(
                        BatchUpdateRequest(
                            entityName: "Item", predicate: predicate,
                            propertiesToUpdate: ["note": .constant(.string(note))]))
                }
            }
        }
        try setNotes("x", "y")
        let view = store.makeContext()
        let mirror = Box(SnapshotMirror())
        let list = try view.performAndWait {
            var request = FetchRequest(entityName: "Item", sortKeys: [.ascending("number")])
            request.fetchBatchSize = 2
            let controller = FetchedResultsController<ManagedObject>(
                request, in: view, sectionedBy: .keyPath("note"))
            controller.delegate = mirror.value
            try controller.performFetch()
            #expect(controller.snapshot?.sections.map(\.name) == ["x", "y"])
            // Nothing holds the objects, so their rows are read again.
            #expect(view.registeredObjects.isEmpty)
            return Box(controller)
        }
        // Nobody merges this.
        try setNotes("y", "x")
        try view.performAndWait {
            try object("Item", "number == 0", view).setValue(1, forKey: "number")
            view.processPendingChanges()
            #expect(list.value.text == "y: 1 1 2, x: 3 4 5")
            #expect(mirror.value.content == list.value.snapshot?.mirrored)
            #expect(mirror.value.errors.isEmpty)
        }
    }

    @Test(arguments: [false, true])
    func `a reference that a merge cuts is a change (§10.2.1)`(_ isNew: Bool) throws {
        let store = try store()
        let view = store.makeContext()
        view.automaticallyMergesChangesFromParent = true
        let mirror = Box(ChangeMirror())
        let list = try view.performAndWait {
            let item = try isNew ? view.insert("Item") : object("Item", "number == 0", view)
            try item.setValue(object("Feed", "title == 'c'", view), forKey: "feed")
            view.processPendingChanges()
            let request = FetchRequest(
                entityName: "Item", predicate: try ObjectPredicate("feed == nil"),
                sortKeys: [.ascending("number")])
            let controller = FetchedResultsController<ManagedObject>(request, in: view)
            controller.delegate = mirror.value
            try controller.performFetch()
            mirror.value.restart(controller)
            return Box(controller)
        }
        try store.run { context in
            context.delete(try object("Feed", "title == 'c'", context))
            try context.save()
        }
        view.performAndWait {
            #expect(list.value.count == 3)
            #expect(mirror.value.content == list.value.snapshot?.mirrored)
        }
    }

    @Test func `a delegate of differences cannot have sections (§10.3.7)`() throws {
        try store().run { context in
            let mirror = DifferenceMirror()
            let error = #expect(throws: FetchedResultsError.self) {
                try controller(context, mirror)
            }
            #expect(error == .differencesWithSections(entity: "Item"))
            #expect(error?.description.contains("FetchedResultsSnapshotDelegate") == true)
        }
    }

    @Test func `a new object that is deleted leaves the list at once (§10.2.2, §2.6.3)`() throws {
        try store().run { context in
            context.propagatesDeletesAtEndOfEvent = false
            let mirror = ChangeMirror()
            let controller = try controller(context, by: "number", mirror)
            let item = try context.insert("Item", ["number": 9])
            context.processPendingChanges()
            #expect(controller.count == 7)
            context.delete(item)
            context.processPendingChanges()
            #expect(controller.count == 6 && mirror.content == controller.snapshot?.mirrored)
            context.insert(item)
            context.processPendingChanges()
            #expect(controller.count == 7 && mirror.content == controller.snapshot?.mirrored)
            context.delete(item)
            try context.save()
            #expect(controller.count == 6 && mirror.content == controller.snapshot?.mirrored)
            #expect(mirror.contradictions.isEmpty)
        }
    }

    private struct Box<Value>: @unchecked Sendable {
        // @unchecked Sendable: the value is used on the queue of its context only.
        let value: Value
        init(_ value: Value) { self.value = value }
    }
}
