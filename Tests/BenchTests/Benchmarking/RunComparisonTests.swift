import Benchmarking
import Testing

@Suite struct `Comparing runs that were made before` {
    private func run(_ seconds: [Double], statements: Double? = nil) -> Run {
        var cell = SampleRun.cell("nested", seconds)
        if let statements {
            cell.counts = Sample(
                repetition: 0, positionInRound: 0, startedAtSeconds: 0,
                metrics: ["statements": statements])
        }
        return SampleRun.run([SampleRun.workload([cell])])
    }

    private func compare(_ base: Run, _ head: Run) throws -> ComparisonReport {
        try ComparisonReport(comparing: base, with: head, commandLine: ["bench", "compare"])
    }

    @Test func `a time that differs is a hint and does not fail`() throws {
        let times = (0..<8).map { 1 + 0.01 * Double($0) }

        let report = try compare(run(times), run(times.map { $0 * 1.5 }))

        let row = try #require(report.rows.first { $0.metric == .time })
        #expect(row.verdict == .regressed)
        #expect(row.rule.isAdvisory)
        #expect(report.exitCode == .success)
    }

    @Test func `times that overlap show nothing`() throws {
        let times = (0..<8).map { 1 + 0.01 * Double($0) }

        let report = try compare(run(times), run(times.reversed()))

        #expect(report.rows.map(\.verdict) == [.inconclusive])
    }

    @Test func `a count that rose fails`() throws {
        let report = try compare(run([1], statements: 100), run([1], statements: 101))

        #expect(report.rows.first { $0.metric == .statements }?.verdict == .regressed)
        #expect(report.exitCode == .regression)
    }

    @Test func `a count of contended work is no judgement, for it depends on the schedule`() throws
    {
        func contended(_ statements: Double) -> Run {
            var run = run([1], statements: statements)
            run.workloads[0].isContended = true
            return run
        }

        let report = try compare(contended(100), contended(200))

        #expect(!report.rows.contains { $0.metric == .statements })
        #expect(report.exitCode == .success)
    }

    private typealias Change = @Sendable (inout Run) -> Void
    private static let otherConditions: [(what: String, change: Change)] = [
        ("data set", { $0.dataset?.identity = "other" }),
        ("build", { $0.build = .debug }),
        ("SQLite", { $0.environment.identity.sqliteVersion = "2.8.17" }),
        ("Swift", { $0.environment.identity.swiftVersion = "5.0" }),
        ("allocator", { $0.environment.identity.allocator = "glibc" }),
    ]

    @Test(arguments: otherConditions)
    private func `what changes counts without the code is not compared`(
        what: String, change: Change
    ) throws {
        var elsewhere = run([1])
        change(&elsewhere)
        let error = #expect(throws: ComparisonError.self) { try compare(run([1]), elsewhere) }
        guard case .otherConditions(let differences)? = error else { return }
        #expect(
            differences.count == 1 && differences[0].hasPrefix("\(what) was "), "\(differences)")
    }

    @Test func `runs of other cells are not compared`() {
        var renamed = run([1])
        renamed.workloads[0].name = "export"
        #expect(
            throws: ComparisonError.nothingShared(base: renamed.name, head: renamed.name)
        ) {
            try compare(run([1]), renamed)
        }
    }

    @Test func `a cell that was wrong is named and not compared`() throws {
        var wrong = run([1])
        wrong.workloads[0].cells[0].verification = .failed(reason: "a row is missing")

        let report = try compare(run([1]), wrong)

        #expect(report.rows.isEmpty)
        #expect(report.exitCode == .wrongAnswer)
    }
}
