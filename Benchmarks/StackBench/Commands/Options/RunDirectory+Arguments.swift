import Foundation
import Measuring
import RunRecords

extension RunDirectory {
    /// Accepts the folder, or one of its files.
    init(argument: String) {
        let url = URL(fileURLWithPath: argument)
        let isFile = ["run.json", "comparison.json", "journal.jsonl"].contains(
            url.lastPathComponent)
        self.init(url: isFile ? url.deletingLastPathComponent() : url)
    }

    /// Creates the given folder, or one in `results` with a name that sorts by time and is valid in
    /// every file system, such as 2026-02-28T17-05-09Z.
    ///
    /// - Throws: ``RunDirectoryError``; ``BenchFailure`` for an empty path.
    static func create(_ path: String?, at date: Date, suffix: String = "") throws -> RunDirectory {
        guard path != "" else {
            throw BenchFailure(exitCode: .usage, message: "--output is empty; name a folder")
        }
        let time = date.ISO8601Format().replacingOccurrences(of: ":", with: "-")
        let folder = URL(fileURLWithPath: path ?? "results/\(time)\(suffix)")
        do {
            let directory = try create(
                folder.lastPathComponent, in: folder.deletingLastPathComponent())
            try directory.lock()
            return directory
        } catch RunDirectoryError.alreadyExists(let path) {
            // It may be measured in right now, which says more.
            try RunDirectory(url: folder).lock()
            throw RunDirectoryError.alreadyExists(path: path)
        }
    }

    /// Keeps other processes from measuring in this folder until this one ends. Does nothing if there
    /// is no such folder.
    ///
    /// - Throws: ``RunDirectoryError/inUse(path:by:)``.
    func lock() throws {
        do {
            try FolderLock.take(url)
        } catch let held as FolderLock.Held {
            throw RunDirectoryError.inUse(path: url.path, by: "\(held)")
        } catch let error as SystemCallError where [ENOENT, ENOTDIR].contains(error.code) {
            return
        } catch let error as SystemCallError {
            throw RunDirectoryError.unreadable(path: url.path, reason: "\(error)")
        }
    }
}
