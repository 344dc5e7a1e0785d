#if PostgreSQL
import Foundation
import ObjectGraph
import Synchronization

/// A state of the store: a transaction that stays open on a link of its own, and has exported its
/// snapshot.
///
/// Reads take the snapshot on links of the pool, in a transaction that is one round trip with them.
/// So they do not wait for each other, and a read that fails does not end the generation.
///
/// While a generation lives, the server keeps all rows of the database that were replaced since. So
/// it ends one that nobody has read for `idleLimit`.
final class Generation: Sendable {
    /// Keeps the transaction open.
    let link: PinnedLink
    private let url: URL?
    private let snapshot: String
    private let idleLimit: Duration
    private let lastUse: Mutex<ContinuousClock.Instant>

    static let idleLimit = Duration.seconds(3600)

    /// Pins the present state.
    ///
    /// - Throws: `StoreError` with `tooManyGenerations`; `PostgreSQLError` if there is no link.
    init(_ pool: LinkPool, url: URL?, idleLimit: Duration = idleLimit) throws {
        do {
            link = try pool.pin()
        } catch {
            guard error.kind == .poolTimeout else { throw error }
            throw StoreError(.tooManyGenerations(limit: LinkPool.maximumPinnedCount), url: url)
        }
        self.url = url
        self.idleLimit = idleLimit
        lastUse = Mutex(.now)
        snapshot = try link.use { link in
            let results = try link.run([
                ReadTransaction.begin, Command("SELECT pg_catalog.pg_export_snapshot()"),
                Self.limitIdleness(idleLimit),
            ])
            return try results[1].text(0, 0)
        }
    }

    /// The administrator's limit stays.
    private static func limitIdleness(_ limit: Duration) -> Command {
        Command(
            "SELECT "
                + LinkSettings.limit(
                    "idle_in_transaction_session_timeout", to: "$1", isLocal: true),
            [.text("\(limit.wholeMilliseconds)")])
    }

    /// Tells the server now and then that the generation is read.
    private func noteUse() throws {
        let now = ContinuousClock.now
        let isDue = lastUse.withLock { last in
            guard now - last > idleLimit / 4 else { return false }
            last = now
            return true
        }
        if isDue { try link.use { _ = try $0.run(Command("SELECT 1")) } }
    }

    /// The commands that begin a transaction with this state.
    ///
    /// - Throws: `StoreError` with `generationUnavailable` if the server has ended the generation.
    func beginning() throws -> [Command] {
        do { try noteUse() } catch { throw failure }
        return [
            ReadTransaction.begin,
            Command("SET TRANSACTION SNAPSHOT '\(snapshot)'", isPrepared: false),
        ]
    }

    /// Why the state cannot be read any more: the server was restarted, or has ended the connection,
    /// for example because nobody has read the generation for `idleLimit`.
    var failure: StoreError { StoreError(.generationUnavailable, url: url) }
}
#endif
