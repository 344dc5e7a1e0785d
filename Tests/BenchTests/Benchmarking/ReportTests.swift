import Benchmarking
import Foundation
import Testing

@Suite struct `Reports` {
    @Test(arguments: ["report.md", "samples.csv"])
    func `a full run gives the golden file`(name: String) throws {
        let directory = try TemporaryRuns.directory()
        defer { TemporaryRuns.remove(directory) }

        try directory.writeReports(of: SampleRun.full)

        let written = directory.url.appendingPathComponent(name)
        try expectGolden(String(decoding: Data(contentsOf: written), as: UTF8.self), name)
    }
}

/// Compares with the file in Goldens, or replaces it when UPDATE_GOLDENS=1.
func expectGolden(
    _ text: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Goldens/\(name)")
    if ProcessInfo.processInfo.environment["UPDATE_GOLDENS"] == "1" {
        try Data(text.utf8).write(to: golden)
    }
    let expected = try String(decoding: Data(contentsOf: golden), as: UTF8.self)
    let difference = zip(text.split(separator: "\n"), expected.split(separator: "\n"))
        .first { $0 != $1 }
    #expect(
        text == expected, "first difference: \(String(describing: difference))",
        sourceLocation: sourceLocation)
}

/// Folders for one test each.
enum TemporaryRuns {
    static func directory() throws -> RunDirectory {
        try RunDirectory.create(
            UUID().uuidString, in: FileManager.default.temporaryDirectory)
    }

    static func remove(_ directory: RunDirectory) {
        try? FileManager.default.removeItem(at: directory.url)
    }
}
