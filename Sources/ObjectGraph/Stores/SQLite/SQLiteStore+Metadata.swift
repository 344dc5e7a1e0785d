import Foundation

extension SQLiteStore {
    var metadata: StoreMetadata { StoreMetadata(identifier, metadataState.list) }

    func setMetadataValues(_ values: [String: AttributeValue]) { metadataState.setValues(values) }

    var hasUnwrittenMetadata: Bool { metadataState.unwritten != nil }

    /// Writes changed metadata within a transaction. After the commit, pass the result to
    /// `noteWritten`.
    func writeMetadata(on connection: Connection) throws -> MetadataState.Content? {
        let unwritten = metadataState.unwrittenOrNoted
        if let unwritten { try MetadataTable.write(unwritten.list, on: connection) }
        return unwritten
    }

    /// Drops one column or table that a migration has left, in one transaction.
    ///
    /// - Returns: Whether more are left.
    func cleanUp() throws -> Bool {
        guard metadataState.list.hasDeferredCleanUp else { return false }
        let isOver = try mapping {
            try write { connection in
                try connection.transaction(.immediate) {
                    let statements = try DeferredCleanUp(StoreCatalog(connection)).statements
                    if let first = statements.first { try connection.execute(first) }
                    guard statements.count <= 1 else { return false }
                    var (_, list) = try MetadataTable.read(on: connection, url: url)
                    list.hasDeferredCleanUp = false
                    try MetadataTable.write(list, on: connection)
                    return true
                }
            }
        }
        if isOver { metadataState.content.withLock { $0.list.hasDeferredCleanUp = false } }
        return !isOver
    }

    // MARK: - Of a file that is not open

    /// Reads the metadata without a model. Creates and changes no file.
    static func metadata(at url: URL) throws -> StoreMetadata {
        try withConnection(url, .readOnly) { connection in
            let (identifier, list) = try MetadataTable.read(on: connection, url: url)
            return StoreMetadata(identifier, list)
        }
    }

    static func setMetadataValues(_ values: [String: AttributeValue], at url: URL) throws {
        try withConnection(url, .readWrite) { connection in
            try connection.transaction(.immediate) {
                var (_, list) = try MetadataTable.read(on: connection, url: url)
                list.values = values
                try MetadataTable.write(list, on: connection)
            }
        }
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
