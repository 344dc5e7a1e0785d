import Foundation

/// A new folder. It is removed with its content when the last reference is released.
public final class TemporaryFolder: Sendable {
    public let url: URL

    public init() {
        url = URL.temporaryDirectory.appending(
            path: "StackBench-\(UUID().uuidString)", directoryHint: .isDirectory)
        do {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        } catch {
            preconditionFailure("cannot create the temporary folder \(url.path): \(error)")
        }
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    public func url(_ name: String) -> URL {
        url.appending(path: name, directoryHint: .notDirectory)
    }

    public func path(_ name: String) -> String { url(name).path }
}
