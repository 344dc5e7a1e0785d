import Foundation

/// The lock of a SQLite connection on its file.
///
/// Elsewhere: the same on Apple's systems.
enum SharedLock {
    /// Whether another process has a lock on the file. A connection in WAL mode has one for as long
    /// as it is open. Source: sqlite.org/fileformat2.html, "The lock-byte page".
    static func isHeldElsewhere(on url: URL) -> Bool {
        let file = open(url.path, O_RDONLY)
        guard file >= 0 else { return false }
        defer { close(file) }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = 1 << 30
        lock.l_len = 512
        return fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
    }
}
