import Foundation

/// A copy of a database that a crashed program left unfinished, for a file that must not or cannot
/// be recovered in place (spec §11.4).
///
/// An unfinished database has a rollback journal to play back or a WAL to read beside it. SQLite
/// reads neither through a connection that cannot write.
final class RecoveredCopy: Sendable {
    let url: URL
    private let folder: URL

    private static let suffixes = ["", "-journal", "-wal"]

    /// A copy of the file; nil if the file can be read in place.
    ///
    /// - Parameters:
    ///   - timeout: How long to wait for locks, and for a moment in which no program changes the
    ///     file.
    ///   - parent: The folder for the copy's own folder.
    /// - Throws: `SQLiteError` if the file cannot be read for another reason; `StoreError` if it
    ///   cannot be copied.
    static func ifNeeded(
        for url: URL, timeout: Duration,
        in parent: URL = FileManager.default.temporaryDirectory
    ) throws -> RecoveredCopy? {
        // SQLite looks for both files beside the target of a symbolic link.
        let original = url.resolvingSymlinksInPath()
        let deadline = ContinuousClock.now + timeout
        while isUnfinished(original),
            try !canBeRead(original, timeout: max(.zero, deadline - ContinuousClock.now))
        {
            let before = states(of: original)
            let copy = Result { try RecoveredCopy(of: original, in: parent) }
            // If another program has recovered the file meanwhile, the copied parts do not match,
            // or one is missing.
            if states(of: original) == before {
                let copy = try copy.mapError { storeError($0, url) }.get()
                try copy.recover()
                return copy
            }
            guard ContinuousClock.now < deadline else { throw StoreError(.timeout, url: url) }
        }
        return nil
    }

    /// Whether a file can be read only with `immutable=1`: it has no WAL and none can be made, as
    /// in a folder that cannot be written (https://www.sqlite.org/wal.html#readonly).
    static func needsImmutable(_ url: URL, timeout: Duration) throws -> Bool {
        let url = url.resolvingSymlinksInPath()
        return try !canMakeWAL(of: url) && !isUnfinished(url) && !canBeRead(url, timeout: timeout)
    }

    private static func isUnfinished(_ url: URL) -> Bool {
        suffixes.dropFirst().contains { FileState.hasContent(path: url.path + $0) }
    }

    /// Whether the WAL and its index exist or can be made.
    private static func canMakeWAL(of url: URL) -> Bool {
        access(url.deletingLastPathComponent().path, W_OK) == 0
            && ["-wal", "-shm"].allSatisfy { FileState(path: url.path + $0)?.isRegular ?? true }
    }

    /// Whether SQLite can read the file in place through a connection that does not write.
    private static func canBeRead(_ url: URL, timeout: Duration) throws -> Bool {
        // To try would leave an index of the WAL behind.
        if SQLiteConfiguration.hasLogWithoutIndex(url.path), canMakeWAL(of: url) { return true }
        var configuration = SQLiteConfiguration(path: url.path, mode: .readOnly)
        configuration.busyTimeout = timeout
        do {
            try Connection(configuration).close()
            return true
        } catch {
            // SQLITE_CANTOPEN also means that the process has no file descriptor left.
            if error.isReadOnly || error.code == 14 && !canMakeWAL(of: url) { return false }
            throw error
        }
    }

    private static func states(of original: URL) -> [FileState?] {
        suffixes.map { FileState(path: original.path + $0) }
    }

    private static func storeError(_ error: any Error, _ url: URL) -> any Error {
        if error is SQLiteError { return error }
        let error = error as NSError
        let isFull =
            error.domain == NSCocoaErrorDomain
            && error.code == CocoaError.fileWriteOutOfSpace.rawValue
        return StoreError(isFull ? .diskFull : .cannotOpen, url: url)
    }

    private init(of original: URL, in parent: URL) throws {
        folder = parent.appending(path: UUID().uuidString)
        url = folder.appending(path: original.lastPathComponent)
        let files = FileManager.default
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        for suffix in Self.suffixes where files.fileExists(atPath: original.path + suffix) {
            if suffix.isEmpty {
                try DatabaseFile(path: original.path).copy(to: url)
            } else {
                // SQLite takes no locks on these.
                try files.copyItem(atPath: original.path + suffix, toPath: url.path + suffix)
            }
            // The original may be write-protected.
            try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path + suffix)
        }
    }

    /// Lets SQLite recover the copy.
    private func recover() throws {
        try Connection(SQLiteConfiguration(path: url.path, mode: .readWrite)).close()
    }

    deinit { try? FileManager.default.removeItem(at: folder) }
}
