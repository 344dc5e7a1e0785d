import Foundation
import RunRecords
import TestSupport
import Testing

@Suite struct `Baselines` {
    private let folder = TemporaryFolder()

    private static let conditions = Baseline.Conditions(
        SampleRun.environment().identity, build: .release, dataset: nil)

    private static func cell(_ name: String = "nested", statements: Double) -> Baseline.Cell {
        Baseline.Cell(workload: "import", cell: name, counts: ["statements": statements])
    }

    private static func baseline(_ cells: [Baseline.Cell]) -> Baseline {
        Baseline(
            name: "main", commit: "abc", savedAt: SampleRun.start, conditions: conditions,
            cells: cells)
    }

    @Test func `what is saved is loaded, listed and deleted`() throws {
        let baselines = BaselineFolder(url: folder.url("baselines"))
        let baseline = Self.baseline([Self.cell(statements: 3)])
        #expect(baselines.names.isEmpty)

        try baselines.save(baseline)

        #expect(try baselines.load("main") == baseline)
        #expect(baselines.names == ["main"])
        try baselines.delete("main")
        #expect(throws: BaselineError.missing(name: "main", known: [])) {
            try baselines.load("main")
        }
    }

    @Test func `a count that rose is a regression, and one that fell an improvement`() throws {
        let baseline = Self.baseline([Self.cell(statements: 100)])

        let verdicts = try [100, 101, 99].map { count in
            try baseline.compare(
                with: [Self.cell(statements: count)], under: Self.conditions
            ).map(\.verdict)
        }

        #expect(verdicts == [[.ok], [.regressed], [.improved]])
    }

    @Test func `counts of other conditions are not compared`() {
        let baseline = Self.baseline([Self.cell(statements: 100)])
        var other = Self.conditions
        other.sqliteVersion = "3.50.0"

        #expect(
            throws: ComparisonError.otherConditions(["SQLite was 3.40.1 and is 3.50.0"])
        ) {
            try baseline.compare(with: [Self.cell(statements: 100)], under: other)
        }
    }

    @Test func `cells that were never kept are no comparison`() {
        let baseline = Self.baseline([Self.cell(statements: 100)])

        #expect(throws: ComparisonError.nothingShared(base: "main", head: "this run")) {
            try baseline.compare(
                with: [Self.cell("single", statements: 100)], under: Self.conditions)
        }
    }

    @Test func `a file has a line for each count, with its cell, sorted`() throws {
        let baselines = BaselineFolder(url: folder.url("baselines"))
        var cells = [Self.cell("single", statements: 2), Self.cell("nested", statements: 0.5)]
        cells[1].counts["allocations"] = 7
        try baselines.save(Self.baseline(cells))

        let text = try String(contentsOf: folder.url("baselines/main.json"), encoding: .utf8)

        #expect(
            text.split(separator: "\n").filter { $0.contains("import") } == [
                #"    "import nested allocations" : 7,"#,
                #"    "import nested statements" : 0.5,"#,
                #"    "import single statements" : 2"#,
            ])
        #expect(try baselines.load("main").cells == [cells[1], cells[0]])
    }

    @Test func `a cell that only one side has cannot be judged`() throws {
        let baseline = Self.baseline([
            Self.cell(statements: 100), Self.cell("gone", statements: 100),
        ])

        let rows = try baseline.compare(
            with: [Self.cell(statements: 100), Self.cell("new", statements: 100)],
            under: Self.conditions)

        #expect(rows.map(\.cell) == ["nested", "gone", "new"])
        #expect(rows.map(\.verdict) == [.ok, .inconclusive, .inconclusive])
        #expect(rows[1].reason == "this run did not count the cell")
        #expect(rows[2].reason == "the cell is not in the baseline")
    }

    @Test(arguments: [(1001.0, 1000.0), (1002.5, 1000), (997.5, 1000), (1003, 1003), (996, 996)])
    func `counts that differ by half of the tolerance are left as they were, others are not`(
        counted: Double, kept: Double
    ) {
        func baseline(allocations: Double, statements: Double) -> Baseline {
            var cell = Self.cell(statements: statements)
            cell.counts["allocations"] = allocations
            return Self.baseline([cell, Self.cell("\(statements)", statements: statements)])
        }
        var new = baseline(allocations: counted, statements: 11)

        new.keepSteadyCounts(of: baseline(allocations: 1000, statements: 10))

        #expect(new.cells.map(\.cell) == ["nested", "11.0"])
        #expect(new.cells[0].counts == ["allocations": kept, "statements": 11])
    }

    @Test func `an update of improvements leaves what rose`() {
        var baseline = Self.baseline([
            Self.cell("better", statements: 100), Self.cell("worse", statements: 100),
        ])

        baseline.update(
            with: [
                Self.cell("better", statements: 90), Self.cell("worse", statements: 110),
                Self.cell("new", statements: 5),
            ], onlyImproved: true)

        #expect(baseline.cells.map { $0.counts["statements"] } == [90, 100, 5])
    }
}
