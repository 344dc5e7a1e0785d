#if PostgreSQL
import Foundation
import ObjectGraph

extension PostgreSQLStore {
    /// Runs the body in one transaction. Writes nothing if it throws.
    ///
    /// - Parameters:
    ///   - isRepeatable: Asked after a failure, whether the body can run again. It does, a few times, if the server has
    ///     chosen the transaction to end a deadlock, and once if the connection was lost and nothing
    ///     was written; but not after `beforeCommit`.
    ///   - beforeCommit: Called after the body and before the commit, once.
    /// - Throws: The errors of the body and of `beforeCommit`; `PostgreSQLError`.
    func writeTransaction<T>(
        isRepeatable: @autoclosure () -> Bool = true, beforeCommit: (() throws -> Void)? = nil,
        _ body: (WriteTransaction) throws -> T
    ) throws -> T {
        try requireWritable()
        var retries = WriteRetries()
        var isCommitting = false
        while true {
            do {
                return try writeOnce(body) {
                    guard let beforeCommit else { return }
                    isCommitting = true
                    try beforeCommit()
                }
            } catch let error as PostgreSQLError
                where !isCommitting && isRepeatable() && retries.allowAnother(after: error)
            {
                retries.pause()
            }
        }
    }

    private func writeOnce<T>(
        _ body: (WriteTransaction) throws -> T, beforeCommit: () throws -> Void
    ) throws -> T {
        var result: T?
        do {
            try mapping {
                try pool.write { link in
                    let transaction = WriteTransaction(link)
                    do {
                        result = try body(transaction)
                        try beforeCommit()
                        try transaction.commit(notifying: notification)
                    } catch {
                        transaction.rollBack()
                        throw error
                    }
                }
            }
        } catch let lost as WriteTransaction.CommitLost {
            try requireCommitted(lost)
        }
        return result!
    }

    func requireWritable() throws(StoreError) {
        guard !isReadOnly else { throw StoreError(obstacle ?? .readOnly, url: url) }
    }

    /// Notifies those who observe the store's commits.
    private var notification: Command {
        Command("SELECT pg_notify($1, '')", [.text(opened.channel)])
    }

    /// Finds out on another link whether a transaction was committed.
    ///
    /// - Throws: `connectionLost` if it was rolled back; `commitUnknown` if the server does not know
    ///   it, or cannot be asked within the store's timeout.
    private func requireCommitted(_ lost: WriteTransaction.CommitLost) throws {
        let clock = ContinuousClock()
        let deadline = clock.now + settings.timeout
        var pause = Duration.milliseconds(2)
        repeat {
            let fate = try? pool.read { try lost.identity.fate(on: $0) }
            switch fate {
            case .committed?: return
            case .rolledBack?: throw PostgreSQLError(.connectionLost, lost.error.message)
            case .unknown?: throw PostgreSQLError(.commitUnknown, lost.error.message)
            // The server may not have noticed that the connection is lost.
            case .inProgress? where pause > .milliseconds(100):
                try? pool.read { try lost.identity.endSession(on: $0) }
            case .inProgress?, nil: break
            }
            WriteRetries.sleep(pause)
            pause = min(pause * 2, .seconds(1))
        } while clock.now < deadline
        throw PostgreSQLError(.commitUnknown, lost.error.message)
    }
}

/// How often a transaction that wrote nothing is tried again.
struct WriteRetries {
    private static let maximumCount = 10
    private var count = 0
    private var hasLostConnection = false
    private var pauseLimit = Duration.milliseconds(1)

    /// Whether another try may succeed after this error.
    mutating func allowAnother(after error: PostgreSQLError) -> Bool {
        if error.kind == .connectionLost {
            // A link that was idle for long may have been dead from the start.
            guard !hasLostConnection else { return false }
            hasLostConnection = true
            return true
        }
        guard error.isTransient, count < Self.maximumCount else { return false }
        count += 1
        return true
    }

    /// Waits for a random time, which grows, so that two writers do not meet again.
    mutating func pause() {
        Self.sleep(pauseLimit * Double.random(in: 0...1))
        pauseLimit = min(pauseLimit * 2, .milliseconds(100))
    }

    static func sleep(_ duration: Duration) {
        Thread.sleep(forTimeInterval: duration / .seconds(1))
    }
}

extension PostgreSQLError {
    /// Whether the server ended the transaction only because of others that ran beside it.
    fileprivate var isTransient: Bool { kind == .serializationFailure || kind == .deadlock }

    var isConnectionLoss: Bool { kind == .connectionLost || kind == .commitUnknown }
    var isUniqueViolation: Bool { kind == .uniqueViolation }
}
#endif
