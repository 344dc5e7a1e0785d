import Dispatch
import Foundation
import ObjectGraph
import TestSupport
import Testing
import Timeline

/// Each test plants one cause of a stall and looks for it by name.
@Suite(.serialized) struct `A planted cause of a stall is found by its name` {
    /// STACKBENCH_PLANTED_REPEATS=20 repeats more.
    private static let repeats =
        1...(ProcessInfo.processInfo.environment["STACKBENCH_PLANTED_REPEATS"].flatMap { Int($0) }
        ?? 2)

    private func expectCause(
        _ activity: Activity, _ library: TracedLibrary, _ spans: Spans,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let stall = try #require(
            library.worstStall(spans), "no stall of the view", sourceLocation: location)
        // What the block itself does has no other name; a debug build does it slowly.
        let first = try #require(
            stall.shares.first { $0.activity != .ranBlock(of: library.viewName) },
            sourceLocation: location)
        #expect(
            first.activity == activity,
            "\(stall.shares.map { ($0.activity.text, $0.nanoseconds) })",
            sourceLocation: location)
    }

    @Test(arguments: repeats) func `a slow handler of merges`(_: Int) throws {
        let library = try TracedLibrary()
        library.view.performAndWait { library.view.automaticallyMergesChangesFromParent = true }
        let observation = library.view.observe { notification in
            if case .didMerge = notification { Thread.sleep(forTimeInterval: 0.03) }
        }
        let spans = try library.trace { try library.saveAuthors(3) }
        withExtendedLifetime(observation) {}
        try expectCause(.ranObservers(of: "didMerge"), library, spans)
    }

    @Test(arguments: repeats) func `a lock that a reader holds`(_: Int) throws {
        let library = try TracedLibrary(lockPolicy: .serialized)
        try library.saveAuthors(1)
        let isHeld = DispatchSemaphore(value: 0)
        let spans = try library.trace {
            library.worker.perform {
                let request = BatchInsertRequest(entityName: "Author") { _ in
                    isHeld.signal()
                    Thread.sleep(forTimeInterval: 0.05)
                    return true
                }
                _ = try? library.worker.execute(request)
            }
            isHeld.wait()
            try library.view.performAndWait {
                _ = try library.view.count(for: FetchRequest(entityName: "Author"))
            }
        }
        try expectCause(.waitedForCoordinator, library, spans)
        let wait = try #require(
            spans.all.first { $0.event.kind == .waitForCoordinator && $0.lane == .mainQueue })
        #expect(spans.span(of: wait.event.cause)?.event.kind == .holdCoordinator)
    }

    @Test(arguments: repeats) func `a statement without an index`(_: Int) throws {
        let library = try TracedLibrary()
        try library.saveAuthors(30_000)
        // Ten folded searches of each row outlast what a busy machine takes from the block around.
        let format = (0..<10).map { "name CONTAINS[cd] 'zz\($0)'" }.joined(separator: " OR ")
        let predicate = try ObjectPredicate(format)
        let spans = try library.trace {
            try library.view.performAndWait {
                _ = try library.view.count(
                    for: FetchRequest(entityName: "Author", predicate: predicate))
            }
        }
        let stall = try #require(library.worstStall(spans))
        guard case .ranStatement(let sql) = stall.shares.first?.activity else {
            Issue.record("\(stall.shares.map(\.activity.text))")
            return
        }
        #expect(sql.contains("ZAUTHOR"))
    }

    @Test(arguments: repeats) func `a queue that another context keeps busy`(_: Int) throws {
        let library = try TracedLibrary()
        let isInside = DispatchSemaphore(value: 0)
        let spans = library.trace {
            library.worker.perform {
                isInside.signal()
                Thread.sleep(forTimeInterval: 0.05)
            }
            isInside.wait()
            library.view.performAndWait { library.worker.performAndWait {} }
        }
        try expectCause(.waitedForQueue(of: library.workerName), library, spans)
        let wait = try #require(
            spans.all.first {
                $0.event.kind == .waitForQueue && $0.event.track.text == library.workerName
                    && $0.lane == .mainQueue
            })
        #expect(spans.span(of: wait.event.cause)?.event.kind == .block)
    }

    @Test(arguments: repeats) func `many faults`(_: Int) throws {
        let library = try TracedLibrary()
        try library.saveAuthors(3_000)
        let view = library.view
        let ids = try view.performAndWait {
            var request = FetchRequest(entityName: "Author")
            request.includesPropertyValues = false
            return try view.fetchObjectIDs(request)
        }
        view.performAndWait { view.reset() }
        let spans = library.trace {
            view.performAndWait {
                for id in ids { _ = (view.object(with: id) as? Author)?.name }
            }
        }
        try expectCause(.readSingleRows, library, spans)
    }

    @Test(arguments: repeats) func `a controller with a long list`(_: Int) throws {
        let library = try TracedLibrary()
        let view = library.view
        try library.saveAuthors(3_000)
        let delegate = SlowDelegate()
        let controller = try view.performAndWait {
            view.automaticallyMergesChangesFromParent = true
            var request = FetchRequest(entityName: "Author")
            request.sortKeys = [.ascending("name")]
            let controller = FetchedResultsController<Author>(request, in: view)
            controller.delegate = delegate
            try controller.performFetch()
            return Carrier(value: controller)
        }
        let spans = try library.trace { try library.saveAuthors(2_000) }
        withExtendedLifetime((controller, delegate)) {}
        try expectCause(.updatedController(of: "Author"), library, spans)
    }

    @Test(arguments: repeats) func `a checkpoint`(_: Int) throws {
        let writer = try TracedLibrary(pragmas: ["wal_autocheckpoint": "0"])
        try writer.saveAuthors(60_000)
        let library = try TracedLibrary(
            in: writer.folder, pragmas: ["wal_autocheckpoint": "10"])
        let spans = try library.trace {
            try library.view.performAndWait {
                library.insertAuthors(1, in: library.view)
                try library.view.save()
            }
        }
        withExtendedLifetime(writer) {}
        try expectCause(.copiedLog, library, spans)
    }

    @Test(arguments: repeats) func `a child's save`(_: Int) throws {
        let library = try TracedLibrary(isNested: true)
        let spans = try library.trace { try library.saveAuthors(5_000) }
        let stall = try #require(library.worstStall(spans))
        #expect(stall.shares.first?.activity == .tookFromChild)
        #expect(stall.origin?.event.kind == .save)
        #expect(stall.origin?.event.track.text == library.workerName)
    }
}

/// Spends time for each event, as a table view does.
private final class SlowDelegate: FetchedResultsSnapshotDelegate, Sendable {
    func controller(
        _ controller: FetchedResultsController<Author>,
        didChangeContentWith snapshot: FetchedResultsSnapshot
    ) {
        Thread.sleep(forTimeInterval: 0.05)
    }
}

/// Carries a controller out of the main queue, which alone uses it.
private struct Carrier: @unchecked Sendable {
    // @unchecked Sendable: only kept alive.
    let value: AnyObject
}
