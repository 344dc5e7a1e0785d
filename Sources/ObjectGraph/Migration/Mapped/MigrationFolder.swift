import Foundation

/// The hidden folder beside a store in which a migration makes the new one.
///
/// It is locked as long as the migration runs. The system gives up the locks of a process that ends,
/// so the next opening of the store knows that the folder can be removed.
final class MigrationFolder {
    let url: URL
    private let lock: FolderLock

    private static func url(for store: URL) -> URL {
        let file = store.absoluteURL.resolvingSymlinksInPath()
        return file.deletingLastPathComponent().appending(
            path: ".\(file.lastPathComponent).migration")
    }

    /// - Parameter calls: The calls to the file system.
    /// - Throws: `StoreError` if the folder cannot be made; `MigrationError` with `storeInUse` if
    ///   another migration has it.
    init(for store: URL, _ calls: FileCalls) throws {
        url = Self.url(for: store)
        Self.removeLeftovers(of: store)
        do throws(FileFailure) {
            try calls.check(.makeFolder, url.path)
            guard mkdir(url.path, 0o700) == 0 || errno == EEXIST else {
                throw FileFailure(path: url.path)
            }
        } catch {
            throw StoreError(error.reason, url: store)
        }
        guard let lock = FolderLock.removingFiles(in: url.path) else {
            throw MigrationError(.storeInUse, url: store)
        }
        self.lock = lock
    }

    /// Removes the folder with its content.
    func remove() {
        withExtendedLifetime(lock) { try? FileManager.default.removeItem(at: url) }
    }

    /// Removes what a migration has left whose process was ended. Costs one system call if there is
    /// nothing.
    static func removeLeftovers(of store: URL) {
        let url = url(for: store)
        guard let lock = FolderLock.removingFiles(in: url.path) else { return }
        withExtendedLifetime(lock) { try? FileManager.default.removeItem(at: url) }
    }
}
