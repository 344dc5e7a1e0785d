import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Parent and child contexts (§4.2)` {
    let fixture: ContextFixture
    let parent: ManagedObjectContext
    let child: ManagedObjectContext

    init() throws {
        fixture = try ContextFixture()
        parent = fixture.context()
        child = fixture.child(of: parent)
    }

    @Test func `a context has its parent and its root's coordinator for good (§4.2.1)`() throws {
        let grandchild = fixture.child(of: child)
        #expect(parent.parent == nil && child.parent === parent && grandchild.parent === child)
        #expect(grandchild.coordinator === fixture.coordinator)
    }

    @Test func `contexts work down to the maximum depth, and not below (§4.2)`() throws {
        _ = try fixture.saveAuthor("Lem")
        var chain = [parent]
        while chain.count < 5_000 { chain.append(fixture.child(of: chain[chain.count - 1])) }
        let limit = ManagedObjectContext.maximumDepth
        let tooDeep = ContextDepthError(limit: limit)
        let (deepest, next) = (chain[limit], chain[limit + 1])

        try deepest.performAndWait {
            let author = try #require(try TestSupport.Author.all(in: deepest).first)
            author.name = "Stanisław Lem"
            TestSupport.Author(context: deepest).name = "Calvino"
            try deepest.save()
        }
        for context in [next, chain[4_999]] {
            context.performAndWait {
                #expect(throws: tooDeep) { try TestSupport.Author.all(in: context) }
                #expect(throws: tooDeep) { try TestSupport.Author.count(in: context) }
                TestSupport.Author(context: context).name = "Borges"
                #expect(throws: tooDeep) { try context.save() }
                #expect(context.insertedObjects.count == 1)
            }
        }
        for context in chain[..<limit].reversed() {
            try context.performAndWait { try context.save() }
        }
        #expect(try fixture.storedAuthors() == ["Calvino", "Stanisław Lem"])
        parent.performAndWait { parent.reset() }
        while chain.popLast() != nil {}
    }

    @Test func `a parent's reset makes a child's objects inaccessible (§4.2.11)`() throws {
        let id = try fixture.saveAuthor("Lem")
        let grandchild = fixture.child(of: child)
        final class Held: @unchecked Sendable {
            // @unchecked Sendable: used by the thread of the test, on which `performAndWait` runs
            // its blocks.
            var authors: [TestSupport.Author] = []
        }
        let held = Held()
        for context in [child, grandchild] {
            context.performAndWait {
                held.authors.append(context.author(id))
                #expect(held.authors.last?.name == "Lem")
                TestSupport.Author(context: context).name = "lost"
            }
        }
        parent.performAndWait { parent.reset() }
        for context in [grandchild, child] {
            try context.performAndWait {
                #expect(!context.hasChanges && context.registeredObjects.isEmpty)
                let names = try TestSupport.Author.all(in: context).map(\.name)
                #expect(names == ["Lem"])
            }
        }
        #expect(held.authors.allSatisfy { $0.managedObjectContext == nil })
    }

    @Test @MainActor func `a main-queue child follows without perform (§4.2.11)`() throws {
        let id = try fixture.saveAuthor("Lem")
        let view = ManagedObjectContext(.mainQueue, parent: parent)
        let author = view.author(id)
        #expect(author.name == "Lem")
        TestSupport.Author(context: view).name = "lost"
        parent.performAndWait { parent.reset() }
        try view.save()
        #expect(author.managedObjectContext == nil && !view.hasChanges)
        #expect(try fixture.storedAuthors() == ["Lem"])
    }

    @Test func `a batch request of a child goes to the stores (§4.2.12, §6.1.3)`() throws {
        let id = try fixture.saveAuthor("Lem")
        try child.performAndWait {
            let author = child.author(id)
            author.name = "unsaved"
            let request = BatchUpdateRequest(
                entityName: "Author", propertiesToUpdate: ["name": .constant("Stanisław")])
            let result = try child.execute(request, resultType: .objectIDs)
            #expect(result.objectIDs == [id] && author.name == "unsaved")
        }
        #expect(try fixture.storedAuthors() == ["Stanisław"])
    }

    @Test
    func `identifiers stay temporary until the root saves, and all levels learn them (§4.2.9)`()
        throws
    {
        let grandchild = fixture.child(of: child)
        try grandchild.performAndWait {
            let author = TestSupport.Author(context: grandchild)
            author.name = "Lem"
            try grandchild.save()
            #expect(author.objectID.isTemporaryID)
            try child.performAndWait { try child.save() }
            #expect(author.objectID.isTemporaryID)
            try parent.performAndWait { try parent.save() }
            _ = try TestSupport.Author.all(in: grandchild)
            #expect(!author.objectID.isTemporaryID)
            let id = author.objectID
            child.performAndWait {
                #expect(child.registeredObject(for: id)?.objectID == id)
            }
        }
    }

    @Test func `permanent identifiers can be had before any save, and are kept (§2.1.5, §4.2.9)`()
        throws
    {
        try child.performAndWait {
            let author = TestSupport.Author(context: child)
            author.name = "Lem"
            let book = TestSupport.Book(context: child)
            book.title = "Solaris"
            book.author = author
            try child.obtainPermanentIDs(for: [author])
            let id = author.objectID
            #expect(!id.isTemporaryID && book.author === author)
            try child.save()
            try parent.performAndWait {
                try parent.save()
                #expect(parent.author(id).name == "Lem")
            }
        }
    }

    @Test func `permanent identifiers can be had for what was saved upwards (§2.1.5, §4.2.9)`()
        throws
    {
        let leaf = fixture.child(of: child)
        try leaf.performAndWait {
            let author = TestSupport.Author(context: leaf)
            author.name = "Lem"
            try leaf.save()
            try child.performAndWait { try child.save() }
            try leaf.obtainPermanentIDs(for: [author])
            let id = author.objectID
            #expect(!id.isTemporaryID && leaf.registeredObject(for: id) === author)
            try parent.performAndWait {
                #expect(parent.author(id).isInserted)
                try parent.save()
                #expect(parent.author(id).name == "Lem")
            }
        }
    }

    @Test(arguments: [true, false])
    func `a child finds what the root saves in the middle of its block (§4.2.9)`(
        byIdentifier: Bool
    ) throws {
        try child.performAndWait {
            let author = TestSupport.Author(context: child)
            author.name = "Lem"
            let book = TestSupport.Book(context: child)
            book.title = "Solaris"
            book.author = author
            try child.save()
            let id = try parent.performAndWait {
                try parent.save()
                return try #require(try TestSupport.Author.findFirst(in: parent)).objectID
            }
            if byIdentifier {
                #expect(child.object(with: id) === author)
            } else {
                #expect(author.publications == [book])
            }
        }
    }

    @Test(arguments: [true, false])
    func `a fetch finds a child's own object though the root saves it now (§2.4.11, §4.2.9)`(
        byKeys: Bool
    ) throws {
        var request = FetchRequest(entityName: "Author", sortKeys: [SortKey("name")])
        request.includesPropertyValues = !byKeys
        let fetch = request
        let authors = try child.performAndWait {
            child.retainsRegisteredObjects = true
            let authors = ["Borges", "Lem"].map { name in
                let author = TestSupport.Author(context: child)
                author.name = name
                return author
            }
            try child.save()
            // The fetch announces this change before it asks the parent.
            authors[0].name = "Jorge Luis Borges"
            return authors.map(ObjectIdentifier.init)
        }
        let fetchBegins = DispatchSemaphore(value: 0)
        let observer = child.observe { notification in
            if case .objectsDidChange = notification { fetchBegins.signal() }
        }
        defer { withExtendedLifetime(observer) {} }
        let end = DispatchGroup()
        let outcome = Mutex<Result<[ObjectIdentifier], any Error>?>(nil)
        try parent.performAndWait {
            DispatchQueue.global().async(group: end) { [child] in
                let result = Result {
                    try child.performAndWait {
                        try child.fetch(fetch).map(ObjectIdentifier.init)
                    }
                }
                outcome.withLock { $0 = result }
            }
            fetchBegins.wait()
            try parent.save()
        }
        end.wait()
        #expect(try outcome.withLock { $0 }!.get() == authors)
    }

    /// Runs a hook before each save.
    final class Signaller: ManagedObject {
        static let name = Attribute<String>("name")
        static let hook = Mutex<(@Sendable () -> Void)?>(nil)

        override func willSave() { Self.hook.withLock { $0 }?() }
    }

    // The cases share the hook.
    @Test(.serialized, arguments: [true, false])
    func `a child reads and changes what the root saves at the same time (§4.2.9)`(reads: Bool)
        throws
    {
        let store = try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Signaller", managedObjectClass: Signaller.self,
                    attributes: [AttributeDescription("name", .string)])
            ]))
        let parent = store.context
        let child = ManagedObjectContext(.privateQueue, parent: parent)
        let changed = try child.performAndWait {
            child.retainsRegisteredObjects = true
            let items = ["read", "changed"].map { name in
                let item = Signaller(context: child)
                item[Signaller.name] = name
                return item
            }
            try child.save()
            child.refresh(items[0], mergeChanges: false)
            items[1][Signaller.name] = "by the child"
            return items[1].objectID
        }
        let isSaving = DispatchSemaphore(value: 0)
        Signaller.hook.withLock { hook in
            hook = {
                isSaving.signal()
                if reads {
                    for case let item as Signaller in child.registeredObjects {
                        _ = item[Signaller.name]
                    }
                }
            }
        }
        let end = DispatchGroup()
        let outcome = Mutex<Result<[String], any Error>?>(nil)
        try parent.performAndWait {
            DispatchQueue.global().async(group: end) {
                let result = Result {
                    try child.performAndWait {
                        try child.save()
                        return child.registeredObjects.map { ($0 as! Signaller)[Signaller.name] }
                    }
                }
                outcome.withLock { $0 = result }
            }
            // The child has emptied its pending updates. Its next request to the parent waits for the end
            // of this block.
            isSaving.wait()
            Signaller.hook.withLock { $0 = nil }
            try parent.save()
        }
        end.wait()
        #expect(try outcome.withLock { $0 }!.get().sorted() == ["by the child", "read"])
        try store.run { context in
            let unsaved = context.registeredObjects.filter(\.hasChanges)
            #expect(unsaved.map { ($0 as! Signaller)[Signaller.name] } == ["by the child"])
            #expect(changed.isTemporaryID)
            try context.save()
        }
    }
}
