import Foundation

// Operations on whole files. An open database file must not be moved, copied or deleted by other
// means (spec §11.5).
extension SQLiteStore {
    /// Makes a file an empty database, under SQLite's locks. Others that have it open then see an
    /// empty database, not a deleted file.
    static func empty(
        _ url: URL, timeout: Duration, isForced: Bool, vfs: String? = nil
    ) throws {
        let files = ExternalFiles(in: ExternalFiles.supportFolder(of: url))
        var names = ExternalFiles.isSupportFolderShared(by: url) ? [] : files.names
        // A crash in the middle must leave a trace.
        if !names.isEmpty { try? files.hold() }
        defer { files.close() }
        do {
            try withConnection(url, .readWrite, timeout: timeout, vfs: vfs) { connection in
                names.formUnion((try? references(of: url, on: connection)) ?? [])
                try connection.empty()
            }
        } catch let error as StoreError where isForced || error.reason == .notADatabase {
            try deleteFiles(at: url)
        }
        files.drop(names)
        files.close()
        files.removeFolders()
    }

    private static func deleteFiles(at url: URL) throws {
        for suffix in ["-wal", "-shm", "-journal", ""] {
            let path = url.path + suffix
            guard FileManager.default.fileExists(atPath: path) else { continue }
            do {
                try FileManager.default.removeItem(atPath: path)
            } catch {
                throw StoreError(.cannotOpen, url: url)
            }
        }
    }

    /// Overwrites a store with the content of another, in one transaction of the destination. The
    /// source does not change.
    ///
    /// Values in files are copied before it, and those of the earlier content removed after it. The
    /// copy gets a mark, by which those who have the destination open notice (`StoreIdentity`).
    static func replace(
        _ destination: URL, with source: URL, timeout: Duration, vfs: String? = nil
    ) throws {
        try withConnection(source, .readOnly, timeout: timeout) { reader in
            _ = try MetadataTable.read(on: reader, url: source)
            // The files and the rows are of one state.
            try reader.begin(.deferred)
            defer { reader.rollback() }
            try withConnection(
                destination, .readWriteCreate, timeout: timeout, vfs: vfs
            ) { writer in
                let files = FilesReplacement(destination, with: source)
                try files.run(from: reader, to: writer) {
                    try Connection.backup(from: reader, to: writer)
                    // The copied header says WAL. Without this read of the schema the file would
                    // keep an empty WAL.
                    try writer.execute("PRAGMA schema_version")
                    try markCopy(on: writer, destination)
                }
            }
        }
    }

    private static func markCopy(on connection: Connection, _ url: URL) throws {
        try connection.transaction(.immediate) {
            var (_, list) = try MetadataTable.read(on: connection, url: url)
            // Writing a list that could not be read would lose it.
            guard !list.isEmpty else { return }
            list.copyMark = UUID().uuidString
            try MetadataTable.write(list, on: connection)
        }
    }
}
