import Foundation

extension PersistentStoreDescription {
    /// The folder for large values; nil in memory.
    func externalFiles(_ debug: DebugOptions) -> ExternalFiles? {
        file.map { file in
            let pragmas = connectionConfiguration(debug).pragmas
            let synchronous = pragmas.last { $0.0.lowercased() == "synchronous" }?.1.lowercased()
            let isSynchronized = !["0", "off", "no", "false"].contains(synchronous ?? "")
            return ExternalFiles(
                in: supportFolder ?? ExternalFiles.supportFolder(of: file),
                isBorrowed: supportFolder != nil,
                threshold: max(0, externalStorageThresholdBytes),
                isSynchronized: supportFolder != nil || isSynchronized,
                log: file.absoluteURL.resolvingSymlinksInPath().path + "-wal", calls: fileCalls)
        }
    }

    func connectionConfiguration(_ debug: DebugOptions) -> SQLiteConfiguration {
        var configuration =
            location.map {
                SQLiteConfiguration($0, mode: isReadOnly ? .readOnly : .readWriteCreate)
            } ?? .memory
        configuration.busyTimeout = timeout
        configuration.vfs = vfs
        if !isReadOnly {
            // Spec §8.1.
            configuration.pragmasOfNewFiles = [("page_size", "4096"), ("auto_vacuum", "2")]
            let own = [
                ("journal_mode", "WAL"), ("synchronous", "NORMAL"),
                // With SQLite's default of 2 MiB, an import into a table with several indexes
                // writes each page many times.
                ("cache_size", "-32768"),
            ]
            // Do not set WAL first and then another mode: leaving WAL needs exclusive access to the
            // database.
            let replaced = Set(pragmas.keys.map { $0.lowercased() })
            configuration.pragmas = own.filter { !replaced.contains($0.0) }
        }
        configuration.pragmas += pragmas.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        if isExclusive {
            // Nothing may look at the file before this, and the file keeps its journal mode.
            configuration.pragmasOfNewFiles = []
            configuration.pragmas.removeAll { $0.name.lowercased() == "journal_mode" }
            configuration.pragmas.insert(("locking_mode", "EXCLUSIVE"), at: 0)
        }
        if let synchronous = debug.synchronous {
            configuration.pragmas.append(("synchronous", "\(synchronous)"))
        }
        let log = debug.sqlLevel > 0 ? StatementLog(options: debug) : nil
        if log != nil || statementObserver != nil {
            configuration.trace = { [statementObserver] event in
                statementObserver?(event.sql, event.duration)
                log?.write(event)
            }
        }
        configuration.tracesRows = debug.sqlLevel >= 2
        configuration.explainsQueries = debug.sqlLevel >= 4
        return configuration
    }
}

extension SQLiteConfiguration {
    /// A file, or a named database in memory.
    init(_ url: URL, mode: Mode) {
        self.init(path: url.path, mode: url.nameInMemory == nil ? mode : .sharedMemory)
    }
}
