import Foundation

/// The metadata of a store: its identifier, the model that it was written with, and values of the
/// program.
///
/// Source: spec §11.1.
public struct StoreMetadata: Sendable, Hashable {
    /// The UUID of the store, part of the identifiers of its objects.
    public let identifier: String
    public let type: PersistentStoreDescription.StoreType

    /// The version hash of each entity that the store holds, by name.
    public let versionHashes: [String: [UInt8]]

    /// The program's own values by key. Keys that begin with `NS` or `_NS`, and
    /// `ObjectGraphVersionHashes`, belong to the engine.
    public var values: [String: AttributeValue]

    /// Metadata for the contents of a store of one's own. The engine makes those of other stores.
    public init(
        identifier: String, type: PersistentStoreDescription.StoreType,
        versionHashes: [String: [UInt8]], values: [String: AttributeValue] = [:]
    ) {
        self.identifier = identifier
        self.type = type
        self.versionHashes = versionHashes
        self.values = values
    }
}

/// The property list in a store's file: the entries of the engine, of the program, and unknown
/// ones, which are kept.
struct MetadataList: @unchecked Sendable {
    // @unchecked Sendable: the values of a property list are immutable.
    private var entries: [String: Any]

    init(versionHashes: [String: Data]) {
        entries = [
            "NSStoreType": "SQLite", "NSStoreModelVersionIdentifiers": [""],
            "NSStoreModelVersionHashes": versionHashes, "NSStoreModelVersionHashesVersion": 3,
            "_NSAutoVacuumLevel": "2",
        ]
    }

    /// Reads a list; one that cannot be read counts as empty.
    init(_ data: Data) {
        let list = try? PropertyListSerialization.propertyList(from: data, format: nil)
        entries = list as? [String: Any] ?? [:]
    }

    func data() throws -> Data {
        try PropertyListSerialization.data(fromPropertyList: entries, format: .binary, options: 0)
    }

    var versionHashes: [String: Data] {
        entries["NSStoreModelVersionHashes"] as? [String: Data] ?? [:]
    }

    /// Whether Core Data made the store. Then the version hashes are of its rule, not of ours.
    var isOfCoreData: Bool { entries["NSPersistenceFrameworkVersion"] != nil }

    /// The version hashes by this engine's rule; nil if nobody has noted them.
    var ownVersionHashes: [String: Data]? {
        guard isOfCoreData else { return versionHashes }
        guard let note = entries[Self.noteKey] as? [String: Any],
            note["beside"] as? [String: Data] == versionHashes
        else { return nil }
        return note["hashes"] as? [String: Data]
    }

    /// Notes the version hashes in a store of Core Data, beside those of Core Data.
    ///
    /// The note names the hashes beside which it was made: Core Data keeps the entries of others
    /// when it migrates a store, and the note is then worth nothing.
    mutating func noteVersionHashes(_ hashes: [String: Data]) {
        guard isOfCoreData else { return }
        entries[Self.noteKey] = ["beside": versionHashes, "hashes": hashes]
    }

    /// Replaces the version hashes, after a migration, by those of this engine's rule.
    ///
    /// Core Data then refuses a store that it made, since it would not find the rows that it
    /// expects: the numbers of entities are not those that it would give (decision 28).
    mutating func migrate(toVersionHashes hashes: [String: Data]) {
        entries["NSStoreModelVersionHashes"] = hashes
        for digest in Self.digestKeys { entries[digest] = nil }
        noteVersionHashes(hashes)
    }

    /// Takes over all entries of another store that are not about its file and its model.
    mutating func takeOverValues(of other: MetadataList) {
        for (key, value) in other.entries where !Self.isOwned(key) { entries[key] = value }
    }

    private static let noteKey = "ObjectGraphVersionHashes"

    /// Core Data's digests of its version hashes.
    private static let digestKeys = [
        "NSStoreModelVersionHashesDigest", "NSStoreModelVersionChecksumKey",
    ]

    /// In a copy of a store that a migration has made: the checksum of the model to which it led.
    var migrationTarget: String? {
        get { entries[Self.targetKey] as? String }
        set { entries[Self.targetKey] = newValue }
    }

    private static let targetKey = "ObjectGraphMigrationTarget"

    /// The columns whose values have a mark of where they are kept, as `TABLE.COLUMN`; nil in
    /// stores that have none, or were made before there were marks (spec §8.6).
    var externalColumns: [String]? {
        get { entries[Self.externalKey] as? [String] }
        set { entries[Self.externalKey] = newValue }
    }

    private static let externalKey = "ObjectGraphExternalColumns"

    /// The program's entries whose values attributes can have.
    var values: [String: AttributeValue] {
        get {
            entries.filter { !Self.isOwned($0.key) }.compactMapValues(Self.value)
        }
        set {
            for (key, value) in entries where !Self.isOwned(key) && Self.value(value) != nil {
                entries[key] = nil
            }
            for (key, value) in newValue where !Self.isOwned(key) {
                entries[key] = value.propertyListValue
            }
        }
    }

    private static func isOwned(_ key: String) -> Bool {
        key.hasPrefix("NS") || key.hasPrefix("_NS") || key == noteKey
            || key == externalKey || key == targetKey
    }

    private static func value(_ entry: Any) -> AttributeValue? {
        switch entry {
        case let text as String: return .string(text)
        case let date as Date: return .date(date)
        case let data as Data: return .data(data)
        default: break
        }
        if type(of: entry) == Bool.self { return (entry as? Bool).map { .boolean($0) } }
        if type(of: entry) == Double.self { return (entry as? Double).map { .double($0) } }
        return (entry as? Int).map { .integer(Int64($0)) }
            ?? (entry as? Double).map { .double($0) }
    }
}

extension AttributeValue {
    /// The value as an element of a property list; nil for types that have none.
    fileprivate var propertyListValue: Any? {
        switch self {
        case .boolean(let value): value
        case .integer(let value): Int(value)
        case .double(let value): value
        case .string(let value): value
        case .date(let value): value
        case .data(let value): value
        case .uuid(let value): value.uuidString
        case .uri(let value): value.absoluteString
        default: nil
        }
    }
}
