import Foundation
import Synchronization

/// Whether the user asked to stop, by SIGINT (Ctrl-C) or SIGTERM.
enum Interruption {
    private static let flag = Atomic<Bool>(false)

    static var isRequested: Bool { flag.load(ordering: .relaxed) }

    /// From now on the signals only raise the flag, and the run ends in order.
    static func install() {
        // Touches the flag, so that the handler never is the one to initialise it.
        flag.store(false, ordering: .relaxed)
        for number in [SIGINT, SIGTERM] {
            signal(number) { _ in Interruption.flag.store(true, ordering: .relaxed) }
        }
        // A worker that dies while its job is written must not take us along.
        signal(SIGPIPE, SIG_IGN)
    }
}
