#if PostgreSQL
import CPostgreSQL
import Foundation

/// What another session, or this one, has sent by `NOTIFY`.
struct ServerNotification: Sendable, Hashable {
    let channel: String
    let payload: String
    /// The number of the sender's process on the server.
    let processID: Int32
}

extension Link {
    /// The notifications that arrived since the last call; waits for the first one. The link must
    /// have run `LISTEN`, and not be in a transaction, which holds notifications back.
    ///
    /// `canceller.abandon()` ends the wait from another thread, and the link with it.
    ///
    /// - Returns: Empty when the time has passed.
    /// - Throws: `connectionLost`. Notifications may have been missed then.
    func waitForNotification(timeout: Duration) throws(PostgreSQLError) -> [ServerNotification] {
        try requireUsable()
        isListener = true
        let deadline = ContinuousClock.now + min(max(timeout, .zero), .seconds(86_400))
        while true {
            guard PQconsumeInput(handle.connection) == 1 else {
                handle.breakOff()
                throw handle.error(nil, sql: nil)
            }
            let notifications = takeNotifications()
            guard notifications.isEmpty else { return notifications }
            guard handle.waitForSocket(POLLIN, until: deadline) else { return [] }
        }
    }

    private func takeNotifications() -> [ServerNotification] {
        var notifications: [ServerNotification] = []
        while let notification = PQnotifies(handle.connection) {
            notifications.append(
                ServerNotification(
                    channel: String(cString: notification.pointee.relname),
                    payload: String(cString: notification.pointee.extra),
                    processID: notification.pointee.be_pid))
            PQfreemem(notification)
        }
        return notifications
    }
}
#endif
