import Synchronization
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `What a child reads from its parent (§4.2)` {
    let fixture: ContextFixture
    let parent: ManagedObjectContext
    let child: ManagedObjectContext

    init() throws {
        fixture = try ContextFixture()
        parent = fixture.context()
        child = fixture.child(of: parent)
    }

    @Test func `a child sees the parent's unsaved inserts, updates and deletes (§4.2.2)`() throws {
        let (changed, deleted) = (
            try fixture.saveAuthor("Borges"), try fixture.saveAuthor("Calvino")
        )
        parent.performAndWait {
            parent.author(changed).name = "Jorge Luis Borges"
            parent.delete(parent.author(deleted))
            TestSupport.Author(context: parent).name = "Cortázar"
        }
        let names = try child.performAndWait {
            try TestSupport.Author.all(in: child, sortedBy: [.ascending("name")]).map(\.name)
        }
        #expect(names == ["Cortázar", "Jorge Luis Borges"])
    }

    @Test
    func `a child's fault takes the parent's values (§4.2.3, §4.2.4, §4.2.13)`()
        throws
    {
        let id = try fixture.saveAuthor("Borges")
        try child.performAndWait {
            let fetched = try TestSupport.Author.all(in: child)
            parent.performAndWait { parent.author(id).name = "first" }
            #expect(fetched[0].name == "first")
            parent.performAndWait { parent.author(id).name = "second" }
            #expect(fetched[0].name == "first", "a realised object does not follow (§4.2.4)")
            child.refresh(fetched[0], mergeChanges: false)
            #expect(fetched[0].name == "second", "refreshed from the parent (§4.2.13)")
        }
    }

    @Test func `a child's fault takes what the parent has changed since its save (§4.2.3)`() throws
    {
        let leaf = fixture.child(of: child)
        let id = try child.performAndWait {
            let author = TestSupport.Author(context: child)
            author.name = "Borges"
            try child.obtainPermanentIDs(for: [author])
            try child.save()
            child.refreshAllObjects()
            return author.objectID
        }
        // The child's fault has the row from before the save now.
        leaf.performAndWait { #expect(leaf.author(id).name == "Borges") }
        try parent.performAndWait {
            try parent.save()
            parent.author(id).name = "Jorge Luis Borges"
        }
        child.performAndWait { #expect(child.author(id).name == "Jorge Luis Borges") }
    }

    @Test func `a child's fault takes what changes again within one event (§4.2.3)`() throws {
        let leaf = fixture.child(of: child)
        let other = fixture.context()
        let id = try parent.performAndWait {
            let (author, book) = (TestSupport.Author(context: parent), Book(context: parent))
            author.name = "Borges"
            book.title = "Ficciones"
            try parent.save()
            // This also changes the author, only through the inverse.
            book.author = author
            return author.objectID
        }
        try other.performAndWait {
            other.author(id).name = "J. L. Borges"
            try other.save()
        }
        parent.performAndWait { parent.refreshAllObjects() }
        leaf.performAndWait { #expect(leaf.author(id).name == "J. L. Borges") }
        parent.performAndWait { parent.author(id).name = "Jorge Luis Borges" }
        child.performAndWait { #expect(child.author(id).name == "Jorge Luis Borges") }
    }

    @Test func `a grandchild's fault takes what has changed above its parent (§4.2.3)`() throws {
        let leaf = fixture.child(of: child)
        let id = try fixture.saveAuthor("Borges")
        try child.performAndWait {
            child.author(id).name = "J. L. Borges"
            try child.save()
        }
        // The leaf's fault has the row that the child has saved.
        let count = try leaf.performAndWait { try TestSupport.Author.all(in: leaf).count }
        #expect(count == 1)
        child.performAndWait { child.refreshAllObjects() }
        parent.performAndWait { parent.author(id).name = "Jorge Luis Borges" }
        leaf.performAndWait { #expect(leaf.author(id).name == "Jorge Luis Borges") }
    }

    @Test func `a changed fault takes the newest row when it is refreshed (§2.8.4)`() throws {
        let leaf = fixture.child(of: child)
        let temporary = try child.performAndWait {
            let (author, book) = (TestSupport.Author(context: child), Book(context: child))
            author.name = "Borges"
            book.title = "Ficciones"
            try child.save()
            return [author.objectID, book.objectID]
        }
        let ids = try parent.performAndWait {
            let objects = temporary.map(parent.object(with:))
            try parent.obtainPermanentIDs(for: objects)
            parent.author(objects[0].objectID).name = "Jorge Luis Borges"
            return objects.map(\.objectID)
        }
        try leaf.performAndWait {
            // Changed only through the inverse. The fetch gives it the older values of the child.
            let author = leaf.author(ids[0])
            (leaf.object(with: ids[1]) as? Book)?.author = author
            _ = try TestSupport.Author.all(in: leaf)
            #expect(author.isFault && author.isUpdated)
        }
        for context in [parent, child, leaf] {
            context.performAndWait { context.refreshAllObjects() }
        }
        leaf.performAndWait { #expect(leaf.author(ids[0]).name == "Jorge Luis Borges") }
    }

    /// Deletes the other objects in the parent as soon as the first object of a fetch awakes.
    final class Rival: ManagedObject {
        static let name = Attribute<String>("name")
        static let hook = Mutex<(@Sendable () -> Void)?>(nil)

        override func awakeFromFetch() {
            let body = Self.hook.withLock { $0.take() }
            body?()
        }
    }

    @Test func `what a fetch has found keeps its values though it goes meanwhile (§3.7.6)`() throws
    {
        let store = try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Rival", managedObjectClass: Rival.self,
                    attributes: [AttributeDescription("name", .string)])
            ]))
        let parent = store.context
        try store.run { context in
            let rivals = (0..<2).map { _ in Rival(context: context) }
            try context.save()
            for rival in rivals { rival[Rival.name] = "unsaved" }
        }
        let child = ManagedObjectContext(.privateQueue, parent: parent)
        var request = FetchRequest(entityName: "Rival")
        request.returnsObjectsAsFaults = false
        let fetch = request
        let names = try child.performAndWait {
            Rival.hook.withLock { hook in
                hook = { parent.performAndWait { parent.registeredObjects.forEach(parent.delete) } }
            }
            return try child.fetch(fetch, as: Rival.self).map { $0[Rival.name] }
        }
        #expect(names == ["unsaved", "unsaved"])
    }

    /// An operation after which a context has an object again that it found missing.
    enum Remedy: CaseIterable {
        case rollback, refresh, refreshMerging, refreshAll, look, insert
    }

    @Test(arguments: Remedy.allCases)
    func `what was found gone is looked for again (§3.5.2, §2.8.1)`(remedy: Remedy) throws {
        let id = try fixture.saveAuthor("Lem")
        try child.performAndWait {
            let author = child.author(id)
            parent.performAndWait { parent.delete(parent.author(id)) }
            #expect(author.name == "" && author.publications.isEmpty && author.isDeleted)
            parent.performAndWait { parent.rollback() }
            switch remedy {
            case .rollback: child.rollback()
            case .refresh: child.refresh(author, mergeChanges: false)
            case .refreshMerging: child.refresh(author, mergeChanges: true)
            case .refreshAll: child.refreshAllObjects()
            case .look: _ = try child.existingObject(with: id)
            case .insert: child.insert(author)
            }
            #expect(!author.isDeleted && author.name == "Lem" && !child.hasChanges)
        }
    }
}
