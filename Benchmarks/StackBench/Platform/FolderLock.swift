import Foundation
import Measuring

/// A lock on a folder that this process holds until it ends, however it ends.
///
/// It needs no file: the lock is on the folder itself. Elsewhere: `flock` is the same on Apple's
/// systems, which have no `/proc/locks` to name the holder.
enum FolderLock {
    /// Another process has the lock.
    struct Held: Error {
        /// Nil if it is not known.
        var process: pid_t?
        /// Its command line; nil if it is not known.
        var command: String?
    }

    /// Takes the lock.
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
        guard code == EWOULDBLOCK else {
            throw SystemCallError(call: "flock \(folder.path)", code: code)
        }
        let process = holder(of: descriptor)
        throw Held(process: process, command: process.flatMap(commandLine))
    }

    /// Source: proc_locks(5): `1: FLOCK ADVISORY WRITE 1234 08:01:5678 0 EOF`.
    private static func holder(of descriptor: Int32) -> pid_t? {
        var status = stat()
        guard fstat(descriptor, &status) == 0,
            let locks = try? String(contentsOfFile: "/proc/locks", encoding: .utf8)
        else { return nil }
        for line in locks.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count > 5, fields[1] == "FLOCK",
                fields[5].split(separator: ":").last.map(String.init) == "\(status.st_ino)"
            else { continue }
            return pid_t(fields[4])
        }
        return nil
    }

    private static func commandLine(of process: pid_t) -> String? {
        guard let data = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") else {
            return nil
        }
        let words = data.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        return words.isEmpty ? nil : words.joined(separator: " ")
    }
}
