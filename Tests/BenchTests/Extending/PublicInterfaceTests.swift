import Foundation
import Testing

/// What programs of other packages may use. A change of it is seen in the golden file's difference.
@Suite struct `The public interface of StackBench` {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Benchmarks/StackBench")

    /// The public declarations without their bodies, by file.
    private static func declarations() throws -> String {
        let declaration = /\bpublic .*?(?= \{| get\b|\n\n|\n\}|\z)/.dotMatchesNewlines()
        let paths = try #require(FileManager.default.subpaths(atPath: folder.path))
        var text = ""
        for path in paths.filter({ $0.hasSuffix(".swift") }).sorted() {
            let code = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            let found = code.matches(of: declaration).map {
                $0.0.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            }
            if !found.isEmpty { text += "\(path)\n" + found.map { "    \($0)\n" }.joined() }
        }
        return text
    }

    @Test func `is that of the golden file`() throws {
        try Golden.expect(Self.declarations(), "public-interface.txt")
    }
}
