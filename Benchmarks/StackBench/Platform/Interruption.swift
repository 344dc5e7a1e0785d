import Foundation
import Synchronization

/// Whether the user asked to stop with SIGINT (Ctrl-C) or SIGTERM.
enum Interruption {
    private static let flag = Atomic<Bool>(false)

    static var isRequested: Bool { flag.load(ordering: .relaxed) }

    /// Makes the signals only set the flag, so that the run ends in order.
    static func install() {
        // Initialises the flag here, so that the signal handler never has to.
        flag.store(false, ordering: .relaxed)
        // The parent process may have blocked the signals, as pools of threads do.
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM] {
            sigaddset(&signals, number)
            signal(number) { _ in Interruption.flag.store(true, ordering: .relaxed) }
        }
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        // Without this, a worker that dies while its job is written would end this process.
        signal(SIGPIPE, SIG_IGN)
    }
}
