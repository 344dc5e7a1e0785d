import Foundation

/// The thread that asks.
///
/// Elsewhere: `pthread_self` is a pointer on Apple's systems, whose bits serve as well.
package enum CurrentThread {
    /// Different for all threads that live at the same time, and never 0.
    package static var identity: UInt { UInt(pthread_self()) }
}
