import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `What a child saves to its parent (§4.2)` {
    let fixture: ContextFixture
    let parent: ManagedObjectContext
    let child: ManagedObjectContext

    init() throws {
        fixture = try ContextFixture()
        parent = fixture.context()
        child = fixture.child(of: parent)
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

    @Test func `a parent stays refused until it takes back the changes itself (§4.2.14)`()
        throws
    {
        let id = try fixture.saveAuthor("Lem", birthYear: 1900)
        @Sendable func discardChanges(of context: ManagedObjectContext) {
            context.rollback()
            context.refreshAllObjects()
        }
        @Sendable func saveThroughBoth(_ year: Int) throws {
            try child.performAndWait {
                child.author(id).birthYear = year
                try child.save()
            }
            try parent.performAndWait { try parent.save() }
        }
        parent.performAndWait { #expect(parent.author(id).name == "Lem") }
        let other = fixture.context()
        try other.performAndWait {
            other.author(id).name = "Stanisław Lem"
            try other.save()
        }

        #expect(throws: SaveError.self) { try saveThroughBoth(1920) }
        child.performAndWait { discardChanges(of: child) }
        #expect(throws: SaveError.self) { try saveThroughBoth(1921) }
        parent.performAndWait { discardChanges(of: parent) }
        child.performAndWait { discardChanges(of: child) }
        try saveThroughBoth(1921)
        parent.performAndWait { #expect(parent.author(id).name == "Stanisław Lem") }
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

    @Test func `a child that is not valid stays dirty and its parent untouched (§4.2.8)`() throws {
        child.performAndWait {
            _ = TestSupport.Author(context: child)
            #expect(throws: SaveError.self) { try child.save() }
            #expect(child.insertedObjects.count == 1)
        }
        parent.performAndWait { #expect(!parent.hasChanges) }
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
}
