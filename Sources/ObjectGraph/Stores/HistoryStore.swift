import Foundation

/// A store that has a history of its changes (spec §10.4).
package protocol HistoryStore: PersistentStore {
    /// Whether saves and batch requests are recorded. If not, the history is only read.
    var recordsHistory: Bool { get }

    /// The identifiers that the store had before migrations that made a new file of it. Histories
    /// of theirs have ended.
    var formerIdentifiers: [String] { get }

    /// The transactions that the store has. One statement.
    func historyExtent() throws -> HistoryExtent

    /// Reads the history in one state of the store.
    ///
    /// - Parameter scopes: Those of the store's objects, by entity index.
    func readHistory<T>(
        _ scopes: [ObjectIDScope], _ body: (any HistorySnapshot) throws -> T
    ) throws -> T

    /// Deletes the transactions before one, with their changes. Their numbers are not given again.
    func deleteHistory(before number: Int64) throws
}

/// The history of a store in one state. Valid within `readHistory`.
package protocol HistorySnapshot {
    var extent: HistoryExtent { get }

    /// The number of the first transaction at or after a date; nil if there is none. Clocks go
    /// wrong: later transactions may have earlier dates.
    ///
    /// - Parameter isAfter: Whether a transaction at the date is too early.
    func number(from date: Date, isAfter: Bool) throws -> Int64?

    /// Reads transactions in ascending order.
    ///
    /// - Parameters:
    ///   - number: The transaction before the first.
    ///   - limit: The most to return.
    ///   - filter: Which to return.
    ///   - includesChanges: Whether they have their changes.
    func transactions(
        after number: Int64, limit: Int, _ filter: HistoryFilter, includesChanges: Bool
    ) throws -> [PersistentHistoryTransaction]
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
