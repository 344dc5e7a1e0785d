import ObjectGraph
import TestSupport
import Testing

/// The process stops when a context or an object is used off its queue, so each test runs in its
/// own process.
@Suite struct `ConcurrencyDebug (§4.8)` {
    @Test func `a context off its queue stops the process (§4.1.2, §4.8.1, §12.9)`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let fixture = try ContextFixture.checked()
            let context = ManagedObjectContext(
                .privateQueue, coordinator: fixture.coordinator, name: "import")
            _ = try context.count(for: FetchRequest(entityName: "Author"))
        }
        let message = result.message
        for part in ["context 'import'", "private queue 'import'", "outside", "perform"] {
            #expect(message.contains(part), "\(message)")
        }
    }

    @Test func `a property of an object off its queue stops the process (§4.8.2)`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let fixture = try ContextFixture.checked()
            let (own, other) = (
                ManagedObjectContext(
                    .privateQueue, coordinator: fixture.coordinator, name: "own"),
                ManagedObjectContext(
                    .privateQueue, coordinator: fixture.coordinator, name: "other")
            )
            let escaped = Recorder<ObjectBox>()
            own.performAndWait {
                let author = TestSupport.Author(context: own)
                author.name = "Lem"
                escaped.values.append(ObjectBox(object: author))
            }
            other.performAndWait { _ = (escaped.values[0].object as! TestSupport.Author).name }
        }
        let message = result.message
        for part in ["context 'own'", "on the queue 'other'", "objectID"] {
            #expect(message.contains(part), "\(message)")
        }
    }

    @Test func `an object that was made without a context is checked like others (§4.8.2)`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let fixture = try ContextFixture.checked()
            let context = fixture.context()
            // Used off its queue on purpose.
            nonisolated(unsafe) let author = try TestSupport.Author(
                entityName: "Author", model: fixture.coordinator.model)
            context.performAndWait { context.insert(author) }
            _ = author.birthYear
        }
        #expect(result.message.contains("outside"), "\(result.message)")
    }

    @Test func `so does a batch of a result that is read off the queue (§3.9.5)`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let fixture = try ContextFixture.checked()
            try fixture.saveAuthor("Lem")
            let context = ManagedObjectContext(
                .privateQueue, coordinator: fixture.coordinator, name: "list")
            let escaped = Recorder<ResultBox>()
            try context.performAndWait {
                var request = FetchRequest(entityName: "Author")
                request.fetchBatchSize = 1
                escaped.values.append(
                    ResultBox(result: try context.fetch(request, as: TestSupport.Author.self)))
            }
            _ = escaped.values[0].result[0]
        }
        let message = result.message
        #expect(message.contains("context 'list'"), "\(message)")
    }

    @Test func `on the queue all is well (§4.8.1)`() throws {
        let fixture = try ContextFixture.checked()
        let parent = fixture.context()
        let child = fixture.child(of: parent)
        try child.performAndWait {
            TestSupport.Author(context: child).name = "Lem"
            try child.save()
            try parent.performAndWait { try parent.save() }
            #expect(try TestSupport.Author.all(in: child).map(\.name) == ["Lem"])
        }
    }
}

struct ResultBox: @unchecked Sendable {
    // @unchecked Sendable: as `ObjectBox`.
    let result: FetchedObjects<TestSupport.Author>
}

extension ContextFixture {
    static func checked() throws -> ContextFixture {
        var options = DebugOptions()
        options.checksQueues = true
        options.log = { _ in }
        return try ContextFixture(debug: options)
    }
}
