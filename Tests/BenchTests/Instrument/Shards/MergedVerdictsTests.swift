import Measuring
import RunRecords
import Testing

@testable import Reports

@Suite("Verdicts of runs of different days")
struct MergedVerdictsTests {
    private typealias Finding = VerdictFile.Finding

    private func file(
        _ name: String, _ findings: [Finding], sameWithin: Double = 0.1, claim: ClaimVerdict? = nil
    ) -> VerdictFile {
        VerdictFile(
            name: name, exitCode: 0, meaning: "",
            questions: [
                VerdictFile.Question(
                    id: "import.time", sentence: "How long?", answer: "", metric: "time",
                    unit: .seconds, sameWithin: sameWithin, isDecided: true,
                    contests: [
                        VerdictFile.Contest(
                            label: "saveSize 10", reference: "shared/pooled/saveSize=10",
                            best: ["shared/pooled/saveSize=10"], findings: findings)
                    ])
            ],
            claims: claim.map { [VerdictFile.Claim(id: "main", verdict: $0)] }, unsoundCells: [])
    }

    private func finding(
        _ verdict: String, _ ratio: Double?, _ lower: Double?, _ upper: Double?,
        of cell: String = "nested/pooled/saveSize=10"
    ) -> Finding {
        Finding(
            cell: cell, verdict: verdict, ratio: ratio, lower: lower, upper: upper, rounds: 9)
    }

    private func merged(_ first: Finding, _ second: Finding) throws -> MergedVerdicts {
        try MergedVerdicts(
            [file("Monday", [first]), file("Tuesday", [second])], paths: ["Monday", "Tuesday"])
    }

    @Test(
        "A comparison is decided if all runs decided it alike; its interval holds those of all runs",
        arguments: [
            ("slower", "slower", "4.00× slower [1.50, 9.00], of 2.00× and 8.00×"),
            ("faster", "faster", "0.25× faster [0.11, 0.67], of 0.50× and 0.12×"),
            (
                "slower", "undecided",
                "slower, then undecided, 4.00× [1.50, 9.00], of 2.00× and 8.00×"
            ),
            (
                "slower", "equivalent",
                "slower, then equivalent, 4.00× [1.50, 9.00], of 2.00× and 8.00×"
            ),
        ])
    func comparison(first: String, second: String, line: String) throws {
        let merged = try merged(finding(first, 2, 1.5, 2.5), finding(second, 8, 7, 9))
        #expect(
            merged.lines(of: merged.questions[0])
                == ["nested against shared with saveSize 10: \(line)"])
        let written = try #require(VerdictFile(merged, name: "both").questions?.first)
        let kept = try #require(written.contests.first?.findings.first)
        #expect(kept.verdict == (first == second ? first : "undecided"))
        #expect(kept.lower == 1.5 && kept.upper == 9 && kept.rounds == 18)
        #expect(written.isDecided == (first == second))
    }

    @Test("The headline counts comparisons that moved out of another run’s interval")
    func headline() throws {
        let moved = try merged(finding("slower", 2, 1.5, 2.5), finding("slower", 8, 7, 9))
        #expect(
            moved.headline
                == "1 of 1 comparisons are decided alike in Monday and Tuesday, 0 differently. "
                + "1 of 1 have a ratio outside the interval of another run.")
        let turned = try merged(finding("slower", 2, 1.5, 2.5), finding("equivalent", 1.9, 1, 2.2))
        #expect(turned.headline.contains("0 of 1 comparisons are decided alike"))
        #expect(turned.headline.contains("1 differently. 0 of 1 have a ratio outside"))
        #expect(turned.terminalText.contains("slower, then equivalent"))
    }

    @Test("Exact counts have an interval only if the runs differ")
    func counts() throws {
        let same = try merged(finding("more", 3, nil, nil), finding("more", 3, nil, nil))
        #expect(same.questions[0].comparisons[0].interval == nil)
        let other = try merged(finding("more", 3, nil, nil), finding("more", 4, nil, nil))
        #expect(other.questions[0].comparisons[0].interval == 3...4)
    }

    @Test("A comparison without an interval in one run has none together")
    func nothingMeasured() throws {
        let merged = try merged(
            finding("slower", 2, 1.5, 2.5), finding("undecided", nil, nil, nil))
        #expect(merged.questions[0].comparisons[0].interval == nil)
        #expect(
            merged.lines(of: merged.questions[0])
                == [
                    "nested against shared with saveSize 10: slower, then undecided, of 2.00× and nothing"
                ])
    }

    @Test("Comparisons that not all runs have are left out and counted")
    func leftOut() throws {
        let both = finding("slower", 2, 1.5, 2.5)
        let merged = try MergedVerdicts(
            [
                file(
                    "Monday", [both, finding("slower", 3, 2, 4, of: "single/pooled/saveSize=10")]),
                file("Tuesday", [both]),
            ], paths: ["Monday", "Tuesday"])
        #expect(merged.leftOutCount == 1)
        #expect(merged.markdown.contains("One comparison that not all runs have is left out."))
    }

    @Test("Claims keep a verdict that all runs gave; the others are listed")
    func claims() throws {
        let both = finding("slower", 2, 1.5, 2.5)
        let merged = try MergedVerdicts(
            [
                file("Monday", [both], claim: .reproduced),
                file("Tuesday", [both], claim: .undecided),
            ], paths: ["Monday", "Tuesday"])
        #expect(VerdictFile(merged, name: "both").claims?.isEmpty == true)
        #expect(merged.markdown.contains("- main: reproduced, then undecided"))
    }

    @Test("Runs that ask differently, or nothing alike, are refused with their names")
    func refused() {
        let one = finding("slower", 2, 1.5, 2.5)
        #expect(throws: MergeError.differs(.question("import.time"), paths: ["a", "b"])) {
            try MergedVerdicts(
                [file("a", [one]), file("b", [one], sameWithin: 0.2)], paths: ["a", "b"])
        }
        #expect(throws: MergeError.nothingInCommon(paths: ["a", "b"])) {
            try MergedVerdicts([file("a", [one]), file("b", [])], paths: ["a", "b"])
        }
    }
}
