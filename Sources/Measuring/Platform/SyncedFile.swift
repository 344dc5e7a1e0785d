import Foundation

/// A file whose lines are on the disk when they are written.
///
/// Elsewhere: Apple's `fsync` does not reach the disk; `F_FULLFSYNC` does.
public enum SyncedFile {
    /// Adds bytes with one write, and creates the file if it is missing.
    ///
    /// - Throws: ``SystemCallError`` of the call that failed; `ENOSPC` if not all bytes were written.
    public static func append(_ bytes: Data, to path: String) throws(SystemCallError) {
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw SystemCallError(call: "open", code: errno) }
        defer { close(file) }
        let written = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        guard written >= 0 else { throw SystemCallError(call: "write", code: errno) }
        // A file takes all bytes unless the disk becomes full, and then sets no error.
        guard written == bytes.count else { throw SystemCallError(call: "write", code: ENOSPC) }
        guard fsync(file) == 0 else { throw SystemCallError(call: "fsync", code: errno) }
    }
}
