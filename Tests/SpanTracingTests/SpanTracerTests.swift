import Dispatch
import Foundation
import InMemoryTracing
import ObjectGraph
import SpanTracing
import TestSupport
import Testing
import Tracing

/// A service with one context, whose spans a tracer keeps in memory.
private final class TracedService: Sendable {
    let folder = TemporaryFolder()
    let context: ManagedObjectContext
    let contextName = "service \(UUID())"
    // Its own identifiers: it sees the blocks of other tests too, with the contexts of their tracers.
    let tracer = InMemoryTracer(
        idGenerator: .init(
            nextTraceID: { UUID().uuidString }, nextSpanID: { UUID().uuidString }))

    init() throws {
        let coordinator = PersistentStoreCoordinator(model: try makeLibraryModel())
        try coordinator.addPersistentStore(.sqlite(at: folder.url("library.sqlite")))
        context = ManagedObjectContext(.privateQueue, coordinator: coordinator, name: contextName)
    }

    /// The spans in the trace of a request that runs the body.
    func spans(
        shortest: Duration = .zero, of body: @Sendable () async throws -> Void
    ) async throws -> [FinishedInMemorySpan] {
        let spanTracer = SpanTracer(tracer, shortest: shortest)
        EventTracing.attach(spanTracer)
        defer { EventTracing.detach(spanTracer) }
        let trace = try await tracer.withSpan("request") { span in
            try await body()
            return span.spanContext.traceID
        }
        return tracer.finishedSpans.filter { $0.spanContext.traceID == trace }
    }

    func insertAuthors(_ count: Int) {
        for number in 0..<count { Author(context: context).name = "Author \(number)" }
    }
}

extension FinishedInMemorySpan {
    fileprivate func attribute(_ name: String) -> SpanAttribute? {
        attributes[name]?.toSpanAttribute()
    }
}

extension [FinishedInMemorySpan] {
    /// The names of the span and of those around it, from the inside.
    fileprivate func path(to span: FinishedInMemorySpan) -> [String] {
        let parents = sequence(first: span) { span in
            first { $0.spanID == span.parentSpanID }
        }
        return parents.map(\.operationName)
    }

    fileprivate func path(toFirst name: String) -> [String] {
        first { $0.operationName == name }.map(path(to:)) ?? []
    }
}

@Suite struct `Spans of a service` {
    private let service: TracedService

    init() throws { service = try TracedService() }

    @Test func `a save is in the trace of the request, and its statements in the save`()
        async throws
    {
        let service = service
        let spans = try await service.spans {
            try await service.context.perform {
                service.insertAuthors(3)
                try service.context.save()
            }
        }
        #expect(
            spans.path(toFirst: "INSERT ZAUTHOR").suffix(4) == [
                "hand up save", "save", "perform", "request",
            ])
        #expect(spans.path(toFirst: "COMMIT").last == "request")
    }

    @Test func `a thread that waits for its block has it in its own trace`() async throws {
        let service = service
        let spans = try await service.spans {
            func fetch() throws {
                try service.context.performAndWait {
                    _ = try service.context.fetch(
                        FetchRequest(entityName: "Author"), as: Author.self)
                }
            }
            try fetch()
        }
        #expect(
            spans.path(toFirst: "SELECT ZAUTHOR").suffix(3) == [
                "fetch Author", "perform", "request",
            ])
    }

    @Test func `a block inside a block is its child`() async throws {
        let service = service
        let other = ManagedObjectContext(
            .privateQueue, coordinator: service.context.coordinator, name: "other")
        let spans = try await service.spans {
            await service.context.perform { other.performAndWait {} }
        }
        let inner = try #require(
            spans.first { $0.attribute("objectgraph.context") == .string("other") })
        #expect(spans.path(to: inner) == ["perform", "perform", "request"])
    }

    @Test func `a span lies within the one around it`() async throws {
        let service = service
        let before = DefaultTracerClock.now.nanosecondsSinceEpoch
        let spans = try await service.spans {
            try await service.context.perform {
                service.insertAuthors(2)
                try service.context.save()
            }
        }
        let after = DefaultTracerClock.now.nanosecondsSinceEpoch
        // The clock may be set a little while the test runs.
        let tolerance: UInt64 = 1_000_000
        #expect(spans.count > 5)
        for span in spans {
            let parent = spans.first { $0.spanID == span.parentSpanID }
            let start = parent?.startInstant.nanosecondsSinceEpoch ?? before
            let end = parent?.endInstant.nanosecondsSinceEpoch ?? after
            #expect(span.startInstant.nanosecondsSinceEpoch + tolerance >= start)
            #expect(span.endInstant.nanosecondsSinceEpoch <= end + tolerance)
        }
    }

    @Test func `a statement has its SQL without values, and its rows`() async throws {
        let service = service
        try await service.context.perform {
            service.insertAuthors(3)
            try service.context.save()
            service.context.reset()
        }
        let spans = try await service.spans {
            try await service.context.perform {
                var request = FetchRequest(entityName: "Author")
                request.predicate = try ObjectPredicate("name >= %@", "Author 1")
                _ = try service.context.fetch(request, as: Author.self)
            }
        }
        let statement = try #require(spans.first { $0.operationName == "SELECT ZAUTHOR" })
        #expect(statement.kind == .client)
        #expect(statement.attribute("db.system.name") == .string("sqlite"))
        #expect(statement.attribute("db.operation.name") == .string("SELECT"))
        #expect(statement.attribute("db.collection.name") == .string("ZAUTHOR"))
        #expect(statement.attribute("db.response.returned_rows") == .int64(2))
        guard case .string(let sql) = statement.attribute("db.query.text")
        else { throw MissingSQL() }
        #expect(sql.contains("FROM ZAUTHOR") && !sql.contains("Author 1"))
    }

    private struct MissingSQL: Error {}

    @Test func `events shorter than a limit are left out`() async throws {
        let service = service
        let spans = try await service.spans(shortest: .seconds(60)) {
            await service.context.perform { service.insertAuthors(1) }
        }
        #expect(spans.map(\.operationName) == ["request"])
    }

    @Test func `a block keeps a limited number of events and says how many it dropped`()
        async throws
    {
        let service = service
        let excess = 7
        let spans = try await service.spans {
            await service.context.perform {
                for _ in 0..<SpanTracer.maximumEventCount + excess {
                    EventTracing.report(
                        TraceEvent(
                            .checkpoint, startNanoseconds: TraceEvent.now, durationNanoseconds: 0))
                }
            }
        }
        let block = try #require(spans.first { $0.operationName == "perform" })
        #expect(block.attribute("objectgraph.dropped_events") == .int64(Int64(excess)))
        #expect(spans.count { $0.operationName == "checkpoint" } == SpanTracer.maximumEventCount)
    }

    @Test func `what a thread did outside of blocks is not in a later request`() async throws {
        let service = service
        let spans = try await service.spans {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    EventTracing.report(
                        TraceEvent(
                            .statement, name: TraceName("SELECT 1 FROM stray"),
                            startNanoseconds: TraceEvent.now, durationNanoseconds: 1))
                    continuation.resume()
                }
            }
            await service.context.perform {}
        }
        #expect(!spans.contains { $0.operationName == "SELECT stray" })
    }

    @Test(
        arguments: [
            ("SELECT COUNT(*) FROM (SELECT 1 FROM ZAUTHOR LIMIT 3)", "SELECT", "ZAUTHOR"),
            ("COPY author (name) FROM STDIN", "COPY", "author"),
            (#"INSERT INTO "order" VALUES (?)"#, "INSERT", "order"),
            ("UPDATE ZAUTHOR SET ZNAME = ?", "UPDATE", "ZAUTHOR"), ("COMMIT", "COMMIT", nil),
        ] as [(String, String, String?)])
    func `a statement is summed up by its verb and its table`(
        _ sql: String, _ operation: String, _ table: String?
    ) {
        let summary = TraceName(sql).statementSummary
        #expect(summary.operation == operation && summary.table == table)
    }

    @Test func `a block outside of a request begins a trace of its own`() async throws {
        let service = service
        let spanTracer = SpanTracer(service.tracer)
        EventTracing.attach(spanTracer)
        await service.context.perform {}
        EventTracing.detach(spanTracer)
        let block = try #require(
            service.tracer.finishedSpans.first {
                $0.attribute("objectgraph.context") == .string(service.contextName)
            })
        #expect(block.parentSpanID == nil)
    }
}
