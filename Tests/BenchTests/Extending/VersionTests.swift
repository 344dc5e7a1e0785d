import Foundation
import StackBench
import Testing

@Suite struct `The version of the package` {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    @Test func `is that of the first heading of the changes`() throws {
        let heading = try #require(try Self.text("CHANGELOG.md").firstMatch(of: /## (\d\S*?)[, ]/))

        #expect(String(heading.1) == Bench.version)
    }

    @Test func `is that of the example's dependency`() throws {
        let manifest = try Self.text("Examples/OwnStack/Package.swift")

        #expect(manifest.contains("from: \"\(Bench.version)\""))
    }

    @Test func `is printed by the command`() throws {
        #expect(try BenchProcess(["--version"]).output == "\(Bench.version)\n")
    }
}
