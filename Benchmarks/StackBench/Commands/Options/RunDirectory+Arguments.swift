import Foundation
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
    static func create(_ path: String?, at date: Date, suffix: String = "") throws -> RunDirectory {
        let time = date.ISO8601Format().replacingOccurrences(of: ":", with: "-")
        let folder = URL(fileURLWithPath: path ?? "results/\(time)\(suffix)")
        return try create(folder.lastPathComponent, in: folder.deletingLastPathComponent())
    }
}
