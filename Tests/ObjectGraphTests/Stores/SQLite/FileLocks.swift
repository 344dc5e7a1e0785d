import Foundation

/// Looks at the locks that this process has on a file, as another process would see them.
///
/// A process that closes any descriptor of a file drops its locks on it: the descriptor stays open
/// until the test ends.
final class FileLocks {
    private let descriptor: Int32

    init(_ url: URL) throws {
        descriptor = open(url.path, O_RDWR)
        guard descriptor >= 0 else { throw CocoaError(.fileReadNoSuchFile) }
    }

    deinit { close(descriptor) }

    /// Whether a connection of this process has a lock on the bytes that SQLite locks.
    var areHeld: Bool {
        // Source: PENDING_BYTE and SHARED_SIZE in SQLite's os.h.
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = 0x4000_0000
        lock.l_len = 512
        // A lock of an open file description conflicts with those of its own process.
        let getLock: Int32 = 36
        precondition(fcntl(descriptor, getLock, &lock) == 0, "F_OFD_GETLK failed: \(errno)")
        return lock.l_type != Int16(F_UNLCK)
    }
}
