import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Tracking of results controllers (§10.2)` {
    private func store(_ inMemory: Bool = true) throws -> StoreFixture {
        let store = try ResultScript.fixture(inMemory: inMemory)
        try store.saveThings("a 1", "a 2", "a 3", "b 1")
        return store
    }

    /// The calls for one event, without `will` and `did`.
    private func calls(
        sections: Bool = true, batchSize: Int = 0,
        _ body: (ManagedObjectContext, [ManagedObject]) throws -> Void
    ) throws -> [String] {
        let store = try store()
        return try withoutActuallyEscaping(body) { body in
            let box = Body(body: body)
            return try store.run { context in
                let mirror = ChangeMirror()
                let controller = try context.followed(
                    by: mirror, sections: sections, batchSize: batchSize)
                try box.body(context, context.things())
                context.processPendingChanges()
                return try withExtendedLifetime(controller) {
                    let calls = mirror.takeCalls()
                    try #require(calls.isEmpty || calls.first == "will" && calls.last == "did")
                    return Array(calls.dropFirst().dropLast())
                }
            }
        }
    }

    private struct Body: @unchecked Sendable {
        // @unchecked Sendable: it runs on the thread that made it.
        let body: (ManagedObjectContext, [ManagedObject]) throws -> Void
    }

    @Test func `unsaved changes are reported at the end of the event (§10.2.2, §10.2.5)`() throws {
        #expect(
            try calls { context, _ in try context.insertThing("a 2", number: 9) } == ["insert 0.2"])
        #expect(try calls { $0.delete($1[1]) } == ["delete 0.1"])
        #expect(try calls { try $1[1].setValue(false, forKey: "isShown") } == ["delete 0.1"])
        #expect(try calls { try $1[0].setValue(9, forKey: "rank") } == ["move 0.0 → 0.2"])
        #expect(try calls { try $1[1].setValue("x", forKey: "note") } == ["update 0.1 → 0.1"])
        #expect(
            try calls {
                try $0.insertThing("a 0", number: 9)
                try $1[1].setValue("x", forKey: "note")
            } == ["insert 0.0", "update 0.1 → 0.2"])
    }

    @Test func `without a delegate the content is as it was fetched (§10.2.3)`() throws {
        try store().run { context in
            let controller = try context.controller()
            try controller.performFetch()
            try context.insertThing("c 1", number: 9)
            context.processPendingChanges()
            #expect(controller.text == "a: 0 1 2, b: 3")
            let mirror = ChangeMirror()
            controller.delegate = mirror
            try context.insertThing("d 1", number: 10)
            context.processPendingChanges()
            #expect(mirror.takeCalls().isEmpty && controller.text == "a: 0 1 2, b: 3")
            try controller.performFetch()
            #expect(controller.text == "a: 0 1 2, b: 3, c: 9, d: 10")
        }
    }

    @Test func `what does not concern the list is not reported (§10.2.4)`() throws {
        #expect(
            try calls { context, things in
                try context.insert("Thing", ["isShown": false])
                let brief = try context.insertThing("a 1", number: 9)
                context.delete(brief)
            }.isEmpty)
        #expect(
            try calls { context, things in
                let thing = things[0]
                try thing.setValue(false, forKey: "isShown")
                try thing.setValue(true, forKey: "isShown")
            } == ["update 0.0 → 0.0"])
    }

    @Test func `another section is always a move (§10.2.6)`() throws {
        #expect(
            try calls { try $1[3].setValue("c", forKey: "group") } == [
                "section 'b' 0 delete(at: 1)", "section 'c' 1 insert(at: 1)", "move 1.0 → 1.0",
            ])
        #expect(
            try calls { context, things in
                for number in 1...2 { context.delete(things[number]) }
                try things[0].setValue("new", forKey: "group")
                try things[3].setValue("new", forKey: "group")
            } == [
                "section 'a' 0 delete(at: 0)", "section 'b' 0 delete(at: 1)",
                "section 'new' 2 insert(at: 0)", "delete 0.1", "delete 0.2", "move 0.0 → 0.0",
                "move 1.0 → 0.1",
            ])
    }

    @Test(arguments: [0, 2])
    func `moves are few, and none without changed sort values (§10.2.7)`(_ batchSize: Int) throws {
        // Two neighbours change places: one of them is enough.
        #expect(
            try calls(batchSize: batchSize) { context, things in
                try things[0].setValue(2, forKey: "rank")
                try things[1].setValue(1, forKey: "rank")
            }.sorted() == ["move 0.1 → 0.0", "update 0.0 → 0.1"])
        // An order that is kept is no move.
        #expect(
            try calls(batchSize: batchSize) { context, things in
                for number in 0...2 {
                    try things[number].setValue(number + 5, forKey: "rank")
                }
            } == ["update 0.0 → 0.0", "update 0.1 → 0.1", "update 0.2 → 0.2"])
    }

    @Test func `an object with the same sort values is updated where others move (§10.2.7)`() throws
    {
        #expect(
            try calls { context, things in
                try things[0].setValue("x", forKey: "note")
                try things[1].setValue(0, forKey: "rank")
                try things[2].setValue(-1, forKey: "rank")
            } == ["move 0.1 → 0.1", "move 0.2 → 0.0", "update 0.0 → 0.2"])
    }

    @Test(arguments: [0, 2])
    func `merges are followed, also of objects that are not registered (§10.2.8)`(
        _ batchSize: Int
    ) throws {
        let store = try store(false)
        let other = store.makeContext()
        let ids = try other.performAndWait {
            try other.thing(2).setValue(false, forKey: "isShown")
            try other.save()
            return try (0...3).map { try other.thing($0).objectID }
        }
        let view = store.makeContext()
        try view.performAndWait {
            let mirror = ChangeMirror()
            let controller = try view.followed(by: mirror, batchSize: batchSize)
            #expect(controller.text == "a: 0 1, b: 3")
            let saved = Recorder<ObjectChanges>()
            let observation = other.observe {
                if case .didSave(let changes) = $0 { saved.values.append(changes) }
            }
            try other.performAndWait {
                try (other.object(with: ids[2])).setValue(true, forKey: "isShown")
                try (other.object(with: ids[0])).setValue(7, forKey: "rank")
                other.delete(other.object(with: ids[3]))
                try other.insertThing("c 1", number: 4)
                try other.save()
            }
            observation.cancel()
            view.mergeChanges(saved.values[0])
            #expect(
                mirror.takeCalls() == [
                    "will", "section 'b' 0 delete(at: 1)", "section 'c' 1 insert(at: 1)",
                    "delete 1.0", "insert 0.1", "insert 1.0", "move 0.0 → 0.2", "did",
                ])
            #expect(controller.text == "a: 1 2 0, c: 4")
        }
    }

    @Test func `batch requests are seen once they are merged (§10.2.9)`() throws {
        let store = try store(false)
        try store.run { context in
            let mirror = ChangeMirror()
            let controller = try context.followed(by: mirror)
            let request = BatchUpdateRequest(
                entityName: "Thing", predicate: try ObjectPredicate("number == 0"),
                propertiesToUpdate: ["rank": .constant(9)])
            try context.execute(request)
            #expect(mirror.takeCalls().isEmpty)
            try context.execute(request, mergingInto: [context])
            #expect(mirror.takeCalls() == ["will", "move 0.0 → 0.2", "did"])
            #expect(controller.text == "a: 1 2 0, b: 3")
        }
    }

    @Test func `a reset empties the content until performFetch (§10.2.10)`() throws {
        try store().run { context in
            let mirror = ChangeMirror()
            let controller = try context.followed(by: mirror)
            context.reset()
            #expect(mirror.takeCalls().isEmpty)
            #expect(controller.sections == nil && controller.count == 0)
            try controller.performFetch()
            #expect(controller.text == "a: 0 1 2, b: 3")
        }
    }

    @Test func `an event that breaks the sections is reported as an error (§10.2.11)`() throws {
        try store().run { context in
            let mirror = ChangeMirror()
            let controller = try context.controller()
            controller.fetchRequest.sortKeys = [.ascending("number")]
            controller.delegate = mirror
            try controller.performFetch()
            mirror.restart(controller)
            try context.thing(1).setValue("b", forKey: "group")
            context.processPendingChanges()
            #expect(mirror.errors.count == 1)
            guard case .outOfOrderSection? = mirror.errors.first as? FetchedResultsError else {
                Issue.record("\(mirror.errors)")
                return
            }
            #expect(controller.sections == nil)
        }
    }

    @Test func `a section stays only between its neighbours (§10.2.11)`() throws {
        let store = try ResultScript.fixture(inMemory: true)
        try store.saveThings("a 1", "a 3", "b 6")
        try store.run { context in
            let mirror = ChangeMirror()
            let controller = try context.controller()
            controller.fetchRequest.sortKeys = [.ascending("rank")]
            controller.delegate = mirror
            try controller.performFetch()
            mirror.restart(controller)
            let things = try context.things()
            // Keeps its place and its section, but an object of another section comes before it.
            try things[1].setValue(4, forKey: "rank")
            try context.insertThing("n 2", number: 3)
            context.processPendingChanges()
            #expect(
                mirror.errors.first as? FetchedResultsError
                    == .outOfOrderSection(
                        name: "a", first: things[0].objectID, second: things[1].objectID))
            #expect(controller.sections == nil)
        }
    }

    @Test func `an event reads about log n statements of a batched list (§10.2.12)`() throws {
        let store = try ResultScript.fixture(inMemory: false)
        try store.run { context in
            for number in 0..<2_000 { try context.insertThing("a \(number)", number: number) }
            try context.save()
        }
        let view = store.makeContext()
        try view.performAndWait {
            let mirror = DifferenceMirror()
            let controller = try view.controller(sections: false, batchSize: 20)
            controller.delegate = mirror
            try controller.performFetch()
            mirror.restart(controller)
            let things = try (0..<100).map { try view.thing($0 * 20) }
            let statements = try store.statements {
                for (index, thing) in things.enumerated() {
                    try thing.setValue((index * 7919) % 2_000, forKey: "rank")
                }
                view.processPendingChanges()
            }
            #expect(statements <= 13, "2,000 objects need 11 steps, and one for neighbours.")
            #expect(view.registeredObjects.count < 1_500)
        }
    }
}
