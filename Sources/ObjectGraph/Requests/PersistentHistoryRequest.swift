import Foundation

/// Which transactions to read from the histories of the stores (spec §10.4).
public struct PersistentHistoryRequest: Sendable {
    /// Where the result begins; nil means with the oldest transaction that is kept.
    public var start: PersistentHistoryPosition?

    /// Selects transactions by `author`, `bundleID`, `contextName`, `processID`, `timestamp`,
    /// `transactionNumber` and `token`; nil means all.
    public var transactionPredicate: ObjectPredicate?

    /// Selects changes by `changeID`, `changedEntity`, `changedObjectID` and `changeType`; nil
    /// means all. `changedEntity` is the name of the object's own entity, and an entity does not
    /// stand for its subentities. Transactions without such a change are left out.
    public var changePredicate: ObjectPredicate?

    /// Whether transactions have their changes. Without them fewer rows are read.
    public var includesChanges = true

    /// The number of transactions that are read at a time, with their changes. It bounds the memory
    /// of `enumerateHistory`.
    public var fetchBatchSize = 100

    /// The identifiers of the stores to read; nil means all that have a history.
    public var affectedStores: [String]?

    public init(after start: PersistentHistoryPosition? = nil) {
        self.start = start
    }
}

/// A place in the history of the stores, in three forms.
public enum PersistentHistoryPosition: Sendable, Hashable {
    case token(PersistentHistoryToken)
    case date(Date)

    /// The place of a transaction. It means its own store only.
    case transaction(PersistentHistoryTransaction)
}
