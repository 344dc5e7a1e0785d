import Foundation
import RunRecords
import TestSupport
import Testing

@Suite struct `bench claims` {
    private let folder = TemporaryFolder()

    @Test func `lists every claim with its source`() throws {
        let bench = try BenchProcess(["claims", "--list"])
        #expect(bench.exitCode == 0, "\(bench.errors)")
        #expect(bench.output.contains("nested-import-main"))
        #expect(bench.output.contains("Kugler 2013"))
    }

    @Test func `an unknown claim is refused with the known ones`() throws {
        let bench = try BenchProcess(["claims", "nested", "--list"])
        #expect(bench.exitCode == ExitCode.usage.rawValue)
        #expect(bench.errors.contains("nested-import-main"), "\(bench.errors)")
    }

    @Test func `measures the cells of the named claims only, and writes the verdicts`() throws {
        let bench = try BenchProcess([
            "claims", "number-first", "--budget", "20s", "--allow-debug", "--output",
            folder.path("run"),
        ])
        #expect(bench.exitCode == 0, "\(bench.errors)")
        let run = try RunDirectory(url: folder.url("run")).load()
        // On a busy machine the budget may end before the second one begins.
        let names = run.workloads.map(\.name)
        #expect(names.first == "predicate-order")
        #expect(Set(names).isSubset(of: ["predicate-order", "predicate-order-memory"]))
        #expect(run.claims?.map(\.id) == ["number-first"])
        for name in ["claims.md", "claims.html"] {
            let text = try String(
                contentsOf: folder.url("run").appendingPathComponent(name), encoding: .utf8)
            #expect(text.contains("A predicate is faster with the number before the text."))
            #expect(text.contains("WWDC session 211"))
        }
    }
}
