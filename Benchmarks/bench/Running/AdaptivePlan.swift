import Benchmarking

/// What a run that gives rounds to open questions is likely to do, by the newest run of the same
/// cells.
struct AdaptivePlan: CustomStringConvertible {
    private struct Line {
        var workload: String
        var question: String
        var cellCount: Int
        /// The time of one sample of each cell.
        var secondsPerRound: Double
        /// Whether an earlier run measured all cells; otherwise the time is a guess by their rows.
        var isKnown: Bool
        /// The rounds after which it is likely to be decided; nil if an earlier run does not show it.
        var roundCount: Int?

        var seconds: Double? { roundCount.map { secondsPerRound * Double($0) } }
    }

    private let lines: [Line]
    private let design: SequentialDesign
    private let length: RunLength
    private let cellCount: Int
    private let exactCount: Int
    private let secondsToFirstSample: Double?

    init(_ workloads: [Workload], length: RunLength, known: KnownRuns) {
        let questions = workloads.flatMap(\.questions)
        let design = SequentialDesign(contests: questions.flatMap(\.contestsWithError))
        self.design = design
        self.length = length
        cellCount = workloads.map(\.cells.count).reduce(0, +)
        exactCount = questions.count(where: \.isExact)
        secondsToFirstSample = known.secondsToFirstSample(of: workloads.map(\.name))
        lines = workloads.flatMap { workload in
            workload.questions.filter { !$0.isExact }.map { question in
                let identifiers = Set(question.contests.flatMap(\.cells))
                let cells = workload.cells.filter {
                    identifiers.contains(workload.identifier(of: $0))
                }
                let times = cells.map {
                    known.secondsPerSample(of: workload.identifier(of: $0), in: workload.name)
                }
                let guesses = cells.map {
                    workload.expectedSeconds(of: $0) / Double(workload.repetitions + 1)
                }
                return Line(
                    workload: workload.name, question: question.id, cellCount: cells.count,
                    secondsPerRound: zip(times, guesses).reduce(0) { $0 + ($1.0 ?? $1.1) },
                    isKnown: !times.contains(nil),
                    roundCount: known.roundsNeeded(for: question, in: workload.name, design))
            }
        }
    }

    var description: String {
        let rows = lines.map { line in
            [
                line.workload, line.question, "\(line.cellCount)",
                (line.isKnown ? "" : "~") + MetricUnit.seconds.format(line.secondsPerRound),
                line.roundCount.map(String.init) ?? "?",
                line.seconds.map { MetricUnit.inWords(seconds: $0) } ?? "?",
            ]
        }
        let table = AlignedLines(
            [["workload", "question", "cells", "a round", "rounds", "until decided"]] + rows)
        return ([beginning, table.description, expectation]).joined(separator: "\n\n")
    }

    private var beginning: String {
        let first = lines.reduce(0) { $0 + $1.secondsPerRound } * Double(design.quickLook)
        let later = sequence(first: design.nextLook(after: design.quickLook)) {
            design.nextLook(after: $0)
        }.prefix(3)
        let start =
            secondsToFirstSample.map {
                "The first sample comes after about \(MetricUnit.inWords(seconds: $0)). "
            } ?? ""
        let count = lines.count + exactCount
        return "\(cellCount) cells and \(count) \(count == 1 ? "question" : "questions"), "
            + "\(exactCount) of them about counts. \(start)"
            + "Times are first compared after \(design.quickLook) rounds, about "
            + "\(MetricUnit.inWords(seconds: first)), and again after "
            + later.map(String.init).joined(separator: ", ") + " and so on."
    }

    private var expectation: String {
        let known = lines.compactMap(\.seconds).sorted()
        guard !known.isEmpty else {
            return
                "No earlier run of these cells is in the folder of results, so how many rounds they "
                + "need is not known."
        }
        // The cheapest questions come first.
        var left = length.seconds ?? .infinity
        let decided = known.prefix { seconds in
            left -= seconds
            return left >= 0
        }.count
        let time = length.seconds.map { "In \(MetricUnit.inWords(seconds: $0))" } ?? "In the end"
        return
            "\(time), about \(decided + exactCount) of \(lines.count + exactCount) questions will "
            + "be decided, if the machine is as noisy as in the earlier run."
    }
}
