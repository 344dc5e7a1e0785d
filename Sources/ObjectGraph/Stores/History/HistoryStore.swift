import Foundation

/// A store that can keep a history of its changes (spec §10.4).
///
/// Only for a store that has one: `historyExtent` and everything below it.
package protocol HistoryStore: PersistentStore {
    var hasHistory: Bool { get }

    /// Whether saves and batch requests are recorded. If not, the history is only read.
    var recordsHistory: Bool { get }

    /// The transactions that the store has.
    func historyExtent() throws -> HistoryExtent

    /// The number of the first transaction at or after a date; nil if there is none. Clocks go
    /// wrong: later transactions may have earlier dates.
    ///
    /// - Parameter isAfter: Whether a transaction at the date is too early.
    func historyNumber(from date: Date, isAfter: Bool) throws -> Int64?

    /// Reads transactions of one state of the store, in ascending order.
    ///
    /// - Parameters:
    ///   - number: The transaction before the first.
    ///   - limit: The most to return.
    ///   - filter: Which to return.
    ///   - includesChanges: Whether they have their changes.
    ///   - scopes: Those of the store's objects, by entity index.
    func historyTransactions(
        after number: Int64, limit: Int, _ filter: HistoryFilter, includesChanges: Bool,
        scopes: [ObjectIDScope]
    ) throws -> [PersistentHistoryTransaction]

    /// Deletes the transactions before one, with their changes. Their numbers are not given again.
    func deleteHistory(before number: Int64) throws
}

extension HistoryStore {
    /// The number of the newest transaction, 0 before the first; nil if the store has no history.
    func historyNumber() throws -> Int64? { hasHistory ? try historyExtent().newest : nil }
}

/// The numbers of the transactions that a store has.
package struct HistoryExtent: Sendable {
    /// The number of the oldest one; that of the next one if there is none.
    package let oldest: Int64

    /// The number of the newest one, also if it was deleted.
    package let newest: Int64

    /// The last number that was given.
    package let last: Int64

    package init(oldest: Int64, newest: Int64, last: Int64) {
        self.oldest = oldest
        self.newest = newest
        self.last = last
    }

    /// - Throws: `StoreError` if transactions after this number are missing.
    func requireAll(after number: Int64) throws(StoreError) {
        guard number >= oldest - 1, number <= last else {
            throw StoreError(.historyExpired(after: number, oldest: oldest, newest: newest))
        }
    }
}
