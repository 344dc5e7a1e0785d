import Foundation

/// Replaces whole files, so that a crash leaves the old one or the new one.
///
/// Elsewhere: Apple's `fsync` does not reach the disk; `F_FULLFSYNC` does.
enum FileReplacement {
    /// Puts a new file with these bytes in the place of a file, which may be missing. The new one
    /// has the permissions of the old one.
    ///
    /// A crash may leave a hidden file beside it, for `removeRemains`.
    static func replace(_ url: URL, with data: Data) throws(POSIXError) {
        let folder = url.deletingLastPathComponent().path
        let temporary = "\(folder)/\(prefix(of: url))\(UUID().uuidString)"
        do throws(POSIXError) {
            try withDescriptor(temporary, O_WRONLY | O_CREAT | O_EXCL) {
                descriptor throws(POSIXError) in
                // Says that the file is in use. Not every file system has these locks.
                flock(descriptor, LOCK_EX)
                var old = stat()
                if stat(url.path, &old) == 0 { fchmod(descriptor, old.st_mode & 0o7777) }
                try writeAll(data, to: descriptor)
                try check(fsync(descriptor))
                try check(rename(temporary, url.path))
            }
        } catch {
            unlink(temporary)
            throw error
        }
        // The new entry of the folder has to reach the disk too. Some file systems cannot do this,
        // and the file is replaced already.
        try? withDescriptor(folder, O_RDONLY) { descriptor throws(POSIXError) in
            try check(fsync(descriptor))
        }
    }

    /// Removes the hidden files that crashes have left, but none that is being written now.
    static func removeRemains(of url: URL) {
        let folder = url.deletingLastPathComponent()
        let prefix = prefix(of: url)
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        for name in names ?? [] where name.hasPrefix(prefix) {
            guard UUID(uuidString: String(name.dropFirst(prefix.count))) != nil else { continue }
            let path = "\(folder.path)/\(name)"
            try? withDescriptor(path, O_RDONLY | O_NOFOLLOW) { descriptor throws(POSIXError) in
                try check(flock(descriptor, LOCK_EX | LOCK_NB))
                try check(unlink(path))
            }
        }
    }

    private static func prefix(of url: URL) -> String { ".\(url.lastPathComponent)." }

    private static func withDescriptor(
        _ path: String, _ flags: Int32, _ body: (Int32) throws(POSIXError) -> Void
    ) throws(POSIXError) {
        let descriptor = open(path, flags | O_CLOEXEC, 0o666)
        try check(descriptor)
        defer { close(descriptor) }
        try body(descriptor)
    }

    private static func writeAll(_ data: Data, to descriptor: Int32) throws(POSIXError) {
        var rest = data
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            try check(Int32(clamping: count))
            rest = rest.dropFirst(count)
        }
    }

    /// - Parameter result: Negative if a system call has failed.
    private static func check(_ result: Int32) throws(POSIXError) {
        guard result < 0 else { return }
        throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
}
