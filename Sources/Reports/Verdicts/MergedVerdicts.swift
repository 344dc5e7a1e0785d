import Foundation
import Measuring
import RunRecords

/// The verdicts of several runs on the same questions as one.
///
/// Each interval goes from the lowest end of the runs' intervals to the highest, so it includes what
/// changed between the runs, such as the hour and the machine. A comparison is decided if all runs
/// decided it alike.
public struct MergedVerdicts {
    /// The folders of the runs.
    let names: [String]
    let questions: [Question]
    /// The ids of claims with the verdict of each run, for claims that all runs have.
    let claims: [(id: String, verdicts: [ClaimVerdict])]
    /// The number of comparisons that not all runs have.
    let leftOutCount: Int

    struct Question {
        let stated: VerdictFile.Question
        let contests: [Contest]
        var comparisons: [Comparison] { contests.flatMap(\.comparisons) }
    }

    struct Contest {
        let stated: VerdictFile.Contest
        let comparisons: [Comparison]
    }

    /// Reads the `verdict.json` of each run.
    ///
    /// - Parameter directories: two or more.
    /// - Throws: ``RunDirectoryError`` if one cannot be read, ``MergeError/differs(_:paths:)`` if
    ///   two ask a question differently, ``MergeError/nothingInCommon(paths:)``.
    public init(of directories: [RunDirectory]) throws {
        try self.init(
            directories.map(VerdictFile.init(loading:)), paths: directories.map(\.url.relativePath))
    }

    init(_ files: [VerdictFile], paths: [String]) throws(MergeError) {
        let runs = files.map { file in
            Dictionary((file.questions ?? []).map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        }
        names = files.map(\.name)
        var merged: [Question] = []
        var countMax = 0
        for id in files.flatMap({ $0.questions ?? [] }).map(\.id).uniqued {
            let asked = runs.compactMap { $0[id] }
            countMax += asked.map(\.findingCount).max() ?? 0
            guard asked.count == files.count else { continue }
            guard asked.dropFirst().allSatisfy({ $0.isAsked(like: asked[0]) }) else {
                throw .differs(.question(id), paths: paths)
            }
            merged.append(Question(asked))
        }
        questions = merged.filter { !$0.comparisons.isEmpty }
        guard !questions.isEmpty else { throw .nothingInCommon(paths: paths) }
        leftOutCount = countMax - questions.map(\.comparisons.count).reduce(0, +)
        let verdicts = files.map { file in
            Dictionary(
                (file.claims ?? []).map { ($0.id, $0.verdict) }, uniquingKeysWith: { $1 })
        }
        claims = (files[0].claims ?? []).compactMap { claim in
            let own = verdicts.compactMap { $0[claim.id] }
            return own.count == files.count ? (claim.id, own) : nil
        }
    }

    /// One comparison in all runs.
    struct Comparison {
        let cell: String
        let reference: String
        /// In the order of the runs.
        let findings: [VerdictFile.Finding]

        /// The verdict of all runs; "undecided" if they differ.
        var verdict: String {
            findings.allSatisfy { $0.verdict == findings[0].verdict }
                ? findings[0].verdict : "undecided"
        }
        var isDecided: Bool { verdict != "undecided" }

        /// Whether two runs decided it and not alike.
        var isContradictory: Bool {
            Set(findings.map(\.verdict)).subtracting(["undecided"]).count > 1
        }

        /// The geometric mean of the runs' ratios; nil if a run has none.
        var ratio: Double? {
            let ratios = findings.compactMap(\.ratio)
            guard ratios.count == findings.count else { return nil }
            return ratios.allSatisfy { $0 == ratios[0] }
                ? ratios[0]
                : exp(ratios.map { log($0) }.reduce(0, +) / Double(ratios.count))
        }

        /// Holds the intervals of all runs, and the exact ratios of runs without one; nil if a run has
        /// no ratio, or if all are exact and the same.
        var interval: ClosedRange<Double>? {
            let ends = findings.flatMap { finding in
                [finding.lower ?? finding.ratio, finding.upper ?? finding.ratio].compactMap(\.self)
            }
            guard ends.count == 2 * findings.count, let lower = ends.min(), let upper = ends.max(),
                lower < upper || findings.contains(where: { $0.lower != nil })
            else { return nil }
            return lower...upper
        }

        /// Whether a run's ratio lies outside the interval of another; nil if a run has no interval.
        var isMoved: Bool? {
            let intervals = findings.compactMap { finding in
                finding.lower.flatMap { lower in finding.upper.map { lower...$0 } }
            }
            guard intervals.count == findings.count else { return nil }
            return findings.compactMap(\.ratio).contains { ratio in
                !intervals.allSatisfy { $0.contains(ratio) }
            }
        }
    }
}

extension MergedVerdicts.Question {
    /// - Parameter asked: The question in each run.
    fileprivate init(_ asked: [VerdictFile.Question]) {
        stated = asked[0]
        contests = stated.contests.compactMap { contest in
            let all = asked.compactMap { question in
                question.contests.first { $0.label == contest.label }
            }
            guard all.count == asked.count else { return nil }
            var stated = contest
            stated.best = contest.best.filter { cell in
                all.allSatisfy { $0.best.contains(cell) }
            }
            return MergedVerdicts.Contest(
                stated: stated,
                comparisons: contest.findings.compactMap { finding in
                    guard let reference = contest.reference(of: finding) else { return nil }
                    let findings = all.compactMap { other in
                        other.findings.first {
                            $0.cell == finding.cell && other.reference(of: $0) == reference
                        }
                    }
                    guard findings.count == all.count else { return nil }
                    return MergedVerdicts.Comparison(
                        cell: finding.cell, reference: reference, findings: findings)
                })
        }
    }
}

extension VerdictFile.Question {
    fileprivate var findingCount: Int { contests.map(\.findings.count).reduce(0, +) }

    /// Whether both judge the same metric by the same bounds.
    fileprivate func isAsked(like other: Self) -> Bool {
        metric == other.metric && sameWithin == other.sameWithin && sameBelow == other.sameBelow
    }
}

extension VerdictFile.Contest {
    fileprivate func reference(of finding: VerdictFile.Finding) -> String? {
        finding.reference ?? reference
    }
}

extension VerdictFile {
    /// The merged verdicts: claims are those on which all runs agree, and the best cells those that
    /// are among the best in each.
    init(_ merged: MergedVerdicts, name: String) {
        self.name = name
        exitCode = RunRecords.ExitCode.success.rawValue
        meaning = RunRecords.ExitCode.success.meaning
        runs = merged.names
        questions = merged.questions.map { question in
            var file = question.stated
            file.answer = merged.lines(of: question).joined(separator: "; ")
            file.isDecided = question.comparisons.allSatisfy(\.isDecided)
            file.contests = question.contests.map { contest in
                var file = contest.stated
                file.findings = contest.comparisons.map { comparison in
                    Finding(
                        cell: comparison.cell,
                        reference: comparison.reference == file.reference
                            ? nil : comparison.reference,
                        verdict: comparison.verdict, ratio: comparison.ratio,
                        lower: comparison.interval?.lowerBound,
                        upper: comparison.interval?.upperBound,
                        rounds: comparison.findings.map(\.rounds).reduce(0, +))
                }
                return file
            }
            return file
        }
        claims = merged.claims.filter { Set($0.verdicts).count == 1 }.map {
            Claim(id: $0.id, verdict: $0.verdicts[0])
        }
        unsoundCells = []
    }
}
