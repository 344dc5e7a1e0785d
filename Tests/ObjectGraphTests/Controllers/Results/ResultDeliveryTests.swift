import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Delegates of results controllers (§10.3)` {
    private func store() throws -> StoreFixture {
        let store = try ResultScript.fixture(inMemory: true)
        try store.saveThings("a 1", "a 2", "a 3", "b 1")
        return store
    }

    @Test func `sections come before objects, and the content is new from then on (§10.3.2)`()
        throws
    {
        try store().run { context in
            let mirror = ChangeMirror()
            let controller = try context.followed(by: mirror)
            let contents = Recorder<String>()
            let things = try context.things()
            mirror.onWillChange = { contents.values.append(controller.text) }
            mirror.onDidChange = { contents.values.append(controller.text) }
            try context.insertThing("c 1", number: 4)
            context.delete(things[3])
            context.delete(things[0])
            context.processPendingChanges()
            #expect(contents.values == ["a: 0 1 2, b: 3", "a: 1 2, c: 4"])
            #expect(
                mirror.takeCalls() == [
                    "will", "section 'b' 0 delete(at: 1)", "section 'c' 1 insert(at: 1)",
                    "delete 0.0", "delete 1.0", "insert 1.0", "did",
                ])
            #expect(mirror.contradictions.isEmpty)
            (mirror.onWillChange, mirror.onDidChange) = ({}, {})
        }
    }

    @Test func `a delete, two updates, a move and two inserts are six calls (§10.3.3)`() throws {
        try store().run { context in
            let mirror = ChangeMirror()
            let controller = try context.followed(by: mirror, sections: false)
            let things = try context.things()
            context.delete(things[0])
            try things[1].setValue("x", forKey: "note")
            try things[3].setValue("x", forKey: "note")
            try things[2].setValue(-1, forKey: "rank")
            try context.insertThing("a 7", number: 5)
            try context.insertThing("a 8", number: 6)
            try context.save()
            withExtendedLifetime(controller) {
                #expect(
                    mirror.takeCalls() == [
                        "will", "delete 0.0", "insert 0.3", "insert 0.4", "move 0.3 → 0.0",
                        "update 0.1 → 0.1", "update 0.2 → 0.2", "did",
                    ])
            }
        }
    }

    @Test func `a save reports again only what has another identifier (§10.3.4)`() throws {
        try store().run { context in
            let (changes, snapshots, differences) = (
                ChangeMirror(), SnapshotMirror(), DifferenceMirror()
            )
            let controllers = [
                try context.followed(by: changes, sections: false),
                try context.followed(by: snapshots, sections: false),
                try context.followed(by: differences, sections: false),
            ]
            try context.insertThing("a 0", number: 4)
            context.processPendingChanges()
            let counts = [changes.takeCalls().count, snapshots.snapshots.count]
            #expect(counts == [3, 2] && differences.differences.count == 1)
            try context.save()
            #expect(changes.takeCalls().isEmpty)
            #expect(snapshots.snapshots.count == 3 && differences.differences.count == 2)
            #expect(differences.content == controllers[0].snapshot?.mirrored)
            #expect(!differences.ids.contains { $0.isTemporaryID })
            try context.thing(0).setValue("x", forKey: "note")
            context.processPendingChanges()
            try context.save()
            withExtendedLifetime(controllers) {
                #expect(changes.takeCalls().count == 3 && snapshots.snapshots.count == 4)
            }
        }
    }

    @Test func `performFetch delivers a snapshot and nothing else (§10.3.5)`() throws {
        try store().run { context in
            let (changes, snapshots, differences) = (
                ChangeMirror(), SnapshotMirror(), DifferenceMirror()
            )
            for controller in [
                try context.followed(by: changes, sections: false),
                try context.followed(by: snapshots, sections: false),
                try context.followed(by: differences, sections: false),
            ] { try controller.performFetch() }
            #expect(changes.takeCalls().isEmpty && differences.differences.isEmpty)
            #expect(snapshots.snapshots.count == 2)
        }
    }

    @Test func `a snapshot names what is to be reloaded (§10.3.6)`() throws {
        try store().run { context in
            let mirror = SnapshotMirror()
            let controller = try context.followed(by: mirror)
            let things = try (0...3).map { try context.thing($0) }
            try things[0].setValue("x", forKey: "note")
            try things[1].setValue(9, forKey: "rank")
            context.delete(things[3])
            context.processPendingChanges()
            let snapshot = try #require(mirror.snapshots.last)
            #expect(snapshot.sections.map(\.name) == ["a"])
            #expect(snapshot.objectIDs == [things[0], things[2], things[1]].map(\.objectID))
            #expect(snapshot.reloadedObjectIDs == [things[0].objectID, things[1].objectID])
            #expect(controller.snapshot?.sections == snapshot.sections)
        }
    }

    @Test func `differences have moves, and updates make none (§10.3.7)`() throws {
        try store().run { context in
            let mirror = DifferenceMirror()
            let controller = try context.followed(by: mirror, sections: false)
            try context.thing(0).setValue("x", forKey: "note")
            context.processPendingChanges()
            #expect(mirror.differences.count == 1 && mirror.differences[0].isEmpty)
            try context.thing(0).setValue(9, forKey: "rank")
            context.processPendingChanges()
            let removal = try #require(mirror.differences[1].removals.first)
            guard case .remove(0, _, 3) = removal else {
                Issue.record("\(removal)")
                return
            }
            withExtendedLifetime(controller) { #expect(mirror.differences.count == 2) }
        }
    }

    @Test func `snapshots are an asynchronous sequence too (§10.3.8)`() async throws {
        let store = try store()
        let controller = try store.run { try $0.controller() }
        var snapshots = controller.snapshots.makeAsyncIterator()
        try store.run { context in
            try controller.performFetch()
            try context.insertThing("c 1", number: 4)
            context.processPendingChanges()
        }
        #expect(await snapshots.next()?.sections.map(\.name) == ["a", "b"])
        #expect(await snapshots.next()?.sections.map(\.name) == ["a", "b", "c"])
    }

    @Test func `an event that a delegate causes waits until it has seen the first (§10.3.9)`()
        throws
    {
        try store().run { context in
            let mirror = ChangeMirror()
            let controller = try context.followed(by: mirror, sections: false)
            mirror.onDidChange = {
                mirror.onDidChange = {}
                _ = try? context.insertThing("a 6", number: 6)
                context.processPendingChanges()
            }
            try context.insertThing("a 5", number: 5)
            context.processPendingChanges()
            #expect(
                mirror.takeCalls() == ["will", "insert 0.4", "did", "will", "insert 0.5", "did"])
            #expect(controller.count == 6 && mirror.contradictions.isEmpty)
        }
    }
}
