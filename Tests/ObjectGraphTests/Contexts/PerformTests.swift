import ObjectGraph
import TestSupport
import Testing

/// What goes into `perform` and `performAndWait`, and what comes out. That this file compiles is a
/// part of the test.
@Suite struct `Blocks of perform (§4.1.12, §4.1.13)` {
    private struct Failure: Error, Equatable { let number: Int }

    let fixture: ContextFixture
    let context: ManagedObjectContext

    init() throws {
        fixture = try ContextFixture()
        context = fixture.context()
        try fixture.saveAuthor("Lem")
    }

    @Test func `a block that throws nothing needs no try (§4.1.12)`() async throws {
        let context = context
        #expect(await context.perform { context.registeredObjects.count } == 0)
        #expect(await context.perform(schedule: .enqueued) { 6 } == 6)
        #expect(context.performAndWait { 5 } == 5)
        await context.perform {}
        let container = PersistentContainer(
            name: "x", model: fixture.coordinator.model, folder: TemporaryFolder().url)
        #expect(await container.performBackgroundTask { $0.hasChanges } == false)
    }

    @Test(arguments: PerformSchedule.allForTests)
    func `a type that the block names is the type of its error (§4.1.12)`(
        _ schedule: PerformSchedule
    ) async throws {
        do {
            try await context.perform(schedule: schedule) { () throws(Failure) in
                throw Failure(number: 1)
            }
        } catch {
            #expect(error == Failure(number: 1))
        }
        do {
            try context.performAndWait { () throws(Failure) in throw Failure(number: 2) }
        } catch {
            #expect(error == Failure(number: 2))
        }
        let container = PersistentContainer(
            name: "x", model: fixture.coordinator.model, folder: TemporaryFolder().url)
        do {
            try await container.performBackgroundTask { _ throws(Failure) in
                throw Failure(number: 3)
            }
        } catch {
            #expect(error == Failure(number: 3))
        }
    }

    /// Passes on only what its own block throws.
    private func read<Result: Sendable>(
        _ block: @Sendable (ManagedObjectContext) throws -> Result
    ) rethrows -> Result {
        try context.performAndWait { try block(context) }
    }

    @Test func `a function around it may rethrow (§4.1.12)`() {
        #expect(read { $0.registeredObjects.count } == 0)
        #expect(throws: Failure(number: 4)) { try read { _ in throw Failure(number: 4) } }
    }

    @Test func `a variable goes into the block by a capture list (§4.1.12)`() async throws {
        let context = context
        var request = TestSupport.Author.fetchRequest()
        request.sortKeys = [.ascending("name")]
        let names = try await context.perform { [request] in
            try context.fetch(request).map(\.name)
        }
        #expect(names == ["Lem"])
        request.fetchOffset = 1
        let count = try context.performAndWait { [request] in try context.count(for: request) }
        #expect(count == 0)
    }

    @MainActor @Test func `a block of the main actor leaves it (§4.1.12)`() async throws {
        let context = context
        let request = FetchRequest(entityName: "Author")
        #expect(try await context.perform { try context.count(for: request) } == 1)
        #expect(context.performAndWait { context.registeredObjects.isEmpty })
    }

    private func enqueue(_ recorder: Recorder<Int>) {
        context.perform { recorder.values.append(1) }
        recorder.values.append(2)
    }

    @Test func `a synchronous function goes on, an asynchronous one waits (§4.1.13)`() async {
        let recorder = Recorder<Int>()
        await context.perform { recorder.values.append(0) }
        #expect(recorder.values == [0])
        context.performAndWait { enqueue(recorder) }
        await context.perform(schedule: .enqueued) { recorder.values.append(3) }
        #expect(recorder.values == [0, 2, 1, 3])
    }
}

extension PerformSchedule {
    fileprivate static let allForTests: [PerformSchedule] = [.immediate, .enqueued]
}
