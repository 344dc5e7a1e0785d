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

    /// The program's own values by key. Keys that begin with `NS` or `_NS`, and some that begin with
    /// `ObjectGraph`, belong to the engine.
    public var values: [String: AttributeValue]

    /// Whether migrations have left work for `finishDeferredLightweightMigration()` (spec §9.6).
    public internal(set) var hasDeferredCleanUp = false

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

extension StoreMetadata {
    /// The metadata of a store that keeps them as a property list.
    package init(
        _ identifier: String, _ list: MetadataList,
        type: PersistentStoreDescription.StoreType = .sqlite
    ) {
        self.init(
            identifier: identifier, type: type,
            versionHashes: list.versionHashes.mapValues { Array($0) }, values: list.values)
        hasDeferredCleanUp = list.hasDeferredCleanUp
    }
}

/// The property list in a store's file: the entries of the engine, of the program, and unknown
/// ones, which are kept.
package struct MetadataList: @unchecked Sendable {
    // @unchecked Sendable: the values of a property list are immutable.
    private var entries: [String: Any] {
        didSet { bytes = nil }
    }

    /// The bytes that the list was read from; nil after a change.
    private(set) var bytes: Data?

    package init(
        versionHashes: [String: Data], type: PersistentStoreDescription.StoreType = .sqlite
    ) {
        entries = [
            "NSStoreType": type.rawValue, "NSStoreModelVersionIdentifiers": [""],
            "NSStoreModelVersionHashes": versionHashes, "NSStoreModelVersionHashesVersion": 3,
        ]
        if type == .sqlite { entries["_NSAutoVacuumLevel"] = "2" }
    }

    /// Reads a list; one that cannot be read counts as empty.
    package init(_ data: Data) {
        let list = try? PropertyListSerialization.propertyList(from: data, format: nil)
        entries = list as? [String: Any] ?? [:]
        bytes = data
    }

    package func data() throws -> Data {
        // PropertyListSerialization writes no arrays in a program that is linked with
        // `--static-swift-stdlib` (Swift 6.3).
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        return try encoder.encode(entries.mapValues(Entry.init))
    }

    package var versionHashes: [String: Data] {
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
    ///
    /// - Parameter identifier: The identifier of the other store.
    mutating func takeOverValues(of other: MetadataList, identifier: String) {
        formerIdentifiers = other.formerIdentifiers + [identifier]
        for (key, value) in other.entries where !Self.isOwned(key) { entries[key] = value }
        migrations = other.migrations
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

    /// The identifiers that the store had before migrations that made a new file of it.
    private(set) var formerIdentifiers: [String] {
        get { entries[Self.formersKey] as? [String] ?? [] }
        set { entries[Self.formersKey] = newValue }
    }

    private static let formersKey = "ObjectGraphFormerIdentifiers"

    /// Tells a copy of a store from the store and from other copies; nil in a store that was made
    /// in its file.
    var copyMark: String? {
        get { entries[Self.copyKey] as? String }
        set { entries[Self.copyKey] = newValue }
    }

    private static let copyKey = "ObjectGraphCopy"

    /// Whether the list has no entry, perhaps because it could not be read.
    var isEmpty: Bool { entries.isEmpty }

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

    /// The versions of the program's migrations that the store has had; nil if it was made before
    /// there were any (spec §9.8).
    var migrations: [String]? {
        get { entries[Self.migrationsKey] as? [String] }
        set { entries[Self.migrationsKey] = newValue }
    }

    private static let migrationsKey = "ObjectGraphMigrations"

    /// The custom stage that has begun; nil if there is none (spec §9.5).
    var stage: StageRecord? {
        get { (entries[Self.stageKey] as? [String: Any]).flatMap(StageRecord.init) }
        set { entries[Self.stageKey] = newValue?.entries }
    }

    private static let stageKey = "ObjectGraphMigrationStage"

    /// Whether migrations have left columns or tables to be dropped, under Core Data's key (spec
    /// §9.6).
    var hasDeferredCleanUp: Bool {
        get { entries[Self.deferredKey] as? Bool == true }
        set { entries[Self.deferredKey] = newValue ? true : nil }
    }

    private static let deferredKey = "NSPersistentStoreDeferredLightweightMigrationOptionKey"

    private static func isOwned(_ key: String) -> Bool {
        key.hasPrefix("NS") || key.hasPrefix("_NS")
            || [noteKey, externalKey, migrationsKey, stageKey, targetKey, formersKey, copyKey]
                .contains(key)
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

/// How far a custom stage has come, by the checksums of its versions: its code before the change of
/// the model has run, or the change is made and its code after it has not run.
struct StageRecord: Sendable, Hashable {
    let source: String
    let destination: String
    let isMigrated: Bool
}

extension StageRecord {
    fileprivate init?(_ entries: [String: Any]) {
        guard let source = entries["source"] as? String,
            let destination = entries["destination"] as? String,
            let isMigrated = entries["isMigrated"] as? Bool
        else { return nil }
        self.init(source: source, destination: destination, isMigrated: isMigrated)
    }

    fileprivate var entries: [String: Any] {
        ["source": source, "destination": destination, "isMigrated": isMigrated]
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

extension ManagedObjectModel {
    /// The model in the form in which a store keeps it.
    ///
    /// - Throws: `StoreError` if it is too large.
    package func cacheOfStore() throws(StoreError) -> Data {
        do throws(RawDeflate.Failure) {
            return try cached()
        } catch { throw StoreError(.unsupported("keeping so large a model")) }
    }
}

/// A value of a property list, as an encoder takes it.
private struct Entry: Encodable {
    let value: Any

    init(_ value: Any) { self.value = value }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch PropertyList(value) {
        case .boolean(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .unsigned(let value): try container.encode(value)
        case .real(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .date(let value): try container.encode(value)
        case .data(let value): try container.encode(value)
        case .array(let values): try container.encode(values.map { Entry($0) })
        case .dictionary(let values): try container.encode(values.mapValues { Entry($0) })
        case .null, .url, .uuid, .set, nil:
            throw EncodingError.invalidValue(
                value, .init(codingPath: encoder.codingPath, debugDescription: "no property list"))
        }
    }
}
