import Foundation

/// The calls to the file system that write and remove values in files of their own.
///
/// Elsewhere: as for ``FileReplacement``.
struct FileCalls: Sendable {
    enum Call: Sendable {
        case makeFolder, claim, create, write, synchronize, remove
    }

    /// Called before each call. An error number other than 0 makes it fail, for tests.
    var fault: (@Sendable (Call) -> Int32)?

    /// The space that the file system seems to have, for tests.
    var availableBytes: Int64?

    /// The bytes that may still be written to the file system of a file; nil if it does not say.
    func availableBytes(at path: String) -> Int64? {
        if let availableBytes { return availableBytes }
        var status = statvfs()
        guard statvfs(path, &status) == 0, status.f_blocks > 0 else { return nil }
        return Int64(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize))
    }

    /// Makes a folder and the one that it is in, unless they exist.
    func makeFolder(_ path: String) throws(FileFailure) {
        try check(.makeFolder, path)
        for folder in [URL(filePath: path).deletingLastPathComponent().path, path] {
            guard mkdir(folder, 0o755) == 0 || errno == EEXIST else {
                throw FileFailure(path: folder)
            }
        }
    }

    /// Writes a new file. If that fails, a part of it may be left.
    func create(
        _ path: String, _ bytes: UnsafeRawBufferPointer, isSynchronized: Bool
    ) throws(FileFailure) {
        try check(.create, path)
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw FileFailure(path: path) }
        defer { close(file) }
        var rest = bytes[...]
        while !rest.isEmpty {
            try check(.write, path)
            let part = UnsafeRawBufferPointer(rebasing: rest)
            let count = write(file, part.baseAddress, part.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FileFailure(path: path) }
            rest = rest.dropFirst(count)
        }
        guard isSynchronized else { return }
        try check(.synchronize, path)
        guard fsync(file) == 0 else { throw FileFailure(path: path) }
    }

    /// Brings to the disk what was written to a file, or the names in a folder. Does nothing if
    /// there is none.
    func synchronize(_ path: String) throws(FileFailure) {
        try check(.synchronize, path)
        let opened = open(path, O_RDONLY | O_CLOEXEC)
        if opened < 0, errno == ENOENT { return }
        guard opened >= 0 else { throw FileFailure(path: path) }
        defer { close(opened) }
        guard fsync(opened) == 0 else { throw FileFailure(path: path) }
    }

    /// Removes a file, if it exists.
    func remove(_ path: String) throws(FileFailure) {
        try check(.remove, path)
        guard unlink(path) == 0 || errno == ENOENT else { throw FileFailure(path: path) }
    }

    func check(_ call: Call, _ path: String) throws(FileFailure) {
        if let code = fault?(call), code != 0 { throw FileFailure(code: code, path: path) }
    }
}

/// A call to the file system failed.
struct FileFailure: Error {
    /// The error number of the system.
    let code: Int32
    let path: String

    init(code: Int32, path: String) {
        self.code = code
        self.path = path
    }

    /// The failure of the last call of this thread.
    init(path: String) { self.init(code: errno, path: path) }

}
