import Foundation

// The histories of the stores (spec §10.4).
extension PersistentStoreCoordinator {
    /// The newest place in the histories of the stores. Changes from now on come after it.
    ///
    /// A store without transactions has the place 0, and one without a history has none. Cost: one
    /// statement a store.
    ///
    /// - Parameter stores: The stores; nil means all.
    /// - Throws: `StoreError` if a store is not open here or cannot be read.
    public func currentPersistentHistoryToken(
        from stores: [PersistentStoreHandle]? = nil
    ) throws -> PersistentHistoryToken {
        let records = try stores?.map { try record($0) } ?? records
        return try underLockPolicy {
            var numbers: [String: Int64] = [:]
            for record in records {
                numbers[record.store.identifier] =
                    try record.store.historyStore?.historyExtent().newest
            }
            return PersistentHistoryToken(numbers)
        }
    }

    /// Whether a store records its changes.
    var recordsHistory: Bool {
        records.contains { $0.store.historyStore?.recordsHistory == true }
    }

    /// Calls the body with each transaction of a request, the oldest first. The body runs outside
    /// of locks and of the read transactions.
    func enumerateHistory(
        _ request: PersistentHistoryRequest,
        _ body: (PersistentHistoryTransaction) throws -> Void
    ) throws {
        var sources = try underLockPolicy {
            var sources = try self.sources(of: request)
            for index in sources.indices { try sources[index].read(request) }
            return sources
        }
        // The places in all stores, which the tokens of the transactions continue.
        var token = PersistentHistoryToken([:])
        if case .token(let start)? = request.start { token = start }
        for source in sources {
            guard let start = source.start, start > 0 else { continue }
            token.formUnion(PersistentHistoryToken([source.store.identifier: start]))
        }
        while true {
            for index in sources.indices where sources[index].isToBeRead {
                try underLockPolicy { try sources[index].read(request) }
            }
            let next = sources.indices.filter { !sources[$0].waiting.isEmpty }.min {
                sources[$0].waiting.first!.timestamp < sources[$1].waiting.first!.timestamp
            }
            guard let next else { return }
            var transaction = sources[next].waiting.removeFirst()
            token.formUnion(transaction.token)
            transaction.token = token
            try body(transaction)
        }
    }

    /// Deletes the transactions before a place, with their changes.
    func deleteHistory(before position: PersistentHistoryPosition, in stores: [String]?) throws {
        try underLockPolicy {
            let stores = historyStores(stores)
            try requireKnown(position, among: stores)
            for (_, store) in stores {
                let number = try store.readHistory([]) { history -> Int64? in
                    let extent = history.extent
                    if case .date(let date) = position {
                        return try history.number(from: date, isAfter: false) ?? extent.last + 1
                    }
                    guard let number = position.number(in: store.identifier),
                        number > extent.oldest
                    else { return nil }
                    try extent.requireAll(after: number)
                    return number
                }
                if let number { try store.deleteHistory(before: number) }
            }
        }
    }

    // MARK: - Stores and places

    private func historyStores(_ identifiers: [String]?) -> [(StoreRecord, any HistoryStore)] {
        records.compactMap { record in
            guard let store = record.store.historyStore,
                identifiers?.contains(store.identifier) ?? true
            else { return nil }
            return (record, store)
        }
    }

    /// - Throws: `StoreError` if a token or transaction is of none of the stores, or of a store
    ///   before a migration that made a new file of it.
    private func requireKnown(
        _ position: PersistentHistoryPosition?, among stores: [(StoreRecord, any HistoryStore)]
    ) throws {
        guard let own = position?.stores else { return }
        for (_, store) in stores where !own.contains(store.identifier) {
            guard let former = store.formerIdentifiers.last(where: own.contains) else { continue }
            let extent = try store.historyExtent()
            throw StoreError(
                .historyExpired(
                    after: position!.number(in: former) ?? 0, oldest: extent.oldest,
                    newest: extent.newest))
        }
        guard !own.contains(where: { own in stores.contains { $0.1.identifier == own } }) else {
            return
        }
        throw StoreError(.foreignHistory(stores: own.sorted()))
    }

    private func sources(of request: PersistentHistoryRequest) throws -> [HistorySource] {
        let stores = historyStores(request.affectedStores)
        try requireKnown(request.start, among: stores)
        return try stores.compactMap { record, store in
            // A store that was added since has only news.
            if case .transaction(let start)? = request.start, start.storeID != store.identifier {
                return nil
            }
            let filter = try HistoryFilter(request) { token in
                try requireKnown(.token(token), among: stores)
                let extent = try store.historyExtent()
                let number = token.transactionNumbers[store.identifier] ?? extent.oldest - 1
                try extent.requireAll(after: number)
                return number
            }
            return HistorySource(store: store, scopes: record.scopes, filter: filter)
        }
    }
}

/// The transactions of one store that a request still has to deliver.
private struct HistorySource {
    let store: any HistoryStore
    let scopes: [ObjectIDScope]
    let filter: HistoryFilter

    /// The place before the first transaction, and the last transaction that was read; nil before
    /// the first batch.
    private(set) var start: Int64?
    private var number: Int64?
    var waiting: ArraySlice<PersistentHistoryTransaction> = []
    private var isAtEnd = false

    init(store: any HistoryStore, scopes: [ObjectIDScope], filter: HistoryFilter) {
        self.store = store
        self.scopes = scopes
        self.filter = filter
    }

    var isToBeRead: Bool { waiting.isEmpty && !isAtEnd }

    /// Reads the next batch.
    ///
    /// The batch itself must have all that follows the last one: others may delete the history
    /// between two batches.
    mutating func read(_ request: PersistentHistoryRequest) throws {
        let limit = max(1, request.fetchBatchSize)
        let (last, found) = try store.readHistory(scopes) { history in
            let last = try number ?? beginning(of: request, in: history)
            try history.extent.requireAll(after: last)
            let found = try history.transactions(
                after: last, limit: limit, filter, includesChanges: request.includesChanges)
            return (last, found)
        }
        start = start ?? last
        waiting = found[...]
        number = found.last?.transactionNumber ?? last
        isAtEnd = found.count < limit
    }

    private func beginning(
        of request: PersistentHistoryRequest, in history: any HistorySnapshot
    ) throws -> Int64 {
        let extent = history.extent
        if case .date(let date)? = request.start {
            let first = try history.number(from: date, isAfter: true)
            return first.map { $0 - 1 } ?? extent.newest
        }
        return request.start?.number(in: store.identifier) ?? extent.oldest - 1
    }
}

extension PersistentHistoryPosition {
    /// The identifiers of the stores that a token or a transaction is of; nil for a date, and for a
    /// token of no store.
    fileprivate var stores: [String]? {
        switch self {
        case .token(let token):
            token.transactionNumbers.isEmpty ? nil : Array(token.transactionNumbers.keys)
        case .date: nil
        case .transaction(let transaction): [transaction.storeID]
        }
    }

    /// The number of a transaction in a store; nil if this place has none.
    fileprivate func number(in store: String) -> Int64? {
        switch self {
        case .token(let token): token.transactionNumbers[store]
        case .date: nil
        case .transaction(let transaction):
            transaction.storeID == store ? transaction.transactionNumber : nil
        }
    }
}
