import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Results controllers (§10.1)` {
    @Test func `a request without sort keys is refused (§10.1.1)`() throws {
        try ResultScript.fixture(inMemory: true).run { context in
            let controller = try context.controller()
            controller.fetchRequest.sortKeys = []
            let error = #expect(throws: FetchedResultsError.self) { try controller.performFetch() }
            #expect(error == .noSortKeys(entity: "Thing") && error?.code == 134060)
            #expect(controller.sections == nil)
        }
    }

    @Test func `there is no content before performFetch, then objects in order (§10.1.2)`() throws {
        let store = try ResultScript.fixture(inMemory: true)
        try store.saveThings("b 1", "a 2", "a 1")
        try store.run { context in
            let controller = try context.controller()
            #expect(controller.fetchedObjects == nil && controller.sections == nil)
            #expect(controller.count == 0 && controller.snapshot == nil)
            try controller.performFetch()
            #expect(controller.text == "a: 2 1, b: 0")
            #expect(controller.fetchedObjects?.map { $0.attribute("number") } == ["2", "1", "0"])
            #expect(controller.sections?.map(\.numberOfObjects) == [2, 1])
        }
    }

    @Test func `without a section key there is one section, with it none is empty (§10.1.3)`()
        throws
    {
        try ResultScript.fixture(inMemory: true).run { context in
            let (plain, sectioned) = (
                try context.controller(sections: false), try context.controller()
            )
            try plain.performFetch()
            try sectioned.performFetch()
            #expect(plain.sections?.map(\.name) == [""])
            #expect(sectioned.sections?.isEmpty == true)
        }
    }

    @Test func `a path out of range is an error, an object elsewhere has no path (§10.1.4)`()
        throws
    {
        let store = try ResultScript.fixture(inMemory: true)
        try store.saveThings("a 1", "b 1")
        try store.run { context in
            let controller = try context.controller()
            let first = IndexPath(item: 0, section: 0)
            #expect(throws: FetchedResultsError.notFetched) { try controller.object(at: first) }
            try controller.performFetch()
            #expect(try controller.indexPath(for: controller.object(at: first)) == first)
            for path in [[0, 1], [2, 0], [-1, 0], [0, -1], [0], [0, 0, 0], []] as [IndexPath] {
                #expect(throws: FetchedResultsError.noObject(at: path, sections: 2)) {
                    try controller.object(at: path)
                }
            }
            let hidden = try context.insert("Thing", ["isShown": false])
            #expect(controller.indexPath(for: hidden) == nil)
        }
    }

    @Test(arguments: [0, 4])
    func `sections are named through relationships and by transient values (§10.1.5)`(
        _ batchSize: Int
    ) throws {
        let store = try StoreFixture.notebook()
        try Journal.keeping { _ in
            try store.run { context in
                let notebook = Notebook(context: context)
                notebook.title = "x"
                context.makeNote("a")
                context.makeNote("b", in: notebook)
                context.makeNote("c", in: notebook)
                try context.save()
                for (key, names) in [("notebook.title", ["", "x"]), ("mood", ["calm"])] {
                    var request = FetchRequest(
                        entityName: "Note", sortKeys: [.ascending("text")])
                    request.fetchBatchSize = batchSize
                    let controller = FetchedResultsController<ManagedObject>(
                        request, in: context, sectionedBy: .keyPath(key))
                    try controller.performFetch()
                    #expect(controller.sections?.map(\.name) == names)
                }
            }
        }
    }

    @Test func `the section index has the first character of each name (§10.1.6)`() throws {
        let store = try ResultScript.fixture(inMemory: true)
        try store.saveThings("ab 1", "ac 1", "b 1")
        try store.run { context in
            let controller = try context.controller()
            try controller.performFetch()
            #expect(controller.sectionIndexTitles == ["A", "B"])
            #expect(try controller.section(forSectionIndexTitle: "B", at: 1) == 2)
            #expect(throws: FetchedResultsError.noIndexTitle("B", at: 0)) {
                try controller.section(forSectionIndexTitle: "B", at: 0)
            }
            let delegate = TitleDelegate()
            controller.delegate = delegate
            #expect(controller.sectionIndexTitles == ["ab!", "ac!"])
        }
    }

    private final class TitleDelegate: FetchedResultsControllerDelegate {
        func controller(
            _ controller: FetchedResultsController<ManagedObject>, indexTitleForSection name: String
        ) -> String? { name == "b" ? nil : name + "!" }
    }

    @Test func `a section name that comes again is an error with both objects (§10.1.7)`() throws {
        let store = try ResultScript.fixture(inMemory: true)
        try store.saveThings("a 1", "b 2", "a 3")
        try store.run { context in
            let controller = try context.controller()
            try controller.performFetch()
            let content = controller.text
            controller.fetchRequest.sortKeys = [.ascending("rank")]
            let ids = try [0, 2].map { try context.thing($0).objectID }
            let error = #expect(throws: FetchedResultsError.self) { try controller.performFetch() }
            #expect(error == .outOfOrderSection(name: "a", first: ids[0], second: ids[1]))
            #expect(controller.text == content)
        }
    }

    @Test
    func `batches read what is touched, sections are counted by a statement (§3.9.9, §10.1.8)`()
        throws
    {
        let store = try ResultScript.fixture(inMemory: false)
        try store.saveThings("a 1", "a 2", "b 1", "b 2", "b 3", "c 1")
        let context = store.makeContext()
        try context.performAndWait {
            let controller = try context.controller(batchSize: 2)
            let fetch = try store.statements { try controller.performFetch() }
            #expect(fetch == 2 && context.registeredObjects.isEmpty)
            #expect(controller.sections?.map(\.name) == ["a", "b", "c"])
            let window = try store.statements {
                let thing = try controller.object(at: IndexPath(item: 2, section: 1))
                #expect(thing.attribute("number") == "4")
                #expect(try controller.object(at: IndexPath(item: 0, section: 2)).isFault)
            }
            #expect(window == 1 && context.registeredObjects.count == 2)
        }
    }

    @Test func `a changed request counts with the next performFetch (§10.1.10)`() throws {
        let store = try ResultScript.fixture(inMemory: true)
        try store.saveThings("a 1", "b 1")
        try store.run { context in
            let mirror = ChangeMirror()
            let controller = try context.followed(by: mirror)
            controller.fetchRequest.predicate = try ObjectPredicate("group == 'a'")
            try context.insertThing("c 1", number: 2)
            context.processPendingChanges()
            #expect(controller.text == "a: 0, b: 1, c: 2")
            try controller.performFetch()
            #expect(controller.text == "a: 0")
        }
    }

    @Test func `a limit holds for the fetch, later objects exceed it (§10.1.11)`() throws {
        let store = try ResultScript.fixture(inMemory: true)
        try store.saveThings("a 1", "a 2", "a 3")
        try store.run { context in
            let controller = try context.controller()
            let mirror = ChangeMirror()
            controller.fetchRequest.fetchLimit = 2
            controller.delegate = mirror
            try controller.performFetch()
            #expect(controller.text == "a: 0 1")
            mirror.restart(controller)
            try context.insertThing("a 0", number: 3)
            context.processPendingChanges()
            #expect(controller.text == "a: 3 0 1")
        }
    }
}
