import Measuring
import Reports
import RunRecords

/// An estimate of a run that gives rounds to open questions, from the newest run of the same cells.
struct AdaptivePlan {
    private struct Line {
        var workload: String
        var question: String
        /// The time of one sample of each cell, by workload and cell.
        var seconds: [[String]: Double]
        /// Whether an earlier run measured all cells; otherwise the time is a guess by their rows.
        var isKnown: Bool
        /// The rounds after which it is likely to be decided; nil if no earlier run shows that.
        var roundCount: Int?

        var secondsPerRound: Double { seconds.values.reduce(0, +) }
    }

    private let lines: [Line]
    private let design: SequentialDesign
    private let length: RunLength
    private let cellCount: Int
    private let exactCount: Int
    private let secondsToFirstSample: Double?
    /// The folder of earlier runs, as it was typed.
    private let folder: String

    init(_ workloads: [Workload], length: RunLength, known: KnownRuns) {
        let questions = workloads.flatMap(\.questions)
        let design = SequentialDesign(contests: questions.flatMap(\.contestsWithError))
        self.design = design
        self.length = length
        cellCount = workloads.map(\.cells.count).reduce(0, +)
        exactCount = questions.count(where: \.isExact)
        let counted = workloads.flatMap { workload in
            Set(workload.questions.filter(\.isExact).flatMap(\.contests).flatMap(\.cells)).map {
                [workload.name, $0]
            }
        }
        secondsToFirstSample = known.secondsToFirstSample(
            of: workloads.map(\.name), counting: Set(counted))
        folder = known.folder
        lines = workloads.flatMap { workload in
            workload.questions.filter { !$0.isExact }.map { question in
                let asked = Set(question.contests.flatMap(\.cells))
                var seconds: [[String]: Double] = [:]
                var isKnown = true
                for cell in workload.cells where asked.contains(workload.identifier(of: cell)) {
                    let identifier = workload.identifier(of: cell)
                    let found = known.secondsPerSample(of: identifier, in: workload.name)
                    isKnown = isKnown && found != nil
                    seconds[[workload.name, identifier]] =
                        found
                        ?? workload.expectedSeconds(of: cell) / Double(workload.repetitions + 1)
                }
                return Line(
                    workload: workload.name, question: question.id, seconds: seconds,
                    isKnown: isKnown,
                    roundCount: known.roundsNeeded(for: question, in: workload.name, design))
            }
        }
    }

    /// - Parameter width: the terminal's; nil to break no line.
    func text(width: Int?) -> String {
        guard !lines.isEmpty else { return beginning.wrapped(to: width) }
        let rows = lines.map { line in
            [
                line.workload, line.question, "\(line.seconds.count)",
                (line.isKnown ? "" : "~") + MetricUnit.seconds.format(line.secondsPerRound),
                line.roundCount.map(String.init) ?? "?",
                line.roundCount.map {
                    MetricUnit.inWords(seconds: line.secondsPerRound * Double($0))
                } ?? "?",
            ]
        }
        let table = AlignedLines(
            [["workload", "question", "cells", "a round", "rounds", "until decided"]] + rows)
        return [
            beginning.wrapped(to: width), table.text(width: width),
            expectation.wrapped(to: width),
        ].joined(separator: "\n\n")
    }

    private var beginning: String {
        let count = lines.count + exactCount
        let questions =
            "\(cellCount) cells and \(count) \(count == 1 ? "question" : "questions"), "
            + "\(exactCount) of them about counts."
        guard !lines.isEmpty else { return questions }
        // Questions about the same cells share their samples.
        let round = lines.reduce(into: [:]) { $0.merge($1.seconds) { first, _ in first } }
        let first = round.values.reduce(0, +) * Double(design.quickLook)
        let later = sequence(first: design.nextLook(after: design.quickLook)) {
            design.nextLook(after: $0)
        }.prefix(3)
        let start =
            secondsToFirstSample.map {
                "The first sample comes after about \(MetricUnit.inWords(seconds: $0))."
            }
            ?? "When the first sample comes is not known: no earlier run that counted the same cells is "
            + "in \(folder); --results names another folder."
        return "\(questions) \(start) Times are first compared after \(design.quickLook) rounds, "
            + "which take about \(MetricUnit.inWords(seconds: first)), and again after "
            + later.map(String.init).joined(separator: ", ") + " and so on."
    }

    private var expectation: String {
        let known = lines.filter { $0.roundCount != nil }.sorted {
            $0.secondsPerRound * Double($0.roundCount!) < $1.secondsPerRound
                * Double($1.roundCount!)
        }
        guard !known.isEmpty else {
            return
                "No earlier run of these cells in \(folder) shows their spread, so how many rounds "
                + "they need is not known. --results names another folder."
        }
        // The cheapest questions come first, and leave rounds to those about the same cells.
        var taken: [[String]: Int] = [:]
        var spent = secondsToFirstSample ?? 0
        var decided = exactCount
        for line in known {
            let rounds = line.roundCount!
            let price = line.seconds.reduce(0) { sum, cell in
                sum + cell.value * Double(max(rounds - taken[cell.key, default: 0], 0))
            }
            guard spent + price <= length.seconds ?? .infinity else { break }
            spent += price
            decided += 1
            for cell in line.seconds.keys { taken[cell] = max(taken[cell] ?? 0, rounds) }
        }
        let unknown = lines.count - known.count
        let late = lines.count + exactCount - decided - unknown
        let noise =
            "if the machine is as noisy as in the earlier run."
            + (late > 0 ? " \(late) \(late == 1 ? "needs" : "need") a longer --budget." : "")
            + (unknown > 0 ? " Earlier runs do not show when \(unknown) will be." : "")
        let all = "\(decided) of \(lines.count + exactCount) questions"
        return length.seconds.map {
            "In \(MetricUnit.inWords(seconds: $0)), about \(all) will be decided, \(noise)"
        } ?? "About \(all) will be decided in \(MetricUnit.inWords(seconds: spent)), \(noise)"
    }
}
