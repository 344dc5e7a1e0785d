#if PostgreSQL
import Foundation
import ObjectGraph

/// A state of the store: a transaction that stays open on a link of its own, and has exported its
/// snapshot.
///
/// Reads take the snapshot on links of the pool, in a transaction that is one round trip with them.
/// So they do not wait for each other, and a read that fails does not end the generation.
final class Generation: Sendable {
    /// Keeps the transaction open.
    let link: PinnedLink
    private let url: URL?
    private let snapshot: String

    /// Pins the present state.
    ///
    /// - Throws: `StoreError` with `tooManyGenerations`; `PostgreSQLError` if there is no link.
    init(_ pool: LinkPool, url: URL?) throws {
        do {
            link = try pool.pin()
        } catch {
            guard error.kind == .poolTimeout else { throw error }
            throw StoreError(.tooManyGenerations(limit: LinkPool.maximumPinnedCount), url: url)
        }
        self.url = url
        snapshot = try link.use { link in
            let results = try link.run([
                ReadTransaction.begin, Command("SELECT pg_catalog.pg_export_snapshot()"),
            ])
            return try results[1].text(0, 0)
        }
    }

    /// The commands that begin a transaction with this state.
    var beginning: [Command] {
        [ReadTransaction.begin, Command("SET TRANSACTION SNAPSHOT '\(snapshot)'")]
    }

    /// Why the state cannot be read any more: the server was restarted, or has ended the connection.
    var failure: StoreError { StoreError(.generationUnavailable, url: url) }
}
#endif
