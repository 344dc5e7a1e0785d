import Foundation

/// A lock on the folder with the values of a store. It ends with this object, or with the process.
///
/// Elsewhere: `flock` is the same on Apple's systems; Windows has `LockFileEx`.
///
/// Readers of an earlier state share it, because they may need files to which the newest state does
/// not refer. Whoever removes files has the lock alone for that time.
final class FolderLock: Sendable {
    private let folder: Int32

    private init(_ folder: Int32) { self.folder = folder }

    deinit { close(folder) }

    /// Keeps the files of a folder. Waits while files are being removed.
    ///
    /// - Returns: Nil if there is no folder, and so no file.
    static func keepingFiles(in path: String) -> FolderLock? { lock(path, LOCK_SH) }

    /// - Returns: Nil if a reader keeps the files.
    static func removingFiles(in path: String) -> FolderLock? { lock(path, LOCK_EX | LOCK_NB) }

    private static func lock(_ path: String, _ operation: Int32) -> FolderLock? {
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return nil }
        let lock = FolderLock(folder)
        while flock(folder, operation) != 0 {
            guard errno == EINTR else { return nil }
        }
        return lock
    }
}
