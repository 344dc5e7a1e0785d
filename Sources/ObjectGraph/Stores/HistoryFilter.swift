/// Which transactions and changes a request selects in one store, evaluated in memory.
package struct HistoryFilter: Sendable {
    private let transactions: CompiledPredicate?
    private let changes: CompiledPredicate?

    /// - Parameter number: The number in the store that a token of the predicates stands for.
    /// - Throws: `FetchError` for keys that the entities of the history lack, and other mistakes in
    ///   the predicates; what `number` throws.
    init(
        _ request: PersistentHistoryRequest,
        number: (PersistentHistoryToken) throws -> Int64
    ) throws {
        transactions = try request.transactionPredicate.map {
            try Self.compiled($0, "Transaction", number)
        }
        changes = try request.changePredicate.map { try Self.compiled($0, "Change", number) }
    }

    package var selectsChanges: Bool { changes != nil }

    package func includes(_ transaction: PersistentHistoryTransaction) -> Bool {
        transactions?.matches(HistorySubject.transaction(transaction)) ?? true
    }

    package func includes(_ change: PersistentHistoryChange) -> Bool {
        changes?.matches(HistorySubject.change(change)) ?? true
    }

    /// Compiles a predicate in which tokens are compared as the numbers of the store.
    private static func compiled(
        _ predicate: ObjectPredicate, _ entity: String,
        _ number: (PersistentHistoryToken) throws -> Int64
    ) throws -> CompiledPredicate {
        var tokens: [ObjectExpression: PersistentHistoryToken] = [:]
        predicate.forEachExpression { expression in
            tokens[expression] = PersistentHistoryToken(expression)
        }
        let numbers = try tokens.mapValues { ObjectExpression.constant(.integer(try number($0))) }
        let rewritten = predicate.rewritten { expression in
            if case .keyPath("token") = expression { return .keyPath("transactionNumber") }
            return numbers[expression]
        }
        let model = HistorySubject.model
        return try CompiledPredicate(
            rewritten, entity: model.entity(named: entity)!, model: model, allowsBlocks: false)
    }
}

/// A transaction or a change as predicates see it.
private enum HistorySubject: PredicateSubject {
    case transaction(PersistentHistoryTransaction)
    case change(PersistentHistoryChange)

    // No input can make this model wrong.
    static let model = try! ManagedObjectModel(entities: [
        EntityDescription(
            name: "Transaction",
            attributes: [
                AttributeDescription("transactionNumber", .integer64),
                AttributeDescription("timestamp", .date), AttributeDescription("author", .string),
                AttributeDescription("bundleID", .string),
                AttributeDescription("contextName", .string),
                AttributeDescription("processID", .string),
            ]),
        EntityDescription(
            name: "Change",
            attributes: [
                AttributeDescription("changeID", .integer64),
                AttributeDescription("changeType", .integer16),
                AttributeDescription("changedEntity", .string),
                AttributeDescription("changedObjectID", .objectID, isTransient: true),
            ]),
    ])

    private static let transactionScope =
        ObjectIDScope.all(in: model, storeIdentifier: nil, storeNumber: 0)
        .first { $0.entityName == "Transaction" }!

    var objectID: ManagedObjectID {
        switch self {
        case .transaction(let transaction):
            ManagedObjectID(
                scope: Self.transactionScope, reference: transaction.transactionNumber)
        case .change(let change): change.changedObjectID
        }
    }

    func value(of property: Property) -> AttributeValue {
        switch self {
        case .transaction(let transaction): transaction.value(property.name)
        case .change(let change): change.value(property.name)
        }
    }

    func destination(of property: Property) -> HistorySubject? { nil }
    func destinations(of property: Property) -> [HistorySubject] { [] }
}

extension PersistentHistoryTransaction {
    fileprivate func value(_ key: String) -> AttributeValue {
        switch key {
        case "transactionNumber": .integer(transactionNumber)
        case "timestamp": .date(timestamp)
        case "author": author.map { .string($0) } ?? .null
        case "bundleID": bundleID.map { .string($0) } ?? .null
        case "contextName": contextName.map { .string($0) } ?? .null
        case "processID": processID.map { .string($0) } ?? .null
        default: .null
        }
    }
}

extension PersistentHistoryChange {
    fileprivate func value(_ key: String) -> AttributeValue {
        switch key {
        case "changeID": .integer(changeID)
        case "changeType": .integer(Int64(changeType.rawValue))
        case "changedEntity": .string(changedObjectID.entityName)
        case "changedObjectID": .objectID(changedObjectID)
        default: .null
        }
    }
}
