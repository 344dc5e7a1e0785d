import Foundation
import Synchronization

/// The metadata of an open store, as far as they can change.
final class MetadataState: Sendable {
    struct Content {
        var list: MetadataList
        /// How often something was set, and how much of that is in the file.
        var changeCount = 0
        var writtenCount = 0
    }

    let content: Mutex<Content>

    init(_ list: MetadataList) { content = Mutex(Content(list: list)) }

    var list: MetadataList { content.withLock { $0.list } }

    func setValues(_ values: [String: AttributeValue]) {
        content.withLock { content in
            guard content.list.values != values else { return }
            content.list.values = values
            content.changeCount += 1
        }
    }

    /// What is to be written, of which `noteWritten` is then told; nil if nothing is.
    var unwritten: Content? {
        content.withLock { $0.changeCount > $0.writtenCount ? $0 : nil }
    }

    /// What has been set since is still to be written.
    func noteWritten(_ written: Content) {
        content.withLock { $0.writtenCount = max($0.writtenCount, written.changeCount) }
    }
}

extension SQLiteStore {
    var metadata: StoreMetadata {
        let list = metadataState.list
        return StoreMetadata(
            identifier: identifier, type: .sqlite,
            versionHashes: list.versionHashes.mapValues { Array($0) }, values: list.values)
    }

    func setMetadataValues(_ values: [String: AttributeValue]) { metadataState.setValues(values) }

    var hasUnwrittenMetadata: Bool { metadataState.unwritten != nil }

    /// Writes changed metadata within a transaction, after which the state is to be told of them.
    func writeMetadata(on connection: Connection) throws -> MetadataState.Content? {
        let unwritten = metadataState.unwritten
        if let unwritten { try Self.write(unwritten.list, on: connection) }
        return unwritten
    }

    static func write(_ list: MetadataList, on connection: Connection) throws {
        let statement = try connection.statement("UPDATE Z_METADATA SET Z_PLIST = ?")
        statement.bind(blob: try list.data(), at: 1)
        try statement.run()
    }

    // MARK: - Of a file that is not open

    /// Reads the metadata without a model. Makes no file and changes none.
    static func metadata(at url: URL) throws -> StoreMetadata {
        try withConnection(url, .readOnly) { connection in
            let (identifier, list) = try readMetadata(on: connection, url: url)
            return StoreMetadata(
                identifier: identifier, type: .sqlite,
                versionHashes: list.versionHashes.mapValues { Array($0) }, values: list.values)
        }
    }

    static func setMetadataValues(_ values: [String: AttributeValue], at url: URL) throws {
        try withConnection(url, .readWrite) { connection in
            try connection.transaction(.immediate) {
                var (_, list) = try readMetadata(on: connection, url: url)
                list.values = values
                try write(list, on: connection)
            }
        }
    }

    /// The identifier and the property list.
    static func readMetadata(
        on connection: Connection, url: URL?
    ) throws -> (String, MetadataList) {
        let tables = try connection.statement(
            "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'Z_METADATA'")
        defer { tables.reset() }
        guard try tables.step() else {
            throw StoreError(.incompatibleSchema("no table Z_METADATA"), url: url)
        }
        let select = try connection.statement("SELECT Z_UUID, Z_PLIST FROM Z_METADATA")
        defer { select.reset() }
        guard try select.step() else {
            throw StoreError(.incompatibleSchema("Z_METADATA has no row"), url: url)
        }
        return (select.value(at: 0).string, MetadataList(Data(select.value(at: 1).blob)))
    }

    /// Runs the body on a connection of its own to a file that must be there.
    static func withConnection<T>(
        _ url: URL, _ mode: SQLiteConfiguration.Mode, timeout: Duration = .seconds(240),
        vfs: String? = nil, _ body: (Connection) throws -> T
    ) throws -> T {
        let isInMemory = url.nameInMemory != nil
        guard
            mode == .readWriteCreate || isInMemory
                || FileManager.default.fileExists(atPath: url.path)
        else {
            throw StoreError(.missingFile, url: url)
        }
        do {
            if mode == .readOnly, !isInMemory {
                let copy = try RecoveredCopy.ifNeeded(for: url, timeout: timeout)
                defer { withExtendedLifetime(copy) {} }
                return try Connection.reading((copy?.url ?? url).path, timeout: timeout, body)
            }
            var configuration = SQLiteConfiguration(url, mode: mode)
            configuration.busyTimeout = timeout
            configuration.vfs = vfs
            let connection = try Connection(configuration)
            let result = try body(connection)
            try connection.close()
            return result
        } catch let error as SQLiteError {
            throw StoreError(error, url: url)
        }
    }
}
