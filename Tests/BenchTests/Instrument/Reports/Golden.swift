import Foundation
import Reports
import RunRecords
import Testing

/// Reports that were found to be right, in the folder Goldens.
enum Golden {
    static let comparisonFiles = ["summary.md", "comparisons.csv", "verdict.json", "junit.xml"]
    static let runFiles = comparisonFiles + ["figures.csv", "columns.csv"]

    /// Compares the text with the file in Goldens. With UPDATE_GOLDENS=1, replaces the file
    /// instead.
    static func expect(
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
}

@Suite struct `Golden files` {
    @Test(arguments: Golden.runFiles)
    func `a full run gives the golden file`(name: String) throws {
        let directory = try TemporaryRuns.directory()
        defer { TemporaryRuns.remove(directory) }

        try directory.writeReports(of: SampleRun.full)

        try Golden.expect(text(of: name, in: directory), "run/\(name)")
    }

    @Test(arguments: Golden.comparisonFiles)
    func `a comparison gives the golden file`(name: String) throws {
        let directory = try TemporaryRuns.directory()
        defer { TemporaryRuns.remove(directory) }

        try directory.writeReports(of: SampleComparison.full)

        try Golden.expect(text(of: name, in: directory), "comparison/\(name)")
    }

    @Test func `comments give the golden files`() throws {
        try Golden.expect(ExportFormat.comment.text(of: SampleRun.full), "run/comment.md")
        try Golden.expect(
            ExportFormat.comment.text(of: SampleComparison.full), "comparison/comment.md")
    }

    @Test func `annotations give the golden file`() throws {
        let texts = [Judgements(of: SampleRun.full), Judgements(of: SampleComparison.full)]

        try Golden.expect(texts.map(\.annotations).joined(), "annotations.txt")
    }

    private func text(of name: String, in directory: RunDirectory) throws -> String {
        try String(
            decoding: Data(contentsOf: directory.url.appendingPathComponent(name)), as: UTF8.self)
    }
}
