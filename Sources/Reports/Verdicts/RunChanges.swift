import Measuring
import RunRecords

/// How the findings of finished runs differ: which verdicts are others, which figures only moved, and
/// what cannot be compared.
///
/// Only verdicts, counts and ratios within a run are compared. Absolute times are not: each run has
/// the machine of its hour.
public struct RunChanges {
    let names: [String]
    let rows: [Row]
    let leftOut: [LeftOut]
    /// The runs whose files do not say what their figures depend on.
    let namesWithoutOrigin: [String]

    /// One thing that all runs found.
    struct Row {
        let name: String
        /// In the order of the runs.
        let findings: [Compared]

        var hasOtherVerdict: Bool { Set(findings.map(\.verdict)).count > 1 }

        /// Whether a figure lies outside the interval of another run or, without intervals, further
        /// from it than its tolerance.
        var isMoved: Bool { !hasOtherVerdict && (isOutside || isFar) }

        private var isOutside: Bool {
            findings.compactMap(\.value).contains { value in
                findings.compactMap(\.interval).contains { !$0.contains(value) }
            }
        }

        private var isFar: Bool {
            let counts = findings.filter { $0.interval == nil }.compactMap(\.value)
            guard counts.count == findings.count, let lowest = counts.min(),
                let highest = counts.max()
            else { return false }
            return highest > lowest * (1 + findings[0].tolerance)
        }

        /// Whether the intervals of all runs have a value in common; `nil` if a run has none.
        var intervalsOverlap: Bool? {
            let intervals = findings.compactMap(\.interval)
            guard intervals.count == findings.count, let lower = intervals.map(\.lowerBound).max(),
                let upper = intervals.map(\.upperBound).min()
            else { return nil }
            return lower <= upper
        }
    }

    /// What a run found about one thing.
    struct Compared {
        /// Of what it is one finding, such as a contest of a question.
        let group: String
        let name: String
        /// "" for a figure without one.
        var verdict = ""
        var value: Double?
        var interval: ClosedRange<Double>?
        /// The share by which values without an interval may differ: as much as counts vary, or as a
        /// question calls equivalent.
        var tolerance = 0.0
        /// The finding in words.
        let told: String
        /// What must be the same in all runs: "metric" and "time".
        var traits: [(name: String, value: String)] = []

        fileprivate var key: String { "\(group): \(name)" }

        /// The name of the cells that are not known to be worse than another one.
        fileprivate static let best = "the best"
        /// The trait of a comparison that says with which cell.
        fileprivate static let reference = "compared with"
    }

    /// Findings that cannot be compared.
    struct LeftOut: Equatable {
        let group: String
        let reason: String
        var count = 1
    }

    /// Reads the `verdict.json` of each run.
    ///
    /// - Parameter directories: two or more.
    /// - Throws: ``RunDirectoryError`` if one cannot be read, ``MergeError/nothingInCommon(paths:)``.
    public init(of directories: [RunDirectory]) throws {
        let paths = directories.map(\.url.relativePath)
        try self.init(
            directories.map(VerdictFile.init(loading:)), names: paths.map(Self.name), paths: paths)
    }

    private static func name(_ path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    /// - Parameter names: what to call the runs; those of the files if they differ.
    init(_ files: [VerdictFile], names: [String], paths: [String]) throws(MergeError) {
        self.names = Set(names).count == names.count ? names : paths
        namesWithoutOrigin = zip(self.names, files).filter { $1.origin == nil }.map(\.0)
        let comparables = files.map(Comparables.init(of:))
        let findings = comparables.map(\.all)
        let runs = findings.map { Dictionary($0.map { ($0.key, $0) }) { $1 } }
        var rows: [Row] = []
        var leftOut: [LeftOut] = []
        for finding in Self.each(findings.flatMap(\.self)) {
            let all = runs.map { $0[finding.key] }
            let group = finding.group
            if let reason = Self.reason(
                all, self.names, references: comparables.compactMap { $0.references[group] })
            {
                guard finding.name != Compared.best else { continue }
                if let place = leftOut.firstIndex(where: {
                    ($0.group, $0.reason) == (group, reason)
                }) {
                    leftOut[place].count += 1
                } else {
                    leftOut.append(LeftOut(group: group, reason: reason))
                }
            } else {
                rows.append(Row(name: finding.key, findings: all.compactMap(\.self)))
            }
        }
        // Where all are compared with the same cell, the best ones follow from the verdicts.
        let open = leftOut.filter { $0.reason.hasPrefix(Compared.reference) }.map(\.group)
        self.rows = rows.filter { row in
            row.findings[0].name != Compared.best || open.contains(row.findings[0].group)
        }
        self.leftOut = leftOut
        guard !self.rows.isEmpty || leftOut.contains(where: { !$0.reason.hasPrefix("not in ") })
        else { throw .nothingInCommon(paths: paths) }
    }

    /// The first finding of each key, in order.
    private static func each(_ findings: [Compared]) -> [Compared] {
        var seen: Set<String> = []
        return findings.filter { seen.insert($0.key).inserted }
    }

    /// Why the findings of the runs cannot be compared; `nil` if they can.
    ///
    /// - Parameter references: the cells with which those of the group are compared. A reference is
    ///   not compared with itself, so that it lacks a finding that another run has.
    private static func reason(
        _ findings: [Compared?], _ names: [String], references: [String]
    ) -> String? {
        let missing = zip(names, findings).filter { $1 == nil }.map(\.0)
        guard missing.isEmpty else {
            return references.count == names.count && Set(references).count > 1
                ? "\(Compared.reference): \(references.joined(separator: ", then "))"
                : "not in \(missing.listed)"
        }
        let traits = findings.compactMap { $0?.traits }
        for name in traits.flatMap({ $0.map(\.name) }).uniqued {
            let values = traits.compactMap { $0.first { $0.name == name }?.value }
            if Set(values).count > 1 { return "\(name): \(values.joined(separator: ", then "))" }
        }
        return nil
    }
}

/// What of a `verdict.json` can be compared with other runs.
private struct Comparables {
    private let origin: VerdictFile.Origin?
    private(set) var all: [RunChanges.Compared] = []
    /// The cell of each contest with which the others are compared, by group.
    private(set) var references: [String: String] = [:]

    init(of file: VerdictFile) {
        origin = file.origin
        for question in file.questions ?? [] {
            for contest in question.contests { add(contest, of: question) }
        }
        for claim in file.claims ?? [] {
            all.append(
                .init(
                    group: "claims", name: claim.id, verdict: claim.verdict.rawValue,
                    told: claim.verdict.title))
        }
        let rules = Dictionary(grouping: file.rules ?? [], by: \.key)
        for (key, rules) in rules.sorted(by: { $0.key < $1.key }) {
            let outcomes = rules.map(\.outcome.rawValue).joined(separator: ", ")
            all.append(.init(group: "rules", name: key, verdict: outcomes, told: outcomes))
        }
        for row in file.rows ?? [] { add(row) }
        for (key, count) in (file.figures?.counts ?? [:]).sorted(by: { $0.key < $1.key }) {
            add(count, key)
        }
    }

    private mutating func add(_ contest: VerdictFile.Contest, of question: VerdictFile.Question) {
        let group = [question.id, contest.label].filter { !$0.isEmpty }.joined(separator: ", ")
        let traits = traits(of: question)
        references[group] = contest.reference
        all.append(
            .init(
                group: group, name: RunChanges.Compared.best,
                verdict: contest.best.sorted().joined(separator: " "),
                told: contest.best.map(escaped).listed, traits: traits))
        for finding in contest.findings {
            guard let reference = finding.reference ?? contest.reference else { continue }
            let comparison = MergedVerdicts.Comparison(
                cell: finding.cell, reference: reference, findings: [finding])
            all.append(
                .init(
                    group: group, name: finding.cell, verdict: finding.verdict,
                    value: finding.ratio, interval: comparison.interval,
                    tolerance: question.sameWithin,
                    told: MergedVerdicts.told(comparison, in: question.unit),
                    traits: traits + [(RunChanges.Compared.reference, reference)]))
        }
    }

    /// Times depend on the processor, even in relation to one another.
    private func traits(of question: VerdictFile.Question) -> [(name: String, value: String)] {
        let below = question.sameBelow.map(question.unit.format) ?? "nothing"
        let isSpeed = question.unit.isTime || question.unit == .perSecond
        return known([
            ("metric", question.metric), ("equivalent within", percent(question.sameWithin)),
            ("values below one count alike", below),
            ("workload", origin?.workloads[String(question.id.prefix { $0 != "." })]),
            ("data", origin?.conditions.dataset), ("build", origin?.conditions.build.rawValue),
            ("processor", isSpeed ? origin?.processor : nil),
        ])
    }

    private func known(_ traits: [(String, String?)]) -> [(name: String, value: String)] {
        traits.compactMap { name, value in value.map { (name, $0) } }
    }

    private mutating func add(_ row: VerdictFile.Row) {
        let interval = row.lower.flatMap { lower in
            row.upper.flatMap { lower <= $0 ? lower...$0 : nil }
        }
        let ratio = row.ratio.map { " \(VerdictText.factor($0))" } ?? ""
        var tolerance = 0.0
        if case .exact(let share) = row.rule { tolerance = share }
        all.append(
            .init(
                group: "gate", name: "\(row.workload) \(row.cell) \(row.metric)",
                verdict: row.verdict.rawValue, value: row.ratio, interval: interval,
                tolerance: tolerance, told: row.verdict.rawValue + ratio))
    }

    private mutating func add(_ count: Double, _ key: String) {
        let parts = key.split(separator: " ")
        let metric = Metric.named(String(parts.last ?? ""))
        var tolerance = 0.0
        if case .exact(let share) = metric.repeatability { tolerance = share }
        let conditions = origin?.conditions
        all.append(
            .init(
                group: "counts", name: key, value: count, tolerance: tolerance,
                told: metric.unit.format(count),
                traits: known([
                    ("workload", origin?.workloads[parts.dropLast(2).joined(separator: " ")]),
                    ("data", conditions?.dataset), ("build", conditions?.build.rawValue),
                    ("SQLite", conditions?.sqliteVersion), ("Swift", conditions?.swiftVersion),
                    ("allocator", conditions?.allocator),
                ])))
    }
}

extension VerdictFile.Rule {
    fileprivate var key: String { "\(workload) \(cell) \(metric) \(statistic)" }
}
