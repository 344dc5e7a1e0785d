import Foundation
import Synchronization

/// How many times this process has come out of `fork`.
///
/// Elsewhere: the same on Apple's systems; always 0 where there is no `fork`.
///
/// SQLite's connections must not be used on the other side of a fork: the child has the descriptors
/// but not the locks, and both would give the same primary keys
/// (https://www.sqlite.org/howtocorrupt.html, section 2.6).
enum ForkCount {
    private static let count = Atomic<Int>(0)

    private static let isCounting: Bool = {
        pthread_atfork(nil, nil) { count.add(1, ordering: .relaxed) }
        return true
    }()

    /// The present count, which changes from now on.
    static func startCounting() -> Int {
        _ = isCounting
        return current
    }

    static var current: Int { count.load(ordering: .relaxed) }
}
