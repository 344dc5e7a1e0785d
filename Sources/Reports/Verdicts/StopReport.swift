import Foundation
import Measuring
import RunRecords

/// What a run says at its end about the questions that it did not decide: why it stopped, and what to
/// type to go on with it.
public struct StopReport {
    /// One for each reason; empty if every question is decided.
    public private(set) var sentences: [String] = []
    /// What goes on with the run, such as "bench run --resume results/RUN --budget 9m"; `nil` if
    /// nothing does.
    public private(set) var command: String?

    /// - Parameter secondsLeft: what is left of the budget; `nil` for a run without one.
    /// - Parameter command: what goes on with the run, without a length; `nil` if nothing does.
    public init(
        _ results: [QuestionResult], _ design: SequentialDesign, secondsLeft: Double?,
        command: String?
    ) {
        let stops = results.compactMap { StopSentence($0, design, secondsLeft: secondsLeft) }
        sentences = stops.map(\.reason).uniqued.map { reason in
            "\(stops.filter { $0.reason == reason }.map(\.identifier).listed) stopped: \(reason)"
        }
        guard let command, stops.contains(where: \.mayGoOn) else { return }
        // Questions about the same cells share their rounds.
        let seconds = stops.reduce(into: [:]) { $0.merge($1.secondsNeeded, uniquingKeysWith: max) }
            .values.reduce(0, +)
        self.command = "\(command) --budget \(Self.budget(for: seconds))"
    }

    /// - Parameter seconds: 0 if it is not known.
    private static func budget(for seconds: Double) -> String {
        // Making stores and the journal take time as well.
        switch 1.2 * seconds {
        case 0: "10m"
        case ...60: "\(Int((1.2 * seconds / 10).rounded(.up)))0s"
        case let needed: "\(Int((needed / 60).rounded(.up)))m"
        }
    }

    /// Of a run with a fixed number of rounds, which needs no reasons: more were not asked for.
    public init(ofFixedRounds results: [QuestionResult], command: String?) {
        let open = results.filter { !$0.isDecided }
        let roundCounts = open.flatMap(\.contests).flatMap(\.findings).compactMap { finding in
            finding.verdict.remedy?.roundCount.map { finding.roundCount + $0 }
        }
        guard let total = roundCounts.max() else { return }
        sentences = [
            (open.count == 1 ? "1 question is" : "\(open.count) questions are")
                + " open, and \(total) rounds are likely to be enough"
        ]
        self.command = command.map { "\($0) --rounds \(total)" }
    }

    /// - Parameter width: the terminal's, at which sentences are broken; `nil` to break none.
    public func text(width: Int?) -> String {
        (sentences.map { $0.wrapped(to: width) }
            + (command.map { ["To go on with the same samples:\n  \($0)"] } ?? []))
            .joined(separator: "\n")
    }
}
