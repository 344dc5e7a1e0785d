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

    /// Runs a hook before each save.
    final class Signaller: ManagedObject {
        static let name = Attribute<String>("name")
        static let hook = Mutex<(@Sendable () -> Void)?>(nil)

        override func willSave() { Self.hook.withLock { $0 }?() }
    }

    @Test(arguments: [true, false])
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
            // The child has emptied its mailbox. Its next request to the parent waits for the end
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

    @Test func `a child's save goes up one level (§4.2.5, §14.18)`() throws {
        let posted = Recorder<ContextNotification>()
        let observation = parent.observe { posted.values.append($0) }
        fixture.coordinator.resetCounters()
        try child.performAndWait {
            TestSupport.Author(context: child).name = "Lem"
            try child.save()
            #expect(!child.hasChanges)
        }
        observation.cancel()
        #expect(fixture.coordinator.counters.saves == 0)
        parent.performAndWait { #expect(parent.insertedObjects.count == 1) }
        guard case .objectsDidChange(let changes)? = posted.values.last else {
            Issue.record("the parent posted \(posted.values)")
            return
        }
        #expect(changes.inserted.count == 1)
        try parent.performAndWait { try parent.save() }
        #expect(try fixture.storedAuthors() == ["Lem"])
    }

    @Test func `only changed properties are pushed, and the child wins on them (§4.2.6)`() throws {
        let id = try fixture.saveAuthor("Lem", birthYear: 1900)
        child.performAndWait { child.author(id).name = "Stanisław Lem" }
        parent.performAndWait {
            parent.author(id).birthYear = 1921
            parent.author(id).name = "lost"
        }
        try child.performAndWait { try child.save() }
        try parent.performAndWait {
            #expect(parent.author(id).name == "Stanisław Lem")
            #expect(parent.author(id).birthYear == 1921)
            try parent.save()
        }
    }

    @Test(arguments: [false, true])
    func `what the parent has rolled back can be deleted in the child, but not changed (§4.2.5)`(
        deletes: Bool
    ) throws {
        try child.performAndWait {
            let author = TestSupport.Author(context: child)
            author.name = "Lem"
            try child.save()
            parent.performAndWait { parent.rollback() }
            if deletes {
                child.delete(author)
                try child.save()
            } else {
                author.name = "Stanisław Lem"
                let error = #expect(throws: SaveError.self) { try child.save() }
                #expect(error?.code == 133000 && author.hasChanges)
            }
        }
        try parent.performAndWait {
            #expect(!parent.hasChanges)
            try parent.save()
        }
        #expect(try fixture.storedAuthors() == [])
    }

    @Test func `nor can what had its permanent identifier before (§4.2.5)`() throws {
        let id = try parent.performAndWait {
            let author = TestSupport.Author(context: parent)
            author.name = "Lem"
            try parent.obtainPermanentIDs(for: [author])
            return author.objectID
        }
        child.performAndWait {
            let author = child.author(id)
            author.name = "Stanisław Lem"
            parent.performAndWait { parent.rollback() }
            let error = #expect(throws: SaveError.self) { try child.save() }
            #expect(error?.code == 133000 && author.hasChanges)
        }
        parent.performAndWait { #expect(!parent.hasChanges) }
    }

    @Test(arguments: [true, false])
    func `what is gone from the store cannot be changed in the child (§4.2.5)`(
        isRefreshed: Bool
    ) throws {
        let id = try fixture.saveAuthor("Lem")
        try child.performAndWait {
            let author = child.author(id)
            author.name = "Stanisław Lem"
            let other = ManagedObjectContext(.privateQueue, coordinator: fixture.coordinator)
            try other.performAndWait {
                other.delete(other.author(id))
                try other.save()
            }
            if isRefreshed { parent.performAndWait { parent.refreshAllObjects() } }
            let error = #expect(throws: SaveError.self) { try child.save() }
            #expect(error?.code == 133000 && author.hasChanges)
        }
        parent.performAndWait { #expect(!parent.hasChanges) }
    }

    @Test func `a child cannot refer to what the parent has rolled back (§4.2.5)`() throws {
        let store = try StoreFixture(
            .init("name", .string), relationships: [.toOne("next", "Thing")])
        let child = ManagedObjectContext(.privateQueue, parent: store.context)
        try child.performAndWait {
            let first = try child.insert("Thing")
            try child.save()
            store.run { $0.rollback() }
            let second = try child.insert("Thing", ["next": first])
            let error = #expect(throws: SaveError.self) { try child.save() }
            #expect(error?.code == 133000)
            store.run { #expect(!$0.hasChanges) }
            try second.setValue(nil, forKey: "next")
            try child.save()
        }
        try store.run { try $0.save() }
        #expect(try store.sql("SELECT count(*), count(ZNEXT) FROM ZTHING") == [["1", "0"]])
    }

    @Test func `a child's change is taken though it has an old destination (§4.2.6)`() throws {
        let store = try StoreFixture(
            .init("name", .string), relationships: [.toOne("next", "Thing")])
        let child = ManagedObjectContext(.privateQueue, parent: store.context)
        let ids = try store.run { context in
            let first = try context.insert("Thing")
            let second = try context.insert("Thing", ["next": first])
            return [first.objectID, second.objectID]
        }
        try child.performAndWait {
            let second = child.object(with: ids[1])
            #expect(try second.value(forKey: "next") != nil)
            try store.run { context in
                try context.object(with: ids[1]).setValue(nil, forKey: "next")
                context.delete(context.object(with: ids[0]))
                context.processPendingChanges()
            }
            try second.setValue("changed", forKey: "name")
            try child.save()
        }
        try store.run { try $0.save() }
        #expect(try store.sql("SELECT ZNAME, ZNEXT FROM ZTHING") == [["changed", nil]])
    }

    final class Badge: ManagedObject {
        static let code = Attribute<UUID?>("code")
        static let colour = Attribute<String?>("colour")

        override func awakeFromInsert() {
            self[Self.code] = UUID()
            self[Self.colour] = "red"
        }
    }

    @Test func `what awakeFromInsert sets in the parent gives way to the child (§4.2.6, §4.2.7)`()
        throws
    {
        let store = try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Badge", managedObjectClass: Badge.self,
                    attributes: [
                        AttributeDescription("code", .uuid),
                        AttributeDescription("colour", .string),
                    ])
            ]))
        let child = ManagedObjectContext(.privateQueue, parent: store.context)
        let code = try child.performAndWait {
            let badge = Badge(context: child)
            badge[Badge.colour] = nil
            try child.save()
            return badge[Badge.code]
        }
        @Sendable func expectChildsValues(in context: ManagedObjectContext) throws {
            let badge = try #require(try context.all("Badge")[0] as? Badge)
            #expect(code != nil && badge[Badge.code] == code && badge[Badge.colour] == nil)
        }
        try store.run { context in
            try expectChildsValues(in: context)
            try context.save()
            context.reset()
            try expectChildsValues(in: context)
        }
    }

    @Test func `a child saves no deletion that nobody has made (§3.5.2, §4.2.5)`() throws {
        let id = try fixture.saveAuthor("Lem")
        let posted = Recorder<ContextNotification>()
        try child.performAndWait {
            let author = child.author(id)
            parent.performAndWait { parent.delete(parent.author(id)) }
            #expect(author.name == "" && author.isDeleted)
            parent.performAndWait { parent.rollback() }
            TestSupport.Author(context: child).name = "Borges"
            let observation = child.observe { posted.values.append($0) }
            try child.save()
            observation.cancel()
        }
        guard case .didSave(let changes)? = posted.values.last else {
            Issue.record("the child posted \(posted.values)")
            return
        }
        #expect(changes.deleted.isEmpty)
        try parent.performAndWait { try parent.save() }
        #expect(try fixture.storedAuthors() == ["Borges", "Lem"])
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

    @Test func `a child that is not valid stays dirty and its parent untouched (§4.2.8)`() throws {
        child.performAndWait {
            _ = TestSupport.Author(context: child)
            #expect(throws: SaveError.self) { try child.save() }
            #expect(child.insertedObjects.count == 1)
        }
        parent.performAndWait { #expect(!parent.hasChanges) }
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

    @Test func `a context has its parent and its root's coordinator for good (§4.2.1)`() throws {
        let grandchild = fixture.child(of: child)
        #expect(parent.parent == nil && child.parent === parent && grandchild.parent === child)
        #expect(grandchild.coordinator === fixture.coordinator)
    }

    @Test(arguments: MergePolicy.Kind.allCases)
    func `only the root's merge policy counts (§4.2.10, §5.3.7)`(_ kind: MergePolicy.Kind) throws {
        let id = try fixture.saveAuthor("Lem")
        try child.performAndWait {
            child.mergePolicy = MergePolicy(kind)
            child.author(id).name = "child"
            parent.performAndWait { parent.author(id).name = "parent" }
            try child.save()
        }
        parent.performAndWait { #expect(parent.author(id).name == "child") }
    }

    @Test func `a child's save holds its parent's queue (§4.1.11)`() throws {
        let parent = parent
        let held = Recorder<Bool>()
        let observation = parent.observe { _ in held.values.append(parent.isOnQueue) }
        try child.performAndWait {
            TestSupport.Author(context: child).name = "Lem"
            try child.save()
        }
        observation.cancel()
        #expect(held.values == [true])
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

    @Test func `a batch request below a parent is refused (§4.2.12)`() throws {
        child.performAndWait {
            let request = BatchDeleteRequest(fetchRequest: FetchRequest(entityName: "Author"))
            let error = #expect(throws: FetchError.self) { try child.execute(request) }
            #expect(error?.code == 134091)
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

    @Test func `deleting in a child deletes in the parent, with the parent's rules (§4.2.5)`()
        throws
    {
        let id = try fixture.saveAuthor("Lem")
        parent.performAndWait {
            let book = TestSupport.Book(context: parent)
            book.title = "Solaris"
            book.author = parent.author(id)
        }
        try child.performAndWait {
            child.delete(child.author(id))
            try child.save()
        }
        try parent.performAndWait {
            #expect(parent.deletedObjects.count == 1 && parent.insertedObjects.isEmpty)
            try parent.save()
        }
        #expect(try fixture.storedAuthors() == [])
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
}
