import Foundation

extension SQLiteStore {
    /// Removes what a process has left that was killed. The files of a store of Core Data stay,
    /// since Core Data itself may be about to commit them, and so do those of a store that shares
    /// its folder with another one.
    static func sweep(
        _ files: ExternalFiles, of url: URL?, _ opened: SQLiteSchema.Opened,
        on connection: Connection
    ) {
        files.sweep {
            guard let url, !opened.metadata.isOfCoreData, !sharesSupportFolder(url) else {
                return nil
            }
            return try opened.externalColumns.references(on: connection)
        }
    }

    /// The names of the files to which the rows of a store refer that is not open. Empty for a
    /// database that is no store.
    static func references(of url: URL, on connection: Connection) throws -> Set<String> {
        guard url.nameInMemory == nil,
            let (_, metadata) = try? readMetadata(on: connection, url: url)
        else { return [] }
        let columns =
            metadata.isOfCoreData
            ? try ExternalColumns(ofCoreData: connection)
            : try ExternalColumns(metadata.externalColumns ?? [])
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
                && ExternalFiles.supportFolder(of: other) == support
                && DatabaseFile.isDatabase(path: other.path)
        }
    }
}
