import Measuring
import RunRecords
import TestSupport
import Testing

@testable import Reports

@Suite struct `What changed between runs (measuring §14)` {
    private static func finding(
        _ verdict: String, _ ratio: Double?, _ bounds: (Double, Double)? = nil,
        of cell: String = "nested/pooled"
    ) -> VerdictFile.Finding {
        VerdictFile.Finding(
            cell: cell, verdict: verdict, ratio: ratio, lower: bounds?.0, upper: bounds?.1,
            rounds: 9)
    }

    private static func file(
        _ findings: [VerdictFile.Finding], reference: String = "shared/pooled",
        best: [String] = ["shared/pooled"],
        _ change: (inout VerdictFile) -> Void = { _ in }
    ) -> VerdictFile {
        let contest = VerdictFile.Contest(
            label: "", reference: reference, best: best, findings: findings)
        let question = VerdictFile.Question(
            id: "import.time", sentence: "How long?", answer: "", metric: "time", unit: .seconds,
            sameWithin: 0.1, isDecided: true, contests: [contest])
        var file = VerdictFile(
            name: "", exitCode: 0, meaning: "", questions: [question], unsoundCells: [])
        file.origin = VerdictFile.Origin(
            takenAt: SampleRun.start, processor: "2 × Example",
            conditions: Baseline.Conditions(
                SampleRun.environment().identity, build: .release, dataset: "seed 1"),
            workloads: ["import": "import rows=1000"])
        change(&file)
        return file
    }

    private func changes(_ files: VerdictFile...) throws -> RunChanges {
        let names = ["Monday", "Tuesday", "Wednesday"].prefix(files.count).map { $0 }
        return try RunChanges(files, names: names, paths: names.map { "results/\($0)" })
    }

    @Test(arguments: [
        ("slower", 2.0, (1.5, 2.5), false, false, true),
        ("slower", 2.4, (2.2, 2.6), false, true, true),
        ("slower", 4.0, (3.5, 4.5), false, true, false),
        ("undecided", 1.2, (0.9, 1.6), true, false, true),
        ("faster", 0.5, (0.4, 0.6), true, false, false),
    ])
    func `a verdict changed, or its ratio moved out of an interval, or it stayed`(
        verdict: String, ratio: Double, bounds: (Double, Double), isOther: Bool, isMoved: Bool,
        overlap: Bool
    ) throws {
        let row = try #require(
            changes(
                Self.file([Self.finding("slower", 2, (1.5, 2.5))]),
                Self.file([Self.finding(verdict, ratio, bounds)])
            ).rows.first)
        #expect(row.name == "import.time: nested/pooled")
        #expect(row.hasOtherVerdict == isOther && row.isMoved == isMoved)
        #expect(row.intervalsOverlap == overlap)
    }

    @Test func `the text has the answer first, then what changed with both findings`() throws {
        let text = try changes(
            Self.file([
                Self.finding("slower", 2, (1.5, 2.5)),
                Self.finding("slower", 3, (2.5, 3.5), of: "single/pooled"),
            ]),
            Self.file([
                Self.finding("equivalent", 1.02, (0.97, 1.06)),
                Self.finding("slower", 5, (4, 6), of: "single/pooled"),
            ])
        ).terminalText(width: nil)
        let lines = text.split(separator: "\n").map(String.init)
        #expect(
            lines[0]
                == "1 of 2 findings have another verdict in Monday and Tuesday, and 1 only moved; 0 are "
                + "the same. All can be compared.")
        #expect(
            lines.contains {
                $0.contains("import.time: nested/pooled")
                    && $0.contains("2.00× slower [1.50, 2.50]")
                    && $0.contains("equivalent, 1.02× [0.97, 1.06]")
            })
        #expect(lines.contains { $0.contains("single/pooled") && $0.hasSuffix("lie apart") })
        #expect(text.contains("Absolute times are not compared"))
    }

    private static let differences:
        [(reason: String, change: @Sendable (inout VerdictFile) -> Void)] =
            [
                ("metric: time, then cpuTime", { $0.questions?[0].metric = "cpuTime" }),
                ("equivalent within: 10 %, then 20 %", { $0.questions?[0].sameWithin = 0.2 }),
                (
                    "values below one count alike: nothing, then 1.00 ms",
                    { $0.questions?[0].sameBelow = 0.001 }
                ),
                (
                    "workload: import rows=1000, then import rows=9",
                    { $0.origin?.workloads["import"] = "import rows=9" }
                ),
                ("data: seed 1, then seed 2", { $0.origin?.conditions.dataset = "seed 2" }),
                ("build: release, then debug", { $0.origin?.conditions.build = .debug }),
                ("processor: 2 × Example, then 4 × Other", { $0.origin?.processor = "4 × Other" }),
                (
                    "compared with: shared/pooled, then single/pooled",
                    {
                        $0.questions?[0].contests[0].reference = "single/pooled"
                    }
                ),
                ("not in Tuesday", { $0.questions?[0].contests[0].findings.removeLast() }),
            ]

    @Test(arguments: differences.indices)
    func `what cannot be compared is listed with its reason`(index: Int) throws {
        let (reason, change) = Self.differences[index]
        let findings = [
            Self.finding("slower", 2, (1.5, 2.5)),
            Self.finding("slower", 2, (1.5, 2.5), of: "single/pooled"),
        ]
        let changes = try changes(Self.file(findings), Self.file(findings, change))
        #expect(changes.leftOut.contains { $0.reason == reason }, "\(changes.leftOut)")
    }

    @Test func `where the reference is another one, the best cells are compared`() throws {
        let one = Self.finding("slower", 2, (1.5, 2.5))
        let rows = try changes(
            Self.file([one]), Self.file([one], reference: "single/pooled", best: ["single/pooled"])
        ).rows
        #expect(rows.map(\.name) == ["import.time: the best"])
        #expect(rows.map(\.hasOtherVerdict) == [true])
    }

    @Test func `counts move by more than they vary, on any processor`() throws {
        func counted(_ statements: Double, _ steps: Double, _ processor: String) -> VerdictFile {
            Self.file([]) {
                $0.origin?.processor = processor
                $0.figures = VerdictFile.Figures(
                    counts: [
                        "import shared statements": statements, "import shared vmSteps": steps,
                    ],
                    ratiosToC: [:])
            }
        }
        let rows = try changes(counted(4, 1_000, "one"), counted(5, 1_004, "other")).rows
        #expect(
            rows.filter(\.isMoved).map(\.name) == ["counts: import shared statements"])
    }

    @Test func `claims and rules are compared, and three runs are told in order`() throws {
        func claimed(_ verdict: ClaimVerdict) -> VerdictFile {
            Self.file([]) { $0.claims = [VerdictFile.Claim(id: "main", verdict: verdict)] }
        }
        let changes = try changes(claimed(.reproduced), claimed(.refuted), claimed(.reproduced))
        #expect(
            changes.rows.map { $0.findings.map(\.told) } == [
                ["reproduced", "refuted", "reproduced"]
            ])
        #expect(
            changes.headline.hasPrefix(
                "1 of 1 findings have another verdict in Monday, Tuesday and"))
    }

    @Test func `files of earlier versions are compared with a caution`() throws {
        let one = Self.file([Self.finding("slower", 2, (1.5, 2.5))]) { $0.origin = nil }
        let text = try changes(one, one).terminalText(width: nil)
        #expect(text.contains("0 of 1 findings have another verdict"))
        #expect(text.contains("an earlier version of bench wrote Monday and Tuesday"))
    }

    @Test func `runs with nothing in common are refused`() {
        let one = Self.file([Self.finding("slower", 2, (1.5, 2.5))])
        let other = Self.file([]) { $0.questions = [] }
        #expect(
            throws: MergeError.nothingInCommon(paths: ["results/Monday", "results/Tuesday"])
        ) { try changes(one, other) }
    }
}
