import Synchronization

/// Remembers the thread that holds a resource, to stop it before it waits for itself forever, and
/// for traces.
struct Holder: ~Copyable, Sendable {
    private let thread = Atomic<UInt>(0)

    /// The traced use of the resource; 0 if there is none.
    private let use = Atomic<UInt64>(0)

    /// Call this before waiting. User code that runs while the resource is held may ask for it
    /// again.
    func requireAnotherThread() {
        guard thread.load(ordering: .relaxed) == CurrentThread.identity else { return }
        fatalError(
            "The row handler of a batch insert uses the store that it fills, and would deadlock. Fetch what it needs before the batch insert, and save after it."
        )
    }

    /// A wait for the resource, and who holds it.
    struct Wait {
        fileprivate let span = TraceSpan()
        fileprivate var holder: UInt64 = 0
    }

    /// A use of the resource.
    struct Use {
        fileprivate let span = TraceSpan()
        fileprivate var identifier: UInt64 = 0
    }

    @inline(__always)
    func beginWait() -> Wait {
        var wait = Wait()
        if wait.span.isOn { wait.holder = use.load(ordering: .relaxed) }
        return wait
    }

    /// Call this when the resource is held. The wait is reported if another use was under way.
    @inline(__always)
    func enter(after wait: Wait, _ kind: TraceEvent.Kind) -> Use {
        thread.store(CurrentThread.identity, ordering: .relaxed)
        var current = Use()
        if current.span.isOn { begin(&current, after: wait, kind) }
        return current
    }

    @inline(never)
    private func begin(_ current: inout Use, after wait: Wait, _ kind: TraceEvent.Kind) {
        current.identifier = EventTracing.makeIdentifier()
        use.store(current.identifier, ordering: .relaxed)
        if wait.holder != 0 { wait.span.end(kind, cause: wait.holder, before: current.span) }
    }

    /// Call this before giving the resource back.
    @inline(__always)
    func leave(_ current: Use, _ kind: TraceEvent.Kind) {
        thread.store(0, ordering: .relaxed)
        if current.span.isOn { end(current, kind) }
    }

    @inline(never)
    private func end(_ current: Use, _ kind: TraceEvent.Kind) {
        use.store(0, ordering: .relaxed)
        current.span.end(kind, identifier: current.identifier)
    }
}
