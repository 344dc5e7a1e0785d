import Foundation

/// A file whose lines are on the disk when they are written.
///
/// Elsewhere: Apple's `fsync` does not reach the disk; `F_FULLFSYNC` does.
public enum SyncedFile {
    /// Adds bytes with one write, and creates the file if it is missing.
    ///
    /// - Returns: false if a call failed; `errno` says why.
    public static func append(_ bytes: Data, to path: String) -> Bool {
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard file >= 0 else { return false }
        defer { close(file) }
        let written = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        return written == bytes.count && fsync(file) == 0
    }
}
