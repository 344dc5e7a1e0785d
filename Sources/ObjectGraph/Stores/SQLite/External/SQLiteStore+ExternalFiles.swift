import Foundation

extension SQLiteStore {
    /// The names of all files to which the rows of a store refer; nil if they cannot be known.
    ///
    /// They cannot for a store of Core Data, whose model may have entities that ours lacks, nor for
    /// one that shares its folder with another store.
    static func references(
        of url: URL?, _ metadata: MetadataList, _ columns: ExternalColumns,
        on connection: Connection
    ) throws -> Set<String>? {
        guard let url, !metadata.isOfCoreData, metadata.externalColumns != nil,
            !sharesSupportFolder(url)
        else { return nil }
        return try columns.references(on: connection)
    }

    /// Whether another store beside this one has the same folder: `App.sqlite` and `App.backup`.
    static func sharesSupportFolder(_ url: URL) -> Bool {
        let file = url.absoluteURL.resolvingSymlinksInPath()
        let folder = file.deletingLastPathComponent()
        let support = ExternalFiles.supportFolder(of: file)
        let found = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        return (found ?? []).contains { name in
            let other = folder.appending(path: name)
            return name != file.lastPathComponent
                && !name.hasPrefix(file.lastPathComponent + "-")
                && other.deletingPathExtension().lastPathComponent
                    == file.deletingPathExtension().lastPathComponent
                && ExternalFiles.supportFolder(of: other) == support && isDatabase(other)
        }
    }

    private static func isDatabase(_ url: URL) -> Bool {
        guard let file = try? FileHandle(forReadingFrom: url) else { return false }
        defer { try? file.close() }
        return (try? file.read(upToCount: 15)) == Data("SQLite format 3".utf8)
    }
}

extension ExternalFiles {
    /// The files of a store, which is not open: those to which its rows refer, or all in the folder
    /// of a store of Core Data. Empty for a database that is no store.
    func names(of url: URL, on connection: Connection) -> Set<String> {
        guard let (_, metadata) = try? SQLiteStore.readMetadata(on: connection, url: url) else {
            return []
        }
        if metadata.isOfCoreData {
            return SQLiteStore.sharesSupportFolder(url) ? [] : Set(names)
        }
        let columns = ExternalColumns(metadata.externalColumns ?? [])
        return (try? columns.references(on: connection)) ?? []
    }
}

/// The files of two stores while one replaces the other.
final class FilesReplacement {
    private let source: URL
    private let destination: URL
    private let sourceFiles: ExternalFiles
    private let earlierFiles: ExternalFiles
    private let files: ExternalFiles

    /// The files of the content that is replaced, and those that this has made.
    private var earlierNames: Set<String> = []
    private var madeNames: Set<String> = []

    /// - Throws: `StoreError` if the destination is in memory and the source has files.
    init(_ destination: URL, with source: URL, on reader: Connection) throws {
        self.source = source
        self.destination = destination
        sourceFiles = ExternalFiles(in: ExternalFiles.supportFolder(of: source))
        let folder = ExternalFiles.supportFolder(of: destination)
        earlierFiles = ExternalFiles(in: folder)
        // Each store removes its files, so two must not have the same ones.
        let isShared = earlierFiles.path == sourceFiles.path
        files = ExternalFiles(
            in: isShared ? ExternalFiles.ownSupportFolder(of: destination) : folder)
        guard destination.nameInMemory != nil, source.nameInMemory == nil,
            !sourceFiles.names(of: source, on: reader).isEmpty
        else { return }
        throw StoreError(
            .unsupported("keeping values in files of their own; use migratePersistentStore"),
            url: destination)
    }

    func noteEarlierFiles(on writer: Connection) {
        earlierNames = earlierFiles.names(of: destination, on: writer)
    }

    func copyFiles(on reader: Connection) throws {
        guard source.nameInMemory == nil else { return }
        let names = sourceFiles.names(of: source, on: reader)
        guard !names.isEmpty || !earlierNames.isEmpty else { return }
        do throws(FileFailure) {
            try files.hold()
            for name in names where !files.hasFile(name) {
                madeNames.insert(name)
                try files.copy(name, from: sourceFiles)
            }
        } catch { throw StoreError(error.reason, url: destination) }
        if files.path == earlierFiles.path { earlierNames.subtract(names) }
    }

    func takeBack() {
        files.remove(madeNames)
        files.close()
    }

    func finish() {
        earlierFiles.remove(earlierNames)
        files.close()
    }
}
