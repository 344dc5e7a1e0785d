import Measuring
import RunRecords

/// A cell that is known to be worse than another one, as advice names it.
struct WorseCell {
    let name: String
    /// "105× [90, 120]".
    let ratio: String
    /// The verdict in words, with the other cell.
    let told: String
    /// Whether all of the interval lies beyond the difference that nobody would act on.
    let matters: Bool
    /// The cell that the ratio is to; `nil` if the ratio names it.
    fileprivate let other: String?
    fileprivate let distance: Double

    /// - Parameter other: The name of the cell with which the finding compares it.
    init(_ name: String, _ finding: Finding, other: String, _ text: VerdictText) {
        self.name = name
        let isNamed = text.floored(finding) != nil
        self.other = isNamed ? nil : other
        ratio = text.ratio(finding)
        told = text.verdict(finding) + (isNamed ? "" : ", compared with \(other)")
        let estimate = finding.verdict.ratio?.estimate ?? 1
        distance = estimate > 1 ? estimate : 1 / estimate
        matters = finding.verdict.ratio.map(text.question.matters) ?? false
    }
}

extension [WorseCell] {
    /// Of each name the one that matters and has the greatest ratio, the worst first.
    var greatestOfEachName: [WorseCell] {
        let ordered = sorted {
            $0.matters != $1.matters ? $0.matters : $0.distance > $1.distance
        }
        return ordered.map(\.name).uniqued.compactMap { name in ordered.first { $0.name == name } }
    }

    /// "nested (105× [90, 120]) and main-only (3.10× [2.80, 3.30]), compared with shared".
    var listed: String {
        let others = map(\.other)
        let firsts = others.indices.filter { others.firstIndex(of: others[$0]) == $0 }
        return firsts.map { place in
            let names = filter { $0.other == others[place] }.map { "\($0.name) (\($0.ratio))" }
            return names.listed + (others[place].map { ", compared with \($0)" } ?? "")
        }.joined(separator: ", and ")
    }
}
