import Foundation

/// A save or a batch request in the history of one store: who changed what (spec §10.4).
public struct PersistentHistoryTransaction: Sendable, Hashable {
    /// Rises with each transaction of the store. There may be gaps.
    public let transactionNumber: Int64
    public let timestamp: Date

    /// The place after this transaction. In a result of several stores it also has the places in
    /// the other ones, so the token of the last transaction stands for the whole result.
    public package(set) var token: PersistentHistoryToken

    /// The identifier of the store.
    public let storeID: String

    /// The program that wrote: its bundle identifier, or the name of its executable.
    public let bundleID: String?

    /// The process that wrote, by its name.
    public let processID: String?

    /// The name of the context that saved or executed the request.
    public let contextName: String?

    /// The `transactionAuthor` of that context.
    public let author: String?

    /// The changes of the objects, in the order in which they were recorded; nil if the request
    /// leaves out changes.
    public package(set) var changes: [PersistentHistoryChange]?

    package init(
        transactionNumber: Int64, timestamp: Date, token: PersistentHistoryToken, storeID: String,
        bundleID: String?, processID: String?, contextName: String?, author: String?,
        changes: [PersistentHistoryChange]?
    ) {
        self.transactionNumber = transactionNumber
        self.timestamp = timestamp
        self.token = token
        self.storeID = storeID
        self.bundleID = bundleID
        self.processID = processID
        self.contextName = contextName
        self.author = author
        self.changes = changes
    }
}

/// One object of a transaction: inserted, updated or deleted.
public struct PersistentHistoryChange: Sendable, Hashable {
    /// Core Data's numbers, which predicates use.
    public enum ChangeType: Int, Sendable, Hashable, Codable, CaseIterable {
        case insert = 0
        case update = 1
        case delete = 2
    }

    /// Rises with each change of the store.
    public let changeID: Int64

    /// The number of the transaction in the store of the object.
    public let transactionNumber: Int64
    public let changedObjectID: ManagedObjectID
    public let changeType: ChangeType

    /// The names of the attributes and relationships that an update has changed; nil for other
    /// changes.
    ///
    /// All names of the entity if the record does not tell: it is of an earlier model, or of an
    /// entity of Core Data's store whose properties are not recorded in a known order.
    public let updatedProperties: Set<String>?

    /// The last values of a deleted object's attributes that the model preserves, without those
    /// that were nil; nil for other changes.
    public let tombstone: [String: AttributeValue]?

    package init(
        changeID: Int64, transactionNumber: Int64, changedObjectID: ManagedObjectID,
        changeType: ChangeType, updatedProperties: Set<String>?,
        tombstone: [String: AttributeValue]?
    ) {
        self.changeID = changeID
        self.transactionNumber = transactionNumber
        self.changedObjectID = changedObjectID
        self.changeType = changeType
        self.updatedProperties = updatedProperties
        self.tombstone = tombstone
    }
}
