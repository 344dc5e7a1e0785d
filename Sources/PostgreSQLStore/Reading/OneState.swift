#if PostgreSQL
import ObjectGraph
import Synchronization

/// The transactions in which threads read one state of a store several times.
final class OneState: Sendable {
    // Right to send: only the thread under whose name it is kept takes it out.
    private struct Kept: @unchecked Sendable {
        let transaction: ReadTransaction
    }

    private let kept = Mutex<[UInt: Kept]>([:])

    /// The transaction of this thread, if it has one.
    var transaction: ReadTransaction? {
        kept.withLock { $0[CurrentThread.identity] }?.transaction
    }

    /// Runs the body on this thread, whose reads use the transaction.
    func lending(_ transaction: ReadTransaction, _ body: () throws -> Void) rethrows {
        let thread = CurrentThread.identity
        let own = Kept(transaction: transaction)
        kept.withLock { $0[thread] = own }
        defer { kept.withLock { $0[thread] = nil } }
        try body()
    }
}
#endif
