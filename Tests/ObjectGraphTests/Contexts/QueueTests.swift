import Dispatch
import Foundation
import ObjectGraph
import Synchronization
import TestSupport
import Testing

@Suite struct `Queues of contexts (§4.1)` {
    let fixture: ContextFixture
    let context: ManagedObjectContext

    init() throws {
        fixture = try ContextFixture()
        context = fixture.context()
    }

    @Test func `a context is bound to the main queue or to one of its own (§4.1.1)`() async throws {
        let main = ManagedObjectContext(.mainQueue, coordinator: fixture.coordinator)
        #expect(context.concurrencyType == .privateQueue && main.concurrencyType == .mainQueue)
        await main.perform { dispatchPrecondition(condition: .onQueue(.main)) }
        await context.perform { dispatchPrecondition(condition: .notOnQueue(.main)) }
    }

    @Test func `perform is always enqueued, and ends in an event (§4.1.3, §14.19)`() async throws {
        let order = Mutex<[String]>([])
        let observation = context.observe { notification in
            if case .objectsDidChange = notification { order.withLock { $0.append("event") } }
        }
        await context.perform {
            context.perform {
                TestSupport.Author(context: context).name = "Lem"
                order.withLock { $0.append("block") }
            }
            order.withLock { $0.append("caller") }
        }
        await context.perform(schedule: .enqueued) {}
        observation.cancel()
        #expect(order.withLock { $0 } == ["caller", "block", "event"])
    }

    @Test
    func `performAndWait runs on the caller's thread, nests and ends no event (§4.1.4, §14.19)`() {
        let posted = Recorder<ContextNotification>()
        let observation = context.observe { posted.values.append($0) }
        let thread = ObjectIdentifier(Thread.current)
        context.performAndWait {
            #expect(ObjectIdentifier(Thread.current) == thread)
            context.performAndWait { TestSupport.Author(context: context).name = "Lem" }
        }
        #expect(posted.values.isEmpty)
        context.performAndWait { context.processPendingChanges() }
        #expect(posted.values.count == 1)
        observation.cancel()
    }

    @Test func `performAndWait returns and rethrows (§4.1.7)`() {
        struct Failure: Error {}
        #expect(context.performAndWait { 5 } == 5)
        #expect(throws: Failure.self) { try context.performAndWait { throw Failure() } }
    }

    @Test func `an asynchronous perform returns and rethrows (§4.1.5, §4.1.6)`() async throws {
        struct Failure: Error {}
        #expect(await context.perform { 5 } == 5)
        #expect(await context.perform(schedule: .enqueued) { 6 } == 6)
        await #expect(throws: Failure.self) { try await context.perform { throw Failure() } }
    }

    @Test func `readers and a writer on several queues make no race (§4.1.10)`() async throws {
        let fixture = fixture
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask {
                    let context = fixture.context(.mergeByPropertyObjectTrump)
                    context.automaticallyMergesChangesFromParent = number == 0
                    for round in 0..<10 {
                        try await context.perform {
                            TestSupport.Author(context: context).name = "\(number) \(round)"
                            try context.save()
                            _ = try TestSupport.Author.all(in: context).map(\.name)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try fixture.storedAuthors().count == 40)
    }
}
