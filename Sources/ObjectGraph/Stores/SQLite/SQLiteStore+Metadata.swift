import Foundation
import Synchronization

/// The metadata of an open store that can change.
package final class MetadataState: Sendable {
    package struct Content {
        package var list: MetadataList
        /// Whether the list has a note that the next save of rows writes.
        var hasUnwrittenNote = false
        /// The number of changes, and how many of them are in the file.
        var changeCount = 0
        var writtenCount = 0
    }

    let content: Mutex<Content>

    package init(_ list: MetadataList, hasUnwrittenNote: Bool) {
        content = Mutex(Content(list: list, hasUnwrittenNote: hasUnwrittenNote))
    }

    package var list: MetadataList { content.withLock { $0.list } }

    package func setValues(_ values: [String: AttributeValue]) {
        if list.values != values { change { $0.values = values } }
    }

    /// Changes the list; the next save writes it.
    func change(_ body: (inout MetadataList) -> Void) {
        content.withLock { content in
            body(&content.list)
            content.changeCount += 1
        }
    }

    /// The content to write; call `noteWritten` afterwards. Nil if nothing has changed.
    package var unwritten: Content? {
        content.withLock { $0.changeCount > $0.writtenCount ? $0 : nil }
    }

    /// The content to write with rows, in the same way.
    package var unwrittenOrNoted: Content? {
        content.withLock { $0.changeCount > $0.writtenCount || $0.hasUnwrittenNote ? $0 : nil }
    }

    /// Values that were set since then remain unwritten.
    package func noteWritten(_ written: Content) {
        content.withLock { content in
            content.writtenCount = max(content.writtenCount, written.changeCount)
            content.hasUnwrittenNote = false
        }
    }
}

extension SQLiteStore {
    var metadata: StoreMetadata { StoreMetadata(identifier, metadataState.list) }

    func setMetadataValues(_ values: [String: AttributeValue]) { metadataState.setValues(values) }

    var hasUnwrittenMetadata: Bool { metadataState.unwritten != nil }

    /// Writes changed metadata within a transaction. After the commit, pass the result to
    /// `noteWritten`.
    func writeMetadata(on connection: Connection) throws -> MetadataState.Content? {
        let unwritten = metadataState.unwrittenOrNoted
        if let unwritten { try Self.write(unwritten.list, on: connection) }
        return unwritten
    }

    static func write(_ list: MetadataList, on connection: Connection) throws {
        let statement = try connection.statement("UPDATE Z_METADATA SET Z_PLIST = ?")
        statement.bind(blob: try list.data(), at: 1)
        try statement.run()
    }

    // MARK: - Of a file that is not open

    /// Reads the metadata without a model. Creates and changes no file.
    static func metadata(at url: URL) throws -> StoreMetadata {
        try withConnection(url, .readOnly) { connection in
            let (identifier, list) = try readMetadata(on: connection, url: url)
            return StoreMetadata(identifier, list)
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

    /// Runs the body on its own connection to a file, which must exist except in the mode
    /// `readWriteCreate`, or to a database in memory.
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
