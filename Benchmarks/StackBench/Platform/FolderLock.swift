import Foundation
import Measuring

/// A lock on a folder that this process holds until it ends, however it ends.
///
/// The lock is on the folder itself and needs no file. On a file system of a network it may keep out
/// processes of this machine alone. A file system without locks keeps out nobody. Elsewhere: `flock`
/// is the same on Apple's systems, which have no `/proc` to name the holder.
enum FolderLock {
    /// Another process has the lock.
    struct Held: Error {
        /// Nil if it is not known.
        var process: pid_t?
        /// Its command line; nil if it is not known.
        var command: String?
    }

    /// The errors of a file system without locks.
    private static let unsupported = [ENOLCK, ENOSYS, EOPNOTSUPP, EINVAL]

    /// Takes the lock. Does nothing where there are none.
    ///
    /// - Throws: ``Held``; ``SystemCallError`` if the folder cannot be opened.
    static func take(_ folder: URL) throws {
        // Workers must not inherit it.
        let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw SystemCallError(call: "open \(folder.path)", code: errno)
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return }
        let code = errno
        defer { close(descriptor) }
        if unsupported.contains(code) { return }
        guard code == EWOULDBLOCK else {
            throw SystemCallError(call: "flock \(folder.path)", code: code)
        }
        let process = holder(of: descriptor)
        throw Held(process: process, command: process.flatMap(commandLine))
    }

    /// The first other process that has the folder open. Not from `/proc/locks`: some containers
    /// have none.
    ///
    /// Source: proc_pid_fd(5).
    private static func holder(of descriptor: Int32) -> pid_t? {
        let files = FileManager.default
        let own = "/proc/self/fd/\(descriptor)"
        guard let folder = try? files.destinationOfSymbolicLink(atPath: own) else { return nil }
        let processes = (try? files.contentsOfDirectory(atPath: "/proc"))?.compactMap { pid_t($0) }
        return processes?.first { process in
            let open = "/proc/\(process)/fd"
            // Empty for processes of other users.
            let descriptors = (try? files.contentsOfDirectory(atPath: open)) ?? []
            return process != getpid()
                && descriptors.contains {
                    (try? files.destinationOfSymbolicLink(atPath: "\(open)/\($0)")) == folder
                }
        }
    }

    private static func commandLine(of process: pid_t) -> String? {
        guard let data = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") else {
            return nil
        }
        let words = data.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        return words.isEmpty ? nil : words.joined(separator: " ")
    }
}

extension FolderLock.Held: CustomStringConvertible {
    /// "process 1234 (bench run …)".
    var description: String {
        (process.map { "process \($0)" } ?? "another process")
            + (command.map { " (\($0))" } ?? "")
    }
}
