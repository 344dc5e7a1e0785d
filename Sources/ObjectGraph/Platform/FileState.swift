import Foundation

/// The identity of the file at a path, and when it was last written.
struct FileState: Sendable, Equatable {
    private let device: UInt64
    private let inode: UInt64
    let isRegular: Bool
    private let byteCount: Int64
    private let seconds: Int64
    private let nanoseconds: Int64

    /// Follows symbolic links; nil if there is no file.
    init?(path: String) {
        var status = stat()
        // Passing the `String` itself would copy the path to the heap.
        guard path.withCString({ stat($0, &status) }) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
        isRegular = status.st_mode & S_IFMT == S_IFREG
        byteCount = Int64(status.st_size)
        seconds = Int64(status.st_mtim.tv_sec)
        nanoseconds = Int64(status.st_mtim.tv_nsec)
    }

    /// The state as text, which differs when the file does.
    var summary: String { "\(device) \(inode) \(byteCount) \(seconds) \(nanoseconds)" }

    /// Whether both are states of the same file, even if it was written in between.
    func isOfSameFile(as other: FileState) -> Bool {
        device == other.device && inode == other.inode
    }

    /// The size of a file; 0 if there is none.
    static func byteCount(path: String) -> Int64 { FileState(path: path)?.byteCount ?? 0 }

    /// Whether there is a regular file that is not empty.
    static func hasContent(path: String) -> Bool {
        guard let state = FileState(path: path) else { return false }
        return state.isRegular && state.byteCount > 0
    }
}
