// Reading and deleting the histories of the stores (spec §10.4). No request concerns this context's
// objects or its pending changes, and none reads objects.
extension ManagedObjectContext {
    /// The transactions of a request, the oldest first.
    ///
    /// Cost: a statement for every `fetchBatchSize` transactions, and one for the changes of each.
    ///
    /// - Parameter request: Which transactions to read; by default all that are kept.
    /// - Throws: `StoreError` with `historyExpired` if transactions after the start were deleted,
    ///   or the store never had it; with `foreignHistory` if the start is of other stores; if a
    ///   store cannot be read. `FetchError` for mistakes in the predicates.
    public func fetchHistory(
        _ request: PersistentHistoryRequest = PersistentHistoryRequest()
    ) throws -> [PersistentHistoryTransaction] {
        var transactions: [PersistentHistoryTransaction] = []
        try enumerateHistory(request) { transactions.append($0) }
        return transactions
    }

    /// Calls the body with each transaction of a request, the oldest first. Only
    /// `fetchBatchSize` transactions of a store are in memory.
    ///
    /// The body may save, merge and delete history. Transactions that are written meanwhile may
    /// follow.
    ///
    /// - Parameters:
    ///   - request: Which transactions to read.
    ///   - body: Gets each transaction.
    /// - Throws: As `fetchHistory`, and what the body throws.
    public func enumerateHistory(
        _ request: PersistentHistoryRequest,
        _ body: (PersistentHistoryTransaction) throws -> Void
    ) throws {
        try coordinator.enumerateHistory(request, body)
    }

    /// The changes of the transactions of a request, the oldest first.
    ///
    /// - Parameter request: Which changes to read; by default all that are kept.
    /// - Throws: As `fetchHistory`.
    public func fetchHistoryChanges(
        _ request: PersistentHistoryRequest = PersistentHistoryRequest()
    ) throws -> [PersistentHistoryChange] {
        var request = request
        request.includesChanges = true
        var changes: [PersistentHistoryChange] = []
        try enumerateHistory(request) { changes += $0.changes ?? [] }
        return changes
    }

    /// The number of transactions of a request.
    ///
    /// - Parameter request: Which transactions to count; by default all that are kept.
    /// - Throws: As `fetchHistory`.
    public func countHistory(
        _ request: PersistentHistoryRequest = PersistentHistoryRequest()
    ) throws -> Int {
        var request = request
        request.includesChanges = false
        var count = 0
        try enumerateHistory(request) { _ in count += 1 }
        return count
    }

    /// Deletes the transactions before a place, with their changes. The transaction at the place
    /// stays.
    ///
    /// Tokens of places before then throw `historyExpired`. Delete no more than all readers have
    /// read. Cost: a transaction with two statements a store.
    ///
    /// - Parameters:
    ///   - position: The first place to keep.
    ///   - stores: The identifiers of the stores; nil means all that have a history and that a
    ///     token or transaction is of.
    /// - Throws: `StoreError` if the place is one that no store here has had, or a store cannot be
    ///   written.
    public func deleteHistory(
        before position: PersistentHistoryPosition, affectedStores stores: [String]? = nil
    ) throws {
        try coordinator.deleteHistory(before: position, in: stores)
    }

    /// Who makes the changes of this context, for the histories of the stores.
    var origin: ChangeOrigin { ChangeOrigin(author: transactionAuthor, contextName: name) }
}

extension PersistentHistoryTransaction {
    /// The objects of the transaction by what happened to them, each once, for
    /// `mergeChanges(_:into:)`. Empty without `changes`.
    public var objectChanges: ObjectChanges {
        var types: [ManagedObjectID: PersistentHistoryChange.ChangeType] = [:]
        var order: [ManagedObjectID] = []
        for change in changes ?? [] {
            let id = change.changedObjectID
            if let earlier = types[id] {
                // An update of a new object is part of its insertion.
                if earlier == .update || change.changeType == .delete {
                    types[id] = change.changeType
                }
            } else {
                types[id] = change.changeType
                order.append(id)
            }
        }
        return ObjectChanges(
            inserted: order.filter { types[$0] == .insert },
            updated: order.filter { types[$0] == .update },
            deleted: order.filter { types[$0] == .delete }, historyToken: token)
    }
}
