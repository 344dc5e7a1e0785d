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
                    try (record.store as? any HistoryStore)?.historyNumber()
            }
            return PersistentHistoryToken(numbers)
        }
    }

    /// Whether a store records its changes.
    var recordsHistory: Bool {
        records.contains { ($0.store as? any HistoryStore)?.recordsHistory == true }
    }

    /// Calls the body with each transaction of a request, the oldest first. The body runs outside
    /// of locks and of the read transactions.
    func enumerateHistory(
        _ request: PersistentHistoryRequest,
        _ body: (PersistentHistoryTransaction) throws -> Void
    ) throws {
        var sources = try underLockPolicy { try self.sources(of: request) }
        // The places in all stores, which the tokens of the transactions continue.
        var token = PersistentHistoryToken([:])
        if case .token(let start)? = request.start { token = start }
        for source in sources where source.number > 0 {
            token.formUnion(PersistentHistoryToken([source.store.identifier: source.number]))
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
                let extent = try store.historyExtent()
                let number: Int64? =
                    switch position {
                    case .date(let date):
                        try store.historyNumber(from: date, isAfter: false) ?? extent.last + 1
                    default: position.number(in: store.identifier)
                    }
                guard let number, number > extent.oldest else { continue }
                if case .date = position {
                } else {
                    try extent.requireAll(after: number)
                }
                try store.deleteHistory(before: number)
            }
        }
    }

    // MARK: - Stores and places

    private func historyStores(_ identifiers: [String]?) -> [(StoreRecord, any HistoryStore)] {
        records.compactMap { record in
            guard let store = record.store as? any HistoryStore, store.hasHistory,
                identifiers?.contains(store.identifier) ?? true
            else { return nil }
            return (record, store)
        }
    }

    /// - Throws: `StoreError` if a token or transaction is of none of the stores.
    private func requireKnown(
        _ position: PersistentHistoryPosition?, among stores: [(StoreRecord, any HistoryStore)]
    ) throws(StoreError) {
        guard let own = position?.stores,
            !own.contains(where: { own in stores.contains { $0.1.identifier == own } })
        else { return }
        throw StoreError(.foreignHistory(stores: own.sorted()))
    }

    /// The stores of a request, and where to begin in each.
    private func sources(of request: PersistentHistoryRequest) throws -> [HistorySource] {
        let stores = historyStores(request.affectedStores)
        try requireKnown(request.start, among: stores)
        return try stores.compactMap { record, store in
            let extent = try store.historyExtent()
            let filter = try HistoryFilter(request) { token in
                try requireKnown(.token(token), among: stores)
                let number = token.transactionNumbers[store.identifier] ?? extent.oldest - 1
                try extent.requireAll(after: number)
                return number
            }
            var number = extent.oldest - 1
            switch request.start {
            case nil: break
            case .date(let date):
                let first = try store.historyNumber(from: date, isAfter: true)
                number = first.map { $0 - 1 } ?? extent.newest
            case .token, .transaction:
                guard let known = request.start!.number(in: store.identifier) else {
                    // A store that was added since has only news.
                    if case .transaction = request.start { return nil }
                    break
                }
                try extent.requireAll(after: known)
                number = known
            }
            return HistorySource(
                store: store, scopes: record.scopes, filter: filter, number: number)
        }
    }
}

/// The transactions of one store that a request still has to deliver.
private struct HistorySource {
    let store: any HistoryStore
    let scopes: [ObjectIDScope]
    let filter: HistoryFilter

    /// The last transaction that was read.
    private(set) var number: Int64
    var waiting: ArraySlice<PersistentHistoryTransaction> = []
    private var isAtEnd = false

    init(store: any HistoryStore, scopes: [ObjectIDScope], filter: HistoryFilter, number: Int64) {
        self.store = store
        self.scopes = scopes
        self.filter = filter
        self.number = number
    }

    var isToBeRead: Bool { waiting.isEmpty && !isAtEnd }

    mutating func read(_ request: PersistentHistoryRequest) throws {
        let limit = max(1, request.fetchBatchSize)
        let found = try store.historyTransactions(
            after: number, limit: limit, filter, includesChanges: request.includesChanges,
            scopes: scopes)
        waiting = found[...]
        number = found.last?.transactionNumber ?? number
        isAtEnd = found.count < limit
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
