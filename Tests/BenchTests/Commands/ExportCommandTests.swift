import Foundation
import Reports
import RunRecords
import TestSupport
import Testing

@Suite struct `bench export` {
    private let folder = TemporaryFolder()

    private func export(_ format: String, _ options: [String] = []) throws -> BenchProcess {
        try BenchProcess(["export", folder.url.path, "--format", format] + options)
    }

    @Test(arguments: ExportFormat.allCases)
    func `writes a run to standard output or a file`(format: ExportFormat) throws {
        try RunDirectory(url: folder.url).write(SampleRun.full)
        let file = folder.path("exported")

        let printed = try export(format.rawValue)
        let written = try export(format.rawValue, ["--output", file])

        #expect(printed.exitCode == 0, "\(printed.errors)")
        #expect(try printed.output == format.text(of: SampleRun.full))
        #expect(written.exitCode == 0 && written.output.isEmpty)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == printed.output)
    }

    @Test func `writes the comment of a gate, and nothing else of it`() throws {
        try RunDirectory(url: folder.url).write(SampleComparison.full)

        #expect(
            try export("comment").output == ExportFormat.comment.text(of: SampleComparison.full))
        let bench = try export("jmh")
        #expect(bench.exitCode == 64)
        #expect(bench.errors.contains("the gate main → faster-saves cannot be exported as jmh"))
    }

    @Test func `refuses a folder that has only verdicts`() throws {
        try RunDirectory(url: folder.url).replace("verdict.json", with: "{}")

        let bench = try export("bencher")

        #expect(bench.exitCode == 64)
        #expect(bench.errors.contains("has verdict.json but no run.json"))
    }

    @Test func `says why a run has nothing of the format`() throws {
        try RunDirectory(url: folder.url).write(
            SampleRun.run([SampleRun.workload([SampleRun.cell("nested", [1])])]))

        let bench = try export("hdr")

        #expect(bench.exitCode == 64)
        #expect(bench.errors.contains("it has no sound cell whose samples recorded latencies"))
    }

    @Test func `prints what makes figures doubtful to standard error`() throws {
        var run = SampleRun.full
        run.build = .debug
        try RunDirectory(url: folder.url).write(run)

        let bench = try export("openmetrics")

        #expect(bench.exitCode == 0)
        #expect(bench.errors.contains("This is a debug build: its times mean nothing."))
        #expect(bench.output.hasSuffix("# EOF\n"))
    }

    @Test func `an unknown format is answered with those that exist`() throws {
        let bench = try export("csv")

        #expect(bench.exitCode == 64)
        for format in ExportFormat.allCases { #expect(bench.errors.contains(format.rawValue)) }
    }

    @Test func `a file that cannot be written is an error`() throws {
        try RunDirectory(url: folder.url).write(SampleRun.full)

        let bench = try export("jmh", ["--output", folder.path("missing/file.json")])

        #expect(bench.exitCode == 64)
        #expect(bench.errors.contains("cannot write"))
    }
}
