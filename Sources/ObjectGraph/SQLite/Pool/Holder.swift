import Synchronization

/// Remembers the thread that holds a resource, to stop it before it waits for itself forever.
struct Holder: ~Copyable, Sendable {
    private let thread = Atomic<UInt>(0)

    /// Call this before waiting. User code that runs while the resource is held may ask for it
    /// again.
    func requireAnotherThread() {
        guard thread.load(ordering: .relaxed) == CurrentThread.identity else { return }
        fatalError(
            "The row handler of a batch insert uses the store that it fills, and would deadlock. Fetch what it needs before the batch insert, and save after it."
        )
    }

    func enter() { thread.store(CurrentThread.identity, ordering: .relaxed) }

    func leave() { thread.store(0, ordering: .relaxed) }
}
