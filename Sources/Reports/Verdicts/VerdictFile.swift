import Foundation
import Measuring
import RunRecords

/// `verdict.json`: the findings for programs, in a format that does not change with the reports.
struct VerdictFile: Codable {
    static let schema = 2

    var schema = VerdictFile.schema
    var name: String
    var exitCode: Int32
    var meaning: String
    /// Of merged verdicts: the names of the runs.
    var runs: [String]?
    /// Absent in files of earlier versions, and of merged verdicts.
    var origin: Origin?
    /// Of a run; absent in files of earlier versions.
    var figures: Figures?
    /// Of a run: one for each question of its workloads.
    var questions: [Question]?
    /// Of a run that was asked about claims.
    var claims: [Claim]?
    /// Of a run: one for each threshold rule of its workloads and each cell that it matches; absent
    /// without rules.
    var rules: [Rule]?
    /// Of a comparison: a row for each cell and metric.
    var rows: [Row]?
    var unsoundCells: [UnsoundCell]

    /// What figures depend on.
    struct Origin: Codable, Hashable {
        /// The commit of the checkout, and when it was made.
        var commit: String?
        var committedAt: Date?
        var takenAt: Date
        /// The number of cores and the model.
        var processor: String
        var conditions: Baseline.Conditions
        /// Of a run: the kind of each workload and the parameters that all of its cells share, by name.
        var workloads: [String: String]
    }

    /// Numbers that can be compared with those of other runs, by "workload cell metric".
    struct Figures: Codable, Hashable {
        /// The counts of one operation.
        var counts: [String: Double]
        /// What a cell needs in relation to the raw C API.
        var ratiosToC: [String: Double]
    }

    struct Question: Codable {
        /// "workload.question".
        var id: String
        /// The question as a person asks it, and the answer.
        var sentence: String
        var answer: String
        var metric: String
        var unit: MetricUnit
        /// Larger shares matter, and so do larger values, in the unit.
        var sameWithin: Double
        var sameBelow: Double?
        var isDecided: Bool
        var contests: [Contest]
    }

    struct Claim: Codable {
        var id: String
        var verdict: ClaimVerdict
    }

    struct Contest: Codable {
        var label: String
        /// The ``CellResult/identifier`` of the cell with which the others are compared; absent if
        /// nothing was measured.
        var reference: String?
        /// The cells that are not known to be worse than another one, best median first.
        var best: [String]
        var findings: [Finding]
    }

    struct Finding: Codable {
        var cell: String
        /// The other cell, if it is not the contest's reference.
        var reference: String?
        /// "faster", "slower", "less", "more", "equivalent" or "undecided".
        var verdict: String
        /// The cell's value divided by the reference's.
        var ratio: Double?
        var lower: Double?
        var upper: Double?
        var rounds: Int
        /// What would decide it; absent if it is decided.
        var remedy: String?
    }

    struct Rule: Codable {
        var workload: String
        var cell: String
        var metric: String
        var statistic: ThresholdRule.Statistic
        var outcome: Outcome
        var sentence: String

        enum Outcome: String, Codable {
            case held, crossed, open
        }
    }

    struct Row: Codable {
        var workload: String
        var cell: String
        var metric: String
        var verdict: Verdict
        var rule: ComparisonRule
        var base: Double?
        var head: Double?
        var ratio: Double?
        var lower: Double?
        var upper: Double?
        var pValue: Double?
        var minimumDetectableEffect: Double?
        var pairs: Int
        var confirmationPairs: Int
        var sentence: String
    }

    var json: String {
        guard let data = try? JSONEncoder.ofFiles.encode(self) else {
            preconditionFailure("numbers, texts and arrays of them can be encoded")
        }
        return String(decoding: data, as: UTF8.self) + "\n"
    }
}

extension VerdictFile {
    init(_ run: Run) {
        name = run.name
        exitCode = run.exitCode.rawValue
        meaning = run.exitCode.meaning
        origin = Origin(run)
        figures = Figures(
            counts: Baseline.lines(of: run.countedCells),
            ratiosToC: Baseline.lines(of: run.ratiosToC))
        questions = run.questionResults.map(Question.init)
        claims = run.claims == nil ? nil : run.claimResults.map(Claim.init)
        rules = run.ruleReport?.verdicts.map(Rule.init)
        unsoundCells = run.unsoundCells
    }

    init(_ report: ComparisonReport) {
        name = report.title
        exitCode = report.exitCode.rawValue
        meaning = report.meaning
        origin = Origin(
            commit: report.head.commit, report.startedAt, report.environment, report.build,
            report.dataset)
        rows = report.rows.map(Row.init)
        unsoundCells = report.unsoundCells
    }
}

extension VerdictFile {
    /// Reads `verdict.json`. Of an earlier version, or if it is missing, it is made from `run.json` or
    /// `comparison.json` where the folder has one.
    ///
    /// - Throws: as ``RunDirectory/load()``.
    init(loading directory: RunDirectory) throws {
        let file = directory.url.appendingPathComponent("verdict.json")
        let isMissing = !FileManager.default.fileExists(atPath: file.path)
        let made = isMissing ? nil : try directory.load(Self.self, schema: Self.schema, from: file)
        if made?.origin == nil, directory.holdsComparison {
            self = VerdictFile(try directory.loadComparison())
        } else if made?.origin == nil, directory.holdsRun {
            self = VerdictFile(try directory.load())
        } else if let made {
            self = made
        } else {
            throw RunDirectoryError.missing(path: file.path)
        }
    }
}

extension VerdictFile.Origin {
    fileprivate init(_ run: Run) {
        self.init(
            commit: run.commit, run.startedAt, run.environment, run.build, run.dataset,
            workloads: run.workloads.reduce(into: [:]) { $0[$1.name] = $1.definition })
        processor = run.machines.map(\.environment.identity.processor).uniqued.listed
    }

    fileprivate init(
        commit: String?, _ takenAt: Date, _ environment: EnvironmentFingerprint,
        _ build: BuildConfiguration, _ dataset: DatasetDescription?,
        workloads: [String: String] = [:]
    ) {
        self.init(
            commit: commit, committedAt: environment.committedAt, takenAt: takenAt,
            processor: environment.identity.processor,
            conditions: Baseline.Conditions(
                environment.identity, build: build, dataset: dataset?.identity),
            workloads: workloads)
    }
}

extension EnvironmentFingerprint.Identity {
    fileprivate var processor: String { "\(coreCount) × \(cpuModel)" }
}

extension WorkloadResult {
    /// "import rows=1000 saveSize=100".
    fileprivate var definition: String {
        ([kind] + parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })
            .joined(separator: " ")
    }
}

extension VerdictFile.Claim {
    fileprivate init(_ result: ClaimResult) {
        self.init(id: result.claim.id, verdict: result.verdict)
    }
}

extension VerdictFile.Question {
    fileprivate init(_ result: QuestionResult) {
        self.init(
            id: result.identifier, sentence: result.question.sentence,
            answer: InlineText(markdown: QuestionSentence(result).answer).plain,
            metric: result.question.metric.name, unit: result.question.metric.unit,
            sameWithin: result.question.sameWithin, sameBelow: result.question.sameBelow,
            isDecided: result.isDecided,
            contests: result.contests.map { contest in
                VerdictFile.Contest(
                    label: contest.contest.label, reference: contest.reference?.identifier,
                    best: contest.best,
                    findings: contest.findings.map {
                        .init($0, in: contest, by: result.question.metric)
                    })
            })
    }
}

extension VerdictFile.Finding {
    fileprivate init(_ finding: Finding, in contest: ContestResult, by metric: Metric) {
        let ratio = finding.verdict.ratio
        let isOther = contest.reference.map { $0.identifier != finding.reference } ?? false
        self.init(
            cell: finding.cell, reference: isOther ? finding.reference : nil,
            verdict: finding.verdict.word(for: metric), ratio: ratio?.estimate,
            lower: ratio?.interval?.lowerBound, upper: ratio?.interval?.upperBound,
            rounds: finding.roundCount, remedy: finding.verdict.remedy?.sentence)
    }
}

extension VerdictFile.Rule {
    fileprivate init(_ verdict: ThresholdVerdict) {
        self.init(
            workload: verdict.workload, cell: verdict.cell, metric: verdict.metric.name,
            statistic: verdict.rule.statistic,
            outcome: verdict.isCrossed ? .crossed : verdict.isOpen ? .open : .held,
            sentence: "\(verdict)")
    }
}

extension VerdictFile.Row {
    fileprivate init(_ row: Comparison) {
        self.init(
            workload: row.workload, cell: row.cell, metric: row.metric.name,
            verdict: row.verdict, rule: row.rule, base: row.base, head: row.head,
            ratio: row.ratio, lower: row.interval?.lower, upper: row.interval?.upper,
            pValue: row.pValue, minimumDetectableEffect: row.minimumDetectableEffect,
            pairs: row.pairs.count, confirmationPairs: row.confirmation.count,
            sentence: InlineText(markdown: row.sentence).plain)
    }
}
