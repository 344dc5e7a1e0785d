import Foundation

/// A store that cannot be opened, read or written, with its place and what to do next.
public struct StoreError: Error, Sendable {
    public enum Reason: Sendable, Hashable {
        /// The file is no SQLite database, or a damaged one (Core Data's 259).
        case notADatabase
        /// The file is a database with other tables than the model's; the associated value names what is missing.
        case incompatibleSchema(String)
        /// The store was written with another model; the associated value lists the entities that differ (134100).
        case incompatibleModel(entities: [String])
        /// The model has another checksum than the description demands (134100).
        case unexpectedModel(checksum: String)
        /// The model has no configuration of this name.
        case unknownConfiguration(String)
        /// The coordinator has the file, or another with the same identifier, open already (134080).
        case alreadyOpen
        /// Writing was asked of a store that is open for reading only.
        case readOnly
        /// The disk has no room for the change (Core Data's 13).
        case diskFull
        /// The file cannot be opened (256).
        case cannotOpen
        /// There is no file where one is needed (260).
        case missingFile
        /// While the store was open its file was deleted or replaced, or, in a folder that cannot be written, changed by
        /// somebody else (134030).
        case fileChanged
        /// The file has a value that no program writes; the associated value names it (259).
        case damagedValue(String)
        /// The store is not, or no longer, one of the coordinator's (134080).
        case notOpen
        /// Another connection held its lock for longer than the store's timeout (134090).
        case timeout
        /// The coordinator has no store at all (134030).
        case noStores
        /// No store of the coordinator holds the entity (134020).
        case noStore(entity: String)
        /// The store type cannot do what was asked (134091).
        case unsupported(String)
        /// A key of a batch request that is no persistent attribute of the entity.
        case unknownAttribute(String, entity: String)
        /// A value of a batch request that the attribute cannot hold.
        case unacceptableValue(AttributeValue, attribute: String, entity: String)
        /// A batch request leaves a mandatory attribute without a value.
        case missingMandatoryValue(attribute: String, entity: String)
        /// A batch request would make two rows share the values of a uniqueness constraint (133021).
        case uniquenessViolated
        /// Of the stores of one save some have committed and one could not; by their identifiers (134040).
        case incompleteSave(saved: [String], failed: [String])
        /// The fetch was cancelled while the store was reading (3072).
        case cancelled
        /// Any other failure of SQLite (134180); see `sqlite`.
        case operationFailed
    }

    public var reason: Reason

    /// The file; nil for a store in memory and where no store is concerned.
    public var url: URL?

    /// What SQLite said, if it said something.
    public var sqlite: SQLiteError?

    init(_ reason: Reason, url: URL? = nil, sqlite: SQLiteError? = nil) {
        self.reason = reason
        self.url = url
        self.sqlite = sqlite
    }

    /// The error that a failure of SQLite means for the store.
    init(_ error: SQLiteError, url: URL?) {
        let reason: Reason =
            if error.isCorruption {
                .notADatabase
            } else if error.isBusy {
                .timeout
            } else if error.isMoved {
                .fileChanged
            } else if error.isReadOnly {
                .readOnly
            } else if error.isUniqueness || error.isKeyCollision {
                .uniquenessViolated
            } else if error.isInterruption {
                .cancelled
            } else {
                switch error.code {
                case 13: .diskFull
                case 14: .cannotOpen
                default: .operationFailed
                }
            }
        self.init(reason, url: url, sqlite: error)
    }
}

extension StoreError: CustomStringConvertible {
    public var description: String {
        var text = sentence
        if let url { text += " Store: \(url.path)." }
        if let sqlite { text += " \(sqlite)" }
        return text
    }

    private var sentence: String {
        switch reason {
        case .notADatabase:
            "The file is not a database or is damaged; restore it from a backup or name another file."
        case .incompatibleSchema(let missing):
            "The database has other tables than the model's (\(missing)); open it with the model it was made with."
        case .incompatibleModel(let entities):
            "The store was written with another model; these entities differ: \(entities.joined(separator: ", ")). Open it with that model: stores cannot be migrated yet. With ignoresModelVersions it opens as long as its tables will do."
        case .unexpectedModel(let checksum):
            "The model's checksum is not \(checksum); open the store with the model that has it."
        case .unknownConfiguration(let name):
            "The model has no configuration '\(name)'; name one that it has, or none for all entities."
        case .alreadyOpen:
            "The coordinator has this store, or a copy of it, open already; use that one, or another coordinator."
        case .noStores: "The coordinator has no store; add one before saving."
        case .readOnly:
            "The store cannot be written; open it without isReadOnly and make file and folder writable, or open it with isReadOnly to read it."
        case .diskFull:
            "The disk is full; make room and save again, nothing was written."
        case .cannotOpen:
            "The file cannot be opened; check that the folder exists and may be read and written."
        case .missingFile: "There is no file here; check the path."
        case .fileChanged:
            """
            Another program deleted, replaced or changed the file while the store was open. Remove \
            the store from the coordinator, add it again, and repeat the fetch or save.
            """
        case .damagedValue(let place):
            "The file is damaged: \(place). Restore it from a backup, or repair the value with the sqlite3 tool."
        case .notOpen:
            "The coordinator has no such store open; use one of its persistentStores, or add it."
        case .timeout:
            "Another connection kept the database locked for longer than the store's timeout; save again, or raise the timeout."
        case .noStore(let entity):
            "No open store holds the entity '\(entity)'; add a store to the coordinator first."
        case .unsupported(let request): "This type of store cannot do this: \(request)."
        case .unknownAttribute(let key, let entity):
            "'\(key)' is no persistent attribute of '\(entity)'."
        case .unacceptableValue(let value, let attribute, let entity):
            "\(value.messageText) is not acceptable for '\(entity).\(attribute)'."
        case .missingMandatoryValue(let attribute, let entity):
            "'\(entity).\(attribute)' is mandatory and has no default; give it a value."
        case .uniquenessViolated:
            "The change would make two rows share the values of a uniqueness constraint; give one of them others, or save objects with a merge policy that settles it."
        case .incompleteSave(let saved, let failed):
            "The save is in the stores \(saved.joined(separator: ", ")) and not in \(failed.joined(separator: ", ")); refresh the objects and save again."
        case .cancelled: "The fetch was cancelled."
        case .operationFailed: "The store operation failed."
        }
    }
}
