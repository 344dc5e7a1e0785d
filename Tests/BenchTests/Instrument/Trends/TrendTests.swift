import Foundation
import Measuring
import RunRecords
import TestSupport
import Testing

@testable import Reports

@Suite struct `Trends (measuring §14)` {
    private let folder = TemporaryFolder()

    private static func conditions(
        sqlite: String = "3.40.1", build: BuildConfiguration = .release, dataset: String? = "seed 1"
    ) -> Baseline.Conditions {
        var conditions = Baseline.Conditions(
            SampleRun.environment().identity, build: build, dataset: dataset)
        conditions.sqliteVersion = sqlite
        return conditions
    }

    private static func key(_ metric: String) -> String { "import nested/pooled \(metric)" }

    /// A file of one commit, made so many hours after the first.
    private static func file(
        _ hour: Int, counts: [String: Double] = [:], ratios: [String: Double] = [:],
        commit: String? = nil, isDated: Bool = true, conditions: Baseline.Conditions = conditions(),
        processor: String = "2 × Example"
    ) -> VerdictFile {
        var file = VerdictFile(name: "\(hour)", exitCode: 0, meaning: "", unsoundCells: [])
        let date = SampleRun.start.addingTimeInterval(Double(hour) * 3_600)
        file.origin = VerdictFile.Origin(
            commit: commit ?? "commit\(hour)", committedAt: isDated ? date : nil, takenAt: date,
            processor: processor, conditions: conditions, workloads: [:])
        file.figures = VerdictFile.Figures(
            counts: counts.reduce(into: [:]) { $0[key($1.key)] = $1.value },
            ratiosToC: ratios.reduce(into: [:]) { $0[key($1.key)] = $1.value })
        return file
    }

    private func trend(_ files: [VerdictFile]) throws -> Trend {
        Trend(
            of: try History(
                files.map { CommitFigures($0, name: "run \($0.name)") }, path: "history"))
    }

    private func trend(counts: [Double], of metric: String = "statements") throws -> Trend {
        try trend(counts.enumerated().map { Self.file($0, counts: [metric: $1]) })
    }

    private static let answers: [([Double], String, Int32)] = [
        ([4, 4, 4, 5, 5, 5], "1 of 1 rows got worse, at commit3, one of 6 commits.", 10),
        (
            [5, 5, 5, 4, 4, 4],
            "None of 1 rows got worse; 1 got better, at commit3, one of 6 commits.", 0
        ),
        ([4, 4, 4, 5, 4, 4], "None of 1 rows changed in 6 commits.", 0),
        ([4, 4, 4, 4, 4, 4], "None of 1 rows changed in 6 commits.", 0),
    ]

    @Test(arguments: answers)
    func `the answer names the commit, and only a change for the worse fails`(
        counts: [Double], headline: String, exitCode: Int32
    ) throws {
        let trend = try trend(counts: counts)
        #expect(trend.headline == headline)
        #expect(trend.exitCode.rawValue == exitCode)
    }

    @Test func `a table has the row, the commit and its date, and by how much`() throws {
        let text = try trend(counts: [200, 200, 200, 206, 206, 206]).terminalText(width: nil)
        let line = text.split(separator: "\n").first { $0.contains("✗") }
        let words = line?.split(separator: " ").map(String.init)
        #expect(
            words == [
                "✗", "commit3", "2026-09-21", "import", "nested/pooled", "statements", "200", "206",
                "+3.0", "%",
            ])
        #expect(text.contains("Times are left out"))
    }

    @Test func `of commits without the row, each may have changed it`() throws {
        var files = (0..<8).map { Self.file($0, counts: ["statements": $0 < 4 ? 4 : 5]) }
        for hour in 3...4 { files[hour].figures?.counts = [Self.key("saves"): 1] }
        let trend = try trend(files)
        let change = try #require(trend.changes.first?.change)
        #expect(change.place == 5 && change.gap == 2)
        #expect(change.remark == "or at one of 2 commits before it without the row")
        #expect(trend.unjudged.map(\.figure.metric) == ["saves"])
        #expect(
            trend.notes.contains { $0.hasPrefix("1 row was not judged: a change needs 6 commits") })
    }

    @Test func `newest counts off the line are named, and fail nothing`() throws {
        let trend = try trend(counts: [4, 4, 4, 4, 4, 9])
        #expect(trend.exitCode == .success)
        #expect(trend.unconfirmed.map { $0.unconfirmed?.place } == [5])
        #expect(trend.terminalText(width: nil).contains("commit5"))
    }

    @Test func `a change beside a new SQLite may be SQLite's, and fails nothing`() throws {
        let files = (0..<6).map {
            Self.file(
                $0, counts: ["vmSteps": $0 < 3 ? 100 : 120],
                conditions: Self.conditions(sqlite: $0 < 3 ? "3.40.1" : "3.45.0"))
        }
        let trend = try trend(files)
        #expect(trend.exitCode == .success)
        #expect(
            trend.headline
                == "None of 1 rows got worse; 1 changed together with their conditions, "
                + "at commit3, one of 6 commits.")
        #expect(trend.changes.first?.change.conditions == ["SQLite was 3.40.1 and is 3.45.0"])
    }

    @Test func `a new processor explains a ratio to C, and no count`() throws {
        let files = (0..<6).map {
            Self.file(
                $0, counts: ["statements": $0 < 3 ? 4 : 5], ratios: ["time": $0 < 3 ? 1.5 : 2.5],
                processor: $0 < 3 ? "2 × Old" : "2 × New")
        }
        let changes = try trend(files).changes
        #expect(changes.map(\.row.figure.title) == ["statements", "time ÷ C"])
        #expect(changes.map(\.change.isOfCode) == [true, false])
    }

    @Test func `a higher rate in relation to C is better`() throws {
        let files = (0..<6).map { Self.file($0, ratios: ["rowsPerSecond": $0 < 3 ? 0.5 : 0.9]) }
        #expect(try trend(files).changes.map(\.change.isWorse) == [false])
    }

    @Test(arguments: [
        (Baseline.Conditions.Change.data, "it has other data: seed 2"),
        (.build, "it is a debug build"),
    ])
    func `a commit with other data or another build than the newest is left out`(
        change: Baseline.Conditions.Change, reason: String
    ) throws {
        var files = (0..<7).map { Self.file($0, counts: ["statements": 4]) }
        files[2].origin?.conditions =
            change == .data ? Self.conditions(dataset: "seed 2") : Self.conditions(build: .debug)
        let trend = try trend(files)
        #expect(trend.history.commits.count == 6)
        #expect(trend.history.leftOut.map(\.reason) == [reason])
        #expect(trend.notes.contains("Left out: run 2, since \(reason)."))
    }

    @Test func `of a commit that was measured twice, the newer file counts`() throws {
        var files = (0..<7).map { Self.file($0, counts: ["statements": 4]) }
        files[5].origin?.commit = "commit6"
        let history = try trend(files).history
        #expect(history.leftOut.map(\.name) == ["run 5"])
        #expect(history.leftOut.map(\.reason) == ["run 6 is of the same commit"])
    }

    @Test func `commits are ordered by their dates, those of the measurement, or names`() throws {
        let counts = ["statements": 4.0]
        let files = (0..<6).reversed().map { Self.file($0, counts: counts) }
        let dated = try trend(files)
        #expect(dated.history.commits.map(\.title) == (0..<6).map { "commit\($0)" })
        #expect(dated.notes[0] == "From commit0 to commit5, ordered by the dates of the commits.")

        let measured = try trend([Self.file(9, counts: counts, isDated: false)] + files)
        #expect(measured.notes[0].hasSuffix("of the measurement where that is unknown (run 9)."))

        var undated = Self.file(9, counts: counts)
        undated.origin = nil
        let named = try trend([undated] + files)
        #expect(named.history.commits.last?.title == "run 9")
        #expect(named.notes[0].hasSuffix("by name, since dates are unknown (run 9)."))
    }

    @Test func `a history of five commits is too short, and says what was left out`() {
        let files = (0..<6).map { Self.file($0, counts: $0 == 0 ? [:] : ["statements": 4]) }
        #expect(
            throws: HistoryError.tooFew(
                path: "history", count: 5,
                leftOut: ["run 0: it has neither counts nor ratios to C"])
        ) { try trend(files) }
    }

    @Test func `a folder may have runs, gates, baselines and files of earlier versions`() throws {
        let counted = [
            Baseline.Cell(workload: "import", cell: "nested/pooled", counts: ["statements": 4])
        ]
        for (name, day) in zip(["a", "b"], [0.0, 1]) {
            let baseline = Baseline(
                name: name, commit: name, committedAt: nil,
                savedAt: SampleRun.start.addingTimeInterval(day * 86_400),
                conditions: Self.conditions(dataset: SampleRun.full.dataset?.identity),
                cells: counted)
            try BaselineFolder(url: folder.url).save(baseline)
        }
        try RunDirectory.create("run", in: folder.url).writeReports(of: SampleRun.full)
        try RunDirectory.create("older", in: folder.url).write(SampleRun.full)
        var gate = SampleComparison.full
        gate.dataset = SampleRun.full.dataset
        try RunDirectory.create("gate", in: folder.url).writeReports(of: gate)
        try folder.write(
            """
            {"schema": 2, "name": "old", "exitCode": 0, "meaning": "", "unsoundCells": [], "questions": [
              {"id": "walk.time", "sentence": "", "answer": "", "metric": "time", "unit": "seconds",
               "sameWithin": 0.1, "isDecided": true, "contests": [{"label": "", "best": [],
               "reference": "sqlite-c", "findings": [
               {"cell": "shared/pooled", "verdict": "slower", "ratio": 1.5, "rounds": 9}]}]}]}
            """, to: "old/verdict.json")
        try folder.write("", to: "notes/readme.txt")
        try folder.write(
            #"{"schema": 2, "name": "", "exitCode": 0, "meaning": "", "runs": [], "unsoundCells": []}"#,
            to: "merged/verdict.json")

        let history = try History(of: folder.url)

        #expect(history.commits.map(\.name).sorted() == ["a", "b", "gate", "old", "older", "run"])
        #expect(history.leftOut.map(\.name) == ["merged", "notes"])
    }

    @Test func `a file that is none is refused by its path`() throws {
        try folder.write("{", to: "broken.json")
        #expect(throws: RunDirectoryError.self) { try History(of: folder.url) }
        #expect(throws: HistoryError.missing(path: folder.url("none").relativePath)) {
            try History(of: folder.url("none"))
        }
    }

    @Test func `the page has a curve for each changed row, and the others folded`() throws {
        let files = (0..<9).map {
            Self.file(
                $0,
                counts: [
                    "statements": $0 < 4 ? 4 : 5, "saves": 1, "vmSteps": [99, 100, 101][$0 % 3],
                ])
        }
        let html = try trend(files).html
        #expect(html.components(separatedBy: "<svg").count == 3)
        #expect(html.contains("1 that vary without a change"))
        #expect(html.contains("1 that are the same at all commits"))
        #expect(html.contains("commit4: 5"))
        #expect(!html.contains("nan") && !html.contains("http:"))
    }
}

extension Baseline.Conditions {
    /// What a test changes.
    enum Change { case data, build }
}
