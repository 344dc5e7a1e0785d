import Foundation
import TestSupport
import Testing

@testable import Reports
@testable import RunRecords

/// The parts of a report on a claim beside its verdict.
@Suite struct `a claim's report` {
    private func result(_ seconds: [(size: String, request: Double)]) -> ClaimResult {
        SampleClaim.run(expecting: .less, seconds: seconds).claimResults[0]
    }

    @Test func `says where a claim does not hold`() {
        #expect(
            result([("10", 0.5), ("100", 0.5), ("1000", 2)]).bounds
                == "It holds except for request against loop in time with size 1000.")
        #expect(
            result([("10", 0.5), ("100", 0.5), ("1000", 1), ("10000", 2), ("20000", 2)]).bounds
                == "It holds only for request against loop in time with size 10 or 100.")
        #expect(result([("10", 0.5), ("100", 0.5)]).bounds == nil)
    }

    @Test func `has a curve over three numbers or more`() throws {
        let sweep = try #require(
            ClaimSweep(result([("100", 0.5), ("20", 0.25), ("3", 2)]).answers))
        #expect(sweep.parameter == "size")
        #expect(sweep.values == ["3", "20", "100"])
        #expect(sweep.lines.map(\.label) == ["request"])
        let ratios = try #require(sweep.lines.first).ratios.compactMap(\.self)
        #expect(zip(ratios, [2, 0.25, 0.5]).allSatisfy { abs($0 / $1 - 1) < 0.01 })
        #expect(ClaimSweep(result([("20", 1), ("100", 1)]).answers) == nil)
        #expect(ClaimSweep(result([("few", 1), ("some", 1), ("all", 1)]).answers) == nil)
    }

    @Test func `is one page with a link to each claim`() throws {
        let page = try #require(
            ClaimsPage(SampleClaim.run(expecting: .less, seconds: [("1", 0.5)])))
        let source = page.page.source
        #expect(source.contains("<a href=\"#claim\">A request is faster.</a>"))
        #expect(source.contains("id=\"claim\""))
        // Each word of code is an element, so that none breaks at a hyphen.
        let text = source.replacing(/<[^>]*>/, with: "")
        #expect(text.contains("swift run bench claims claim"))
        #expect(!source.contains("src="))
    }
}

/// How the verdicts of two runs differ.
@Suite struct `verdicts of a later run` {
    private func changes(from before: Double, to after: Double) throws -> ClaimChanges {
        let folder = TemporaryFolder()
        let directory = RunDirectory(url: folder.url)
        try directory.writeReports(
            of: SampleClaim.run(expecting: .less, seconds: [("1", before)]))
        return try EarlierVerdicts(of: directory).changes(
            in: SampleClaim.run(expecting: .less, seconds: [("1", after)]))
    }

    @Test func `may turn from reproduced to refuted`() throws {
        let changes = try changes(from: 0.5, to: 2)
        #expect(changes.haveReversals)
        #expect(changes.terminalText.contains("direction only  refuted"))
    }

    @Test func `may stay`() throws {
        let changes = try changes(from: 0.5, to: 0.4)
        #expect(!changes.haveReversals)
        #expect(changes.terminalText.contains("no verdict went from reproduced to refuted"))
    }

    @Test func `need the earlier ones`() throws {
        let folder = TemporaryFolder()
        let directory = RunDirectory(url: folder.url)
        #expect(throws: RunDirectoryError.missing(path: "\(folder.url.path)/verdict.json")) {
            try EarlierVerdicts(of: directory)
        }
    }
}
