import Foundation
import TestSupport

extension TemporaryFolder {
    /// Writes a file, and creates the folders above it.
    func write(_ text: String, to path: String, isExecutable: Bool = false) throws {
        let file = url(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("\(text)\n".utf8).write(to: file)
        guard isExecutable else { return }
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
    }
}
