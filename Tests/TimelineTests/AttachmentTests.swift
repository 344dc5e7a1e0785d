import Dispatch
import ObjectGraph
import TestSupport
import Testing
import Timeline

/// Each in a process of its own, where no tracer of another test is attached.
@Suite struct `A tracer comes and goes while the engine works` {
    @Test func `a tracer that leaves during a wait for a queue`() async {
        await #expect(processExitsWith: .success) {
            try TracedLibrary().leaveDuringWaitForQueue()
        }
    }

    @Test func `a tracer that leaves during a wait for the coordinator`() async {
        await #expect(processExitsWith: .success) {
            try TracedLibrary(lockPolicy: .serialized).leaveDuringWaitForCoordinator()
        }
    }

    @Test func `tracers that come and go beside saves`() async {
        await #expect(processExitsWith: .success) {
            try TracedLibrary(lockPolicy: .serialized).comeAndGoBesideSaves()
        }
    }
}

extension TracedLibrary {
    fileprivate func leaveDuringWaitForQueue() {
        let recorder = TraceRecorder()
        let mayGo = hold(worker) { $0() }
        EventTracing.attach(recorder)
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(100)) {
            EventTracing.detach(recorder)
            mayGo.signal()
        }
        worker.performAndWait {}
    }

    fileprivate func leaveDuringWaitForCoordinator() throws {
        let recorder = TraceRecorder()
        EventTracing.attach(recorder)
        let mayGo = hold(worker) { [worker] wait in
            let request = BatchInsertRequest(entityName: "Author") { _ in
                wait()
                return true
            }
            _ = try? worker.execute(request)
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(100)) {
            EventTracing.detach(recorder)
            mayGo.signal()
        }
        try view.performAndWait { _ = try view.count(for: FetchRequest(entityName: "Author")) }
    }

    fileprivate func comeAndGoBesideSaves() throws {
        view.performAndWait { view.automaticallyMergesChangesFromParent = true }
        let recorder = TraceRecorder()
        let hasEnded = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            for _ in 0..<20_000 {
                EventTracing.attach(recorder)
                EventTracing.detach(recorder)
            }
            hasEnded.signal()
        }
        repeat {
            try saveAuthors(2)
            try view.performAndWait { _ = try view.count(for: FetchRequest(entityName: "Author")) }
        } while hasEnded.wait(timeout: .now()) == .timedOut
    }

    /// Runs the body on a context's queue, and returns when it waits for the signal.
    private func hold(
        _ context: ManagedObjectContext,
        _ body: @escaping @Sendable (_ wait: @escaping @Sendable () -> Void) -> Void
    ) -> DispatchSemaphore {
        let isHeld = DispatchSemaphore(value: 0)
        let mayGo = DispatchSemaphore(value: 0)
        context.perform {
            body {
                isHeld.signal()
                mayGo.wait()
            }
        }
        isHeld.wait()
        return mayGo
    }
}
