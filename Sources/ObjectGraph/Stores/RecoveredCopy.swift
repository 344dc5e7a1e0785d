import Foundation

/// A copy of a database whose WAL must be recovered but cannot be in its place, since that cannot be written (spec §11.4).
///
/// SQLite refuses to read such a database, which a crashed program may have left on a medium that is read-only since.
final class RecoveredCopy: Sendable {
    let url: URL
    private let folder: URL

    /// A copy of the file; nil if it can be read where it is.
    ///
    /// - Throws: `SQLiteError` if the file cannot be read for another reason; what `FileManager` throws if it cannot be copied.
    static func ifNeeded(for original: URL) throws -> RecoveredCopy? {
        let wal = URL(filePath: original.path + "-wal")
        let size = try? wal.resourceValues(forKeys: [.fileSizeKey]).fileSize
        guard let size, size > 0, try !canBeRead(original) else { return nil }
        return try RecoveredCopy(of: original, wal)
    }

    private static func canBeRead(_ url: URL) throws -> Bool {
        do {
            try Connection(SQLiteConfiguration(path: url.path, mode: .readOnly)).close()
            return true
        } catch {
            if error.isReadOnly || error.code == 14 { return false }
            throw error
        }
    }

    private init(of original: URL, _ wal: URL) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        url = folder.appending(path: original.lastPathComponent)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: original, to: url)
        try FileManager.default.copyItem(atPath: wal.path, toPath: url.path + "-wal")
    }

    deinit { try? FileManager.default.removeItem(at: folder) }
}
