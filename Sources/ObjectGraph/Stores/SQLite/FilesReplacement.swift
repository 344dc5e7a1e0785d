import Foundation

/// Keeps the files of values with their rows while one store replaces the content of another.
struct FilesReplacement {
    private let source: URL
    private let destination: URL
    private let sourceFiles: ExternalFiles

    /// The folder that the destination has then. Each store removes files of its own, so it must
    /// not be that of the source.
    private let files: ExternalFiles

    /// The folder of the earlier content; nil if it is the same.
    private let earlierFiles: ExternalFiles?

    init(_ destination: URL, with source: URL) {
        self.source = source
        self.destination = destination
        sourceFiles = ExternalFiles(in: ExternalFiles.supportFolder(of: source))
        let folder = ExternalFiles.supportFolder(of: destination)
        let earlierFiles = ExternalFiles(in: folder)
        let isShared = earlierFiles.path == sourceFiles.path
        files =
            isShared
            ? ExternalFiles(in: ExternalFiles.ownSupportFolder(of: destination)) : earlierFiles
        self.earlierFiles = isShared ? earlierFiles : nil
    }

    /// Copies the files, replaces the content, and removes the files of the earlier content.
    ///
    /// - Parameters:
    ///   - reader: Reads one state of the source.
    ///   - replace: Replaces the content in one transaction.
    /// - Throws: `StoreError` if a file cannot be copied, or if the destination is in memory and
    ///   the source has files.
    func run(
        from reader: Connection, to writer: Connection, _ replace: () throws -> Void
    ) throws {
        // The source may be in use: others must not remove its files meanwhile.
        let lock = sourceFiles.keepingFiles()
        defer { withExtendedLifetime(lock) {} }
        let names = try SQLiteStore.references(of: source, on: reader)
        guard destination.nameInMemory == nil || names.isEmpty else {
            throw StoreError(
                .unsupported("keeping values in files of their own; use migratePersistentStore"),
                url: destination)
        }
        // If the earlier content is damaged, its files are left behind.
        let earlierNames = (try? SQLiteStore.references(of: destination, on: writer)) ?? []
        defer {
            files.close()
            earlierFiles?.close()
        }
        var isReplacing = false
        do {
            try copy(names, over: earlierNames)
            isReplacing = true
            try replace()
        } catch {
            files.rolledBack(mayHaveCommitted: isReplacing)
            earlierFiles?.rolledBack(mayHaveCommitted: isReplacing)
            throw error
        }
        files.committed()
        earlierFiles?.committed()
    }

    private func copy(_ names: Set<String>, over earlierNames: Set<String>) throws {
        // Files never change, so those that both contents have need not be copied.
        let kept = earlierFiles == nil ? earlierNames.filter(files.hasFile) : []
        let additions = Dictionary(uniqueKeysWithValues: names.map { ($0, 1) })
        let drops = Dictionary(uniqueKeysWithValues: earlierNames.map { ($0, -1) })
        do throws(FileFailure) {
            for name in names.subtracting(kept) { try files.copy(name, from: sourceFiles) }
            if let earlierFiles {
                try files.prepareCommit(additions)
                try earlierFiles.prepareCommit(drops)
            } else {
                try files.prepareCommit(additions.merging(drops, uniquingKeysWith: +))
            }
        } catch { throw StoreError(error.reason, url: destination) }
    }
}
