import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// Delegates that change, save and fetch while they are notified, and identifiers that change.
@Suite struct `Results controllers while delegates act (§10.3)` {
    private func store() throws -> StoreFixture {
        let store = try ResultScript.fixture(inMemory: true)
        try store.saveThings("a 1", "a 2", "a 3", "b 1")
        return store
    }

    /// A controller for each shape, which all must show the same objects.
    private final class Followers {
        let changes = ChangeMirror()
        let snapshots = SnapshotMirror()
        let differences = DifferenceMirror()
        let controllers: [FetchedResultsController<ManagedObject>]

        init(_ context: ManagedObjectContext, batchSize: Int = 0) throws {
            controllers = [
                try context.followed(by: changes, sections: false, batchSize: batchSize),
                try context.followed(by: snapshots, sections: false, batchSize: batchSize),
                try context.followed(by: differences, sections: false, batchSize: batchSize),
            ]
        }

        /// Expects what a fetch finds.
        func expect(_ context: ManagedObjectContext) throws {
            let fetched = try context.fetch(
                controllers[0].fetchRequest, as: ManagedObject.self)
            let expected = fetched.map(\.objectID)
            for controller in controllers { #expect(controller.snapshot?.objectIDs == expected) }
            for mirror: any ResultMirror in [changes, snapshots, differences] {
                #expect(mirror.content.map(\.objectIDs) == [expected])
                #expect(mirror.contradictions.isEmpty)
            }
        }
    }

    enum Next: CaseIterable {
        case nothing, another, move, delete, replace
    }

    @Test(arguments: Next.allCases, [0, 2])
    func `permanent identifiers are reported when they are obtained (§10.3.4)`(
        _ next: Next, _ batchSize: Int
    ) throws {
        try store().run { context in
            let followers = try Followers(context, batchSize: batchSize)
            let thing = try context.insertThing("a 2", number: 4)
            context.processPendingChanges()
            try followers.expect(context)
            let old = thing.objectID
            #expect(followers.differences.ids.contains(old))

            try context.obtainPermanentIDs(for: [thing])
            #expect(!thing.objectID.isTemporaryID)
            try followers.expect(context)
            #expect(
                followers.controllers[2].indexPath(for: thing) == IndexPath(item: 3, section: 0))
            #expect(followers.controllers[2].snapshot?.objectIDs.contains(thing.objectID) == true)
            #expect(!followers.differences.ids.contains(old))
            switch next {
            case .nothing: break
            case .another: try context.insertThing("a 0", number: 5)
            case .move: try thing.setValue(9, forKey: "rank")
            case .delete: context.delete(thing)
            case .replace:
                // The new object may take the place that the list kept for the old one.
                context.delete(thing)
                try context.insertThing("a 0", number: 6)
            }
            context.processPendingChanges()
            try context.save()
            try followers.expect(context)
        }
    }

    @Test(arguments: [false, true], [0, 2])
    func `a new object that is discarded is reported as the object it was (§10.3.2)`(
        isPermanent: Bool, _ batchSize: Int
    ) throws {
        try store().run { context in
            let thing = try context.insertThing("a 2", number: 4)
            if isPermanent { try context.obtainPermanentIDs(for: [thing]) }
            context.processPendingChanges()
            let followers = try Followers(context, batchSize: batchSize)
            context.rollback()
            try followers.expect(context)
        }
    }

    @Test func `identifiers that a parent's save gives are reported (§10.3.4)`() throws {
        let store = try store()
        let child = ManagedObjectContext(.privateQueue, parent: store.context)
        let followers = try child.performAndWait {
            let box = Box(try Followers(child))
            try child.insertThing("a 2", number: 4)
            try child.save()
            try box.followers.expect(child)
            return box
        }
        try store.run { try $0.save() }
        try child.performAndWait {
            try followers.followers.expect(child)
            #expect(!followers.followers.differences.ids.contains { $0.isTemporaryID })
        }
    }

    private struct Box: @unchecked Sendable {
        // @unchecked Sendable: used on the queue of its context.
        let followers: Followers

        init(_ followers: Followers) { self.followers = followers }
    }

    @Test(arguments: [0, 2])
    func `a delegate may insert and save, and all see both events in order (§10.3.9)`(
        _ batchSize: Int
    ) throws {
        try store().run { context in
            let followers = try Followers(context, batchSize: batchSize)
            followers.changes.onDidChange = {
                followers.changes.onDidChange = {}
                _ = try? context.insertThing("a 6", number: 6)
                context.processPendingChanges()
                try? context.save()
            }
            try context.insertThing("a 5", number: 5)
            context.processPendingChanges()
            #expect(!context.hasChanges)
            try followers.expect(context)
            #expect(
                followers.changes.takeCalls()
                    == ["will", "insert 0.4", "did", "will", "insert 0.5", "did"])
        }
    }

    @Test func `an observer may insert and save too (§10.3.9)`() throws {
        try store().run { context in
            let followers = try Followers(context)
            let isFirst = Recorder<Bool>()
            let observation = context.observe { [unowned context] in
                guard case .objectsDidChange = $0, isFirst.values.isEmpty else { return }
                isFirst.values.append(true)
                _ = try? context.insertThing("a 6", number: 6)
                try? context.save()
            }
            try context.insertThing("a 5", number: 5)
            context.processPendingChanges()
            try followers.expect(context)
            #expect(
                followers.changes.takeCalls()
                    == ["will", "insert 0.4", "did", "will", "insert 0.5", "did"])
            observation.cancel()
        }
    }

    @Test func `a fetch within will-change has the changes already (§10.3.10)`() throws {
        try store().run { context in
            let mirror = ChangeMirror()
            let controller = try context.followed(by: mirror, sections: false)
            mirror.onWillChange = {
                try? controller.performFetch()
                mirror.restart(controller)
            }
            try context.insertThing("a 5", number: 5)
            context.processPendingChanges()
            #expect(mirror.takeCalls() == ["will", "did"])
            #expect(controller.count == 5 && controller.text == ": 0 3 1 2 5")
            mirror.onWillChange = {}

            try context.insertThing("a 0", number: 6)
            context.processPendingChanges()
            #expect(mirror.takeCalls() == ["will", "insert 0.0", "did"])
            #expect(controller.text == ": 6 0 3 1 2 5" && mirror.contradictions.isEmpty)
        }
    }
}
