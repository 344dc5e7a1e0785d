import Foundation
import RunRecords
import TestSupport
import Testing

@Suite struct `bench compare and bench trend` {
    private let folder = TemporaryFolder()

    /// Also what `results/compare.py` says of these runs.
    @Test func `two kept runs are compared by their verdicts`() throws {
        let runs = ["2026-11-28", "2026-11-29"].map { "results/claims/\($0)" }
        let bench = try BenchProcess(["compare"] + runs)
        #expect(bench.exitCode == 0, "\(bench.errors)")
        #expect(
            bench.output.hasPrefix(
                "4 of 243 findings have another verdict in 2026-11-28 and 2026-11-29, and 5 only moved; "
                    + "234 are the same. All can be compared."), "\(bench.output)")
        #expect(bench.output.contains("claims: fetch-through-a-parent"))
    }

    @Test func `a run alone, or none, cannot be compared: exit 64`() throws {
        #expect(try BenchProcess(["compare", folder.path("one")]).exitCode == 64)
        let bench = try BenchProcess(["compare", folder.path("one"), folder.path("two")])
        #expect(bench.exitCode == 64)
        #expect(bench.errors.contains("one/verdict.json"))
    }

    private func writeHistory(_ counts: [Double]) throws {
        for (number, count) in counts.enumerated() {
            let baseline = Baseline(
                name: "\(number)", commit: "commit\(number)",
                savedAt: SampleRun.start.addingTimeInterval(Double(number) * 86_400),
                conditions: Baseline.Conditions(
                    SampleRun.environment().identity, build: .testing, dataset: nil),
                cells: [
                    Baseline.Cell(
                        workload: "fetch", cell: "shared/pooled", counts: ["statements": count])
                ])
            try BaselineFolder(url: folder.url).save(baseline)
        }
    }

    @Test(arguments: [
        (before: 2.0, after: 3.0, exitCode: Int32(10)), (before: 3, after: 2, exitCode: 0),
    ])
    func `a count that rose for good exits 10, and the page is written`(
        before: Double, after: Double, exitCode: Int32
    ) throws {
        try writeHistory([before, before, before, after, after, after])
        let bench = try BenchProcess(["trend", folder.url.path])
        #expect(bench.exitCode == exitCode, "\(bench.errors)")
        #expect(bench.output.contains("at commit3, one of 6 commits"))
        #expect(FileManager.default.fileExists(atPath: folder.path("trend.html")))
        // The page is no part of the history.
        #expect(try BenchProcess(["trend", folder.url.path]).exitCode == exitCode)
    }

    @Test func `a history that is missing or too short exits 64`() throws {
        let missing = try BenchProcess(["trend", folder.path("none")])
        #expect(missing.exitCode == 64 && missing.errors.contains("there is no folder"))
        try writeHistory([2, 3])
        let short = try BenchProcess(["trend", folder.url.path])
        #expect(short.exitCode == 64 && short.errors.contains("has 2 comparable commits"))
    }
}
