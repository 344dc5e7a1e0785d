import Benchmarking
import Foundation
import TestSupport
import Testing

@Suite struct `A history` {
    private let folder = TemporaryFolder()

    private func run(_ number: Int, seconds: Double) -> Run {
        var run = SampleRun.run([SampleRun.workload([SampleRun.cell("nested", [seconds])])])
        run.name = "run-\(number)"
        return run
    }

    @Test func `runs are appended once, and read back in order`() throws {
        let history = History(url: folder.url("history.jsonl"))
        #expect(try history.entries().isEmpty)

        try history.append(run(1, seconds: 1), commit: "a")
        try history.append(run(2, seconds: 2), commit: nil)

        #expect(try history.entries().map(\.run) == ["run-1", "run-2"])
        #expect(throws: HistoryError.alreadyThere(run: "run-1")) {
            try history.append(run(1, seconds: 1), commit: nil)
        }
        let series = HistorySeries.all(in: try history.entries(), metric: "time")
        #expect(series.map(\.points).map { $0.map(\.value) } == [[1, 2]])
        #expect(series[0].points.map(\.commit) == ["a", nil])
    }

    @Test(arguments: [nil, true])
    func `counts are kept, but not those of contended work`(isContended: Bool?) throws {
        let history = History(url: folder.url("history.jsonl"))
        var run = run(1, seconds: 1)
        run.workloads[0].isContended = isContended
        run.workloads[0].cells[0].counts = Sample(
            repetition: 0, positionInRound: 0, startedAtSeconds: 0, metrics: ["statements": 7])

        try history.append(run, commit: nil)

        let series = HistorySeries.all(in: try history.entries(), metric: "statements")
        #expect(series.isEmpty == (isContended == true))
    }

    @Test func `a line that was cut off is passed over, any other one is an error`() throws {
        let history = History(url: folder.url("history.jsonl"))
        try history.append(run(1, seconds: 1), commit: nil)
        let whole = try Data(contentsOf: history.url)

        try (whole + whole.prefix(20)).write(to: history.url)
        #expect(try history.entries().count == 1)
        try (whole.prefix(20) + Data("\n".utf8) + whole).write(to: history.url)
        #expect(throws: HistoryError.unreadable(path: history.url.path, line: 1)) {
            try history.entries()
        }
    }

    @Test(arguments: [0, 1, 20])
    func `a line is appended behind one that was cut off`(lengthLeft: Int) throws {
        let history = History(url: folder.url("history.jsonl"))
        try history.append(run(1, seconds: 1), commit: nil)
        let whole = try Data(contentsOf: history.url)
        try (whole + whole.prefix(lengthLeft)).write(to: history.url)

        try history.append(run(2, seconds: 1), commit: nil)

        #expect(try history.entries().map(\.run) == ["run-1", "run-2"])
    }

    @Test func `a last line of which an editor took the end stays`() throws {
        let history = History(url: folder.url("history.jsonl"))
        try history.append(run(1, seconds: 1), commit: nil)
        try Data(contentsOf: history.url).dropLast().write(to: history.url)

        try history.append(run(2, seconds: 1), commit: nil)

        #expect(try history.entries().map(\.run) == ["run-1", "run-2"])
    }

    @Test func `data sets are kept apart`() throws {
        let history = History(url: folder.url("history.jsonl"))
        for (number, identity) in ["published", "generated"].enumerated() {
            var run = run(number, seconds: 1)
            run.dataset = DatasetDescription(
                name: "flights", origin: .generated, rowCounts: [:], identity: identity)
            try history.append(run, commit: nil)
        }

        #expect(HistorySeries.all(in: try history.entries(), metric: "time").count == 2)
    }

    @Test func `machines are kept apart`() throws {
        let history = History(url: folder.url("history.jsonl"))
        try history.append(run(1, seconds: 1), commit: nil)
        var other = run(2, seconds: 9)
        other.environment.identity.cpuModel = "another one"
        try history.append(other, commit: nil)

        let series = HistorySeries.all(in: try history.entries(), metric: "time")

        #expect(series.count == 2)
    }

    /// With the step another is found in 1.9 % of series; 5.4 % is five standard errors more.
    @Test func `a step in noise is found where it is, and seldom another`() throws {
        var generator = Benchmarking.SeededGenerator(seed: testSeed())
        var withAnother = 0
        for _ in 0..<400 {
            let values = (0..<30).map { index in
                (index < 17 ? 1 : 1.2) + Double.random(in: -0.02...0.02, using: &generator)
            }
            let changes = ChangePoint.all(in: values)
            let step = try #require(changes.first { $0.index == 17 })
            #expect(step.before < 1.03 && step.after > 1.17)
            withAnother += changes.count > 1 ? 1 : 0
        }
        #expect(Double(withAnother) / 400 < 0.054)
    }

    @Test func `noise has no change points, and too few values neither`() {
        var generator = Benchmarking.SeededGenerator(seed: 1)
        let noise = (0..<30).map { _ in Double.random(in: 1...1.1, using: &generator) }

        #expect(ChangePoint.all(in: noise).isEmpty)
        #expect(ChangePoint.all(in: [1, 1, 1, 1, 2, 2, 2, 2, 2]).isEmpty)
    }

    @Test func `every step of an exact count is one`() {
        let points = [5.0, 5, 6, 6, 5].enumerated().map {
            HistorySeries.Point(run: "r\($0)", commit: nil, value: $1)
        }
        let series = HistorySeries(
            workload: "import", cell: "nested", metric: .statements, points: points)

        #expect(series.changes.map(\.index) == [2, 4])
    }

    /// Student's table: t = 2.228 at 10 degrees of freedom leaves 5 %.
    @Test func `Welch's test agrees with Student's table`() throws {
        // Means 0 and d, equal variances 2.5 and sizes 6 and 6: 10 degrees of freedom.
        let first = [-2.0, -1, 0, 0, 1, 2]
        let error = (2.0 * 2 / 6).squareRoot()
        let second = first.map { $0 + 2.228_14 * error }

        let p = try #require(Statistics.welchTest(first, second))

        #expect(abs(p - 0.05) < 1e-4)
        #expect(Statistics.welchTest([1], [1, 2]) == nil)
        #expect(Statistics.welchTest([1, 1], [2, 2]) == 0)
    }
}
