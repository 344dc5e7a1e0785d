import Foundation

/// A store cannot be opened, read or written. The description names the store and says what to do
/// next.
public struct StoreError: Error, Sendable {
    public enum Reason: Sendable, Hashable {
        /// The file is not a SQLite database, or is damaged (Core Data's 259).
        case notADatabase
        /// The database is no store; the associated value names what is missing.
        case incompatibleSchema(String)
        /// The database has no entity of this name, nor of the name that it had in an earlier model
        /// (134020).
        case missingEntity(String)
        /// The database lacks the table of an entity, or the join table of its property (134020).
        case missingTable(String, entity: String, property: String?)
        /// A table lacks the column of a property (134020).
        case missingColumn(String, table: String, entity: String, property: String)
        /// Core Data made the store with another version of its own, and the store does not carry
        /// its model, so that nothing tells whether the program's model fits (134100).
        case unknownModel
        /// The store was written with another model; the associated value lists the entities that
        /// differ (134100).
        case incompatibleModel(entities: [String])
        /// The file is a store of this type, and was opened as one of another type (134010).
        case otherStoreType(PersistentStoreDescription.StoreType)
        /// The model's checksum is not the one that the description demands (134100).
        case unexpectedModel(checksum: String)
        /// No store type of this name is registered (134000).
        case unknownStoreType(String)
        /// The model has no configuration of this name.
        case unknownConfiguration(String)
        /// The coordinator already has the file open, or another store with the same identifier
        /// (134080).
        case alreadyOpen
        /// The store is open for reading only, or cannot be written.
        case readOnly
        /// The store has a history of changes and was opened without `tracksHistory`, so that it is
        /// open for reading only (134030).
        case hasHistory
        /// The transactions after this one are no longer in the history, or the store never had it
        /// (134301).
        case historyExpired(after: Int64, oldest: Int64, newest: Int64)
        /// A token, or a transaction, is of stores that are not open here; the value lists them
        /// (134060).
        case foreignHistory(stores: [String])
        /// The store has an index that this engine cannot keep up to date, so that the store is
        /// open for reading only (134030).
        case unmaintainedIndex(String)
        /// The store's file has no triggers for the derived attribute, `Entity.name`, so that the
        /// store is open for reading only (134030).
        case unmaintainedDerivation(String)
        /// The store cannot compute the derived attribute: it is in memory, or does not hold the
        /// entity at the other end of the relationship (134060).
        case cannotDerive(entity: String, attribute: String)
        /// A derived number is too large for its attribute's type (134060).
        case derivedValueTooLarge(entity: String, attribute: String)
        /// The disk is full (Core Data's 13).
        case diskFull
        /// The file cannot be opened (256).
        case cannotOpen
        /// The file does not exist (260).
        case missingFile
        /// Another program deleted, replaced or changed the file while the store was open (134030).
        /// A change is an error only for a file that is read without locks, in a folder that cannot
        /// be written.
        case fileChanged
        /// The store has an impossible value; the associated value says where it is (259).
        case damagedValue(String)
        /// The file with the value of an attribute, beside the store, cannot be read (260).
        case missingExternalData(entity: String, attribute: String, file: String)
        /// A value cannot be written to its file beside the store, so nothing was saved (512). A
        /// full disk is `diskFull`.
        case unwritableExternalData(file: String, problem: String)
        /// The coordinator does not have the store open (134080).
        case notOpen
        /// Another connection held its lock longer than the store's timeout (134090).
        case timeout
        /// The coordinator has no store (134030).
        case noStores
        /// No store of the coordinator holds the entity (134020).
        case noStore(entity: String)
        /// A context is pinned to a generation that the store does not have: the store was removed
        /// or added since, or SQLite has ended the generation after an error (134030).
        case generationUnavailable
        /// The token is of a context of another coordinator (134030).
        case foreignGeneration
        /// As many generations of the store are pinned as may be at a time (134030).
        case tooManyGenerations(limit: Int)
        /// The store type does not support the request (134091).
        case unsupported(String)
        /// A batch request names a key that is not a persistent attribute of the entity.
        case unknownAttribute(String, entity: String)
        /// A batch request has a value that the attribute cannot store.
        case unacceptableValue(AttributeValue, attribute: String, entity: String)
        /// A batch request leaves a mandatory attribute without a value.
        case missingMandatoryValue(attribute: String, entity: String)
        /// A row of a batch insert has the values of a uniqueness constraint that another row has,
        /// and the merge policy does not settle it (133021). The values are in the order of the
        /// constraint's attributes.
        case valuesTaken(entity: String, constraint: [String], values: [AttributeValue])
        /// Two rows would share the values of a unique index (133021).
        case uniquenessViolated
        /// Some stores of a save have committed and one could not; the values are their identifiers
        /// (134040).
        case incompleteSave(saved: [String], failed: [String])
        /// The fetch was cancelled while the store was reading (3072).
        case cancelled
        /// Any other failure of SQLite (134180); see `sqlite`.
        case operationFailed
    }

    public var reason: Reason

    /// The file, or the database of a server; nil for a store in memory, and if the error is not
    /// about one store.
    public var url: URL?

    /// The error of SQLite, if there is one.
    public var sqlite: SQLiteError?

    /// With `incompatibleModel`, what differs between the store's model and the program's. Only
    /// entities are known of a store that does not carry its model.
    public package(set) var differences: [ModelDifference] = []

    package init(_ reason: Reason, url: URL? = nil, sqlite: SQLiteError? = nil) {
        self.reason = reason
        self.url = url
        self.sqlite = sqlite
    }
}

extension StoreError: CustomStringConvertible {
    public var description: String {
        var text = sentence + differences.sentence
        if let url { text += " Store: \(url.place)." }
        if let sqlite { text += " \(sqlite)" }
        return text
    }

    private var sentence: String {
        switch reason {
        case .notADatabase:
            "The file is not a database or is damaged; restore it from a backup or name another file."
        case .incompatibleSchema(let missing):
            "The database is no store (\(missing)); name another file or schema."
        case .missingEntity(let entity):
            "The database does not know the entity '\(entity)'; open it with the model that made it."
        case .missingTable(let table, let entity, let property):
            "The database has no table \(table) for '\(entity)\(property.map { ".\($0)" } ?? "")'; open it with the model that made it."
        case .missingColumn(let column, let table, let entity, let property):
            "The table \(table) has no column \(column) for '\(entity).\(property)'; open it with the model that made it."
        case .unknownModel:
            "The store does not carry its model: Z_MODELCACHE is absent, empty or NULL. So it cannot be compared with the program's. With ignoresModelVersions it opens if its tables fit."
        case .incompatibleModel(let entities):
            "The store was written with another model; these entities differ: \(entities.joined(separator: ", ")). Open it for writing with migration.isAutomatic, or with that model. With ignoresModelVersions it opens if its tables fit."
        case .otherStoreType(let type):
            "The file is a store of type '\(type.rawValue)'; open it with that type, or name another file."
        case .unexpectedModel(let checksum):
            "The model's checksum is not \(checksum); open the store with the model that has it."
        case .unknownStoreType(let name):
            "No store type '\(name)' is registered; correct the name, or call PersistentStoreCoordinator.registerStoreType before opening the store."
        case .unknownConfiguration(let name):
            "The model has no configuration '\(name)'; correct the name, or leave it out for all entities."
        case .alreadyOpen:
            "The coordinator has already opened this store or a copy of it; use that one, or another coordinator."
        case .noStores: "The coordinator has no store; add one before saving."
        case .readOnly:
            "The store cannot be written; open it without isReadOnly and make its file and folder, or its database, writable, or open it with isReadOnly to read it."
        case .hasHistory:
            "The store has a history of changes, which would miss this one, so it is open for reading only. Open it with tracksHistory. With writesWithoutHistory it is also written, and readers of the history miss the changes."
        case .historyExpired(let number, let oldest, let newest):
            "The history has the transactions \(oldest) to \(newest), and those after \(number) are needed. Read the objects again, and take currentPersistentHistoryToken as the new place."
        case .foreignHistory(let stores):
            "The place in the history is of other stores: \(stores.joined(separator: ", ")). Use a token of this coordinator's stores, or start without one."
        case .unmaintainedIndex(let index):
            "The store has the index \(index), which cannot be kept up to date here, so it is open for reading only. Let Core Data write it."
        case .unmaintainedDerivation(let attribute):
            "The store has no triggers for the derived attribute '\(attribute)', so it is open for reading only. Open it with a model without this derivation to write it."
        case .cannotDerive(let entity, let attribute):
            "The store cannot compute the derived attribute '\(entity).\(attribute)'. Use a SQLite store that holds all entities of the derivation, or remove the derivation."
        case .derivedValueTooLarge(let entity, let attribute):
            "The derived value of '\(entity).\(attribute)' would be too large for its type; nothing was written. Give the attribute a type with more bits."
        case .diskFull:
            "The disk is full and nothing was written; free some space and try again."
        case .cannotOpen:
            "The file cannot be opened; check that the folder exists and may be read and written."
        case .missingFile: "The file does not exist; check the path."
        case .fileChanged:
            """
            Another program deleted, replaced or changed the file while the store was open. Remove \
            the store from the coordinator, add it again, and repeat the fetch or save.
            """
        case .damagedValue(let place):
            "The store is damaged: \(place). Restore it from a backup, or repair the value with sqlite3 or psql."
        case .missingExternalData(let entity, let attribute, let file):
            "The file with a value of '\(entity).\(attribute)' cannot be read: \(file). If another save has replaced the value, refresh the object; otherwise put the folder with such files back beside the store."
        case .unwritableExternalData(let file, let problem):
            "The value cannot be written to its file \(file): \(problem). Make the folder writable and save again."
        case .notOpen:
            "This store is not open in the coordinator; use one of its persistentStores, or add it."
        case .timeout:
            "Another connection kept the database locked for longer than the store's timeout. Open the store, fetch or save again when it has finished, or raise the timeout of the description."
        case .noStore(let entity):
            "No open store holds the entity '\(entity)'; add a store to the coordinator first."
        case .generationUnavailable:
            "The store does not have the generation that the context is pinned to; it was removed or added since, or SQLite has ended the generation. Call setQueryGeneration(from: .current) to read the newest one."
        case .foreignGeneration:
            "The token is of another coordinator; use one of a context on this coordinator, or .current."
        case .tooManyGenerations(let limit):
            "\(limit) generations of the store are pinned already; unpin contexts, let go of their tokens, or share a token between contexts."
        case .unsupported(let request): "This type of store cannot do this: \(request)."
        case .unknownAttribute(let key, let entity):
            "'\(key)' is not a persistent attribute of '\(entity)'; correct the key or add it to the model."
        case .unacceptableValue(let value, let attribute, let entity):
            "\(value.messageText) is not acceptable for '\(entity).\(attribute)'; give it a value that its type can hold."
        case .missingMandatoryValue(let attribute, let entity):
            "'\(entity).\(attribute)' is mandatory and has no default; give it a value."
        case .valuesTaken(let entity, let constraint, let values):
            "Another row has the values of this '\(entity)': \(zip(constraint, values).map { "\($0) = \($1.messageText)" }.joined(separator: ", ")). Remove one of the two, or set a merge policy that skips such rows or updates the stored ones."
        case .uniquenessViolated:
            "Two rows would have the same values of a uniqueness constraint; change one of them, or save objects with a merge policy that settles it."
        case .incompleteSave(let saved, let failed):
            "The save reached the stores \(saved.joined(separator: ", ")) but not \(failed.joined(separator: ", ")); refresh the objects and save again."
        case .cancelled: "The fetch was cancelled."
        case .operationFailed: "The store operation failed."
        }
    }
}

extension URL {
    /// The path of a file, or the scheme, host and path: all that names a store and is no secret.
    fileprivate var place: String {
        guard let scheme, !isFileURL else { return path }
        return "\(scheme)://\(host() ?? "")\(path)"
    }
}
