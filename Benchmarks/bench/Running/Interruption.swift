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
        // Whoever started us may have blocked them, as threads of a pool do.
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM] {
            sigaddset(&signals, number)
            signal(number) { _ in Interruption.flag.store(true, ordering: .relaxed) }
        }
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        // A worker that dies while its job is written must not take us along.
        signal(SIGPIPE, SIG_IGN)
    }
}
