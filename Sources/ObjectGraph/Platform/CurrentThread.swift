import Foundation

/// The thread that asks.
///
/// Elsewhere: `pthread_self` is a pointer on Apple's systems, whose bits serve as well.
package enum CurrentThread {
    /// Different for all threads that live at the same time, and never 0.
    package static var identity: UInt { UInt(pthread_self()) }

    /// Whether it is the main thread. The system is asked once a thread, since that takes two calls; a
    /// thread that forks keeps its answer in the child.
    static var isMain: Bool {
        if let known = kind.address { return known == main }
        let isMain = Thread.isMainThread
        kind.address = isMain ? main : other
        return isMain
    }

    private static let kind = ThreadSlot()
    // nonisolated(unsafe): two constants that are compared and never followed.
    private nonisolated(unsafe) static let main = UnsafeMutableRawPointer(bitPattern: 1)
    private nonisolated(unsafe) static let other = UnsafeMutableRawPointer(bitPattern: 2)
}
