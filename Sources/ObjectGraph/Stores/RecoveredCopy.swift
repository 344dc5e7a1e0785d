import Foundation

/// A copy of a database that a crashed program has left unfinished, where it must not or cannot be recovered in its place
/// (spec §11.4).
///
/// What is unfinished lies beside the database: a rollback journal to be played back, or a WAL to be taken over. SQLite
/// reads neither through a connection that cannot write.
final class RecoveredCopy: Sendable {
    let url: URL
    private let folder: URL

    private static let suffixes = ["", "-journal", "-wal"]

    /// A copy of the file; nil if it can be read where it is.
    ///
    /// - Throws: `SQLiteError` if the file cannot be read for another reason; what `FileManager` throws if it cannot be copied.
    static func ifNeeded(for original: URL) throws -> RecoveredCopy? {
        // SQLite looks for both files beside the file that a symbolic link leads to.
        let original = original.resolvingSymlinksInPath()
        while try isUnfinished(original) && !canBeRead(original) {
            let before = states(of: original)
            let copy = try RecoveredCopy(of: original)
            // Somebody who may write could have recovered it meanwhile: then the parts do not belong together.
            guard states(of: original) == before else { continue }
            try copy.recover()
            return copy
        }
        return nil
    }

    private static func isUnfinished(_ url: URL) -> Bool {
        suffixes.dropFirst().contains { FileState.hasContent(path: url.path + $0) }
    }

    /// Whether SQLite can read the file in its place through a connection that does not write.
    static func canBeRead(_ url: URL) throws -> Bool {
        do {
            try Connection(SQLiteConfiguration(path: url.path, mode: .readOnly)).close()
            return true
        } catch {
            if error.isReadOnly || error.code == 14 { return false }
            throw error
        }
    }

    private static func states(of original: URL) -> [FileState?] {
        suffixes.map { FileState(path: original.path + $0) }
    }

    private init(of original: URL) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        url = folder.appending(path: original.lastPathComponent)
        let files = FileManager.default
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        for suffix in Self.suffixes where files.fileExists(atPath: original.path + suffix) {
            try files.copyItem(atPath: original.path + suffix, toPath: url.path + suffix)
            // The original may be write-protected.
            try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path + suffix)
        }
    }

    /// Lets SQLite finish in the copy what is unfinished.
    private func recover() throws {
        try Connection(SQLiteConfiguration(path: url.path, mode: .readWrite)).close()
    }

    deinit { try? FileManager.default.removeItem(at: folder) }
}
