import Foundation
import Synchronization

/// Knows the thread that has something for itself, to stop it where it would wait for itself for ever.
struct Holder: ~Copyable, Sendable {
    private let thread = Atomic<UInt>(0)

    static var currentThread: UInt { UInt(pthread_self()) }

    /// Before waiting for it: code of the caller's that is called while it is held may ask for it again.
    func requireAnotherThread() {
        guard thread.load(ordering: .relaxed) == Self.currentThread else { return }
        fatalError(
            "The row handler of a batch insert uses the store that it fills, and would wait for itself for ever. Fetch what it needs before the batch insert, and save after it."
        )
    }

    func enter() { thread.store(Self.currentThread, ordering: .relaxed) }

    func leave() { thread.store(0, ordering: .relaxed) }
}
