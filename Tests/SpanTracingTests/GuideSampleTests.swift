import InMemoryTracing
import ObjectGraph
import SpanTracing
import TestSupport
import Testing
import Tracing

/// The sample of Documentation/ObjectGraph.md.
@Suite struct `Guide to the traces of a server` {
    /// In a process of its own, because an instrumentation is chosen once in a process.
    @Test func `a save is inside the span of its request`() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let coordinator = PersistentStoreCoordinator(model: try makeLibraryModel())
            try coordinator.addPersistentStore(.sqlite(at: folder.url("library.sqlite")))
            let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
            let tracer = InMemoryTracer()

            InstrumentationSystem.bootstrap(tracer)
            EventTracing.attach(SpanTracer())

            try await withSpan("import") { _ in
                try await context.perform {
                    Author(context: context).name = "Ada"
                    try context.save()
                }
            }

            let spans = tracer.finishedSpans
            let request = try #require(spans.first { $0.operationName == "import" })
            let save = try #require(spans.first { $0.operationName == "save" })
            #expect(save.spanContext.traceID == request.spanContext.traceID)
        }
    }
}
