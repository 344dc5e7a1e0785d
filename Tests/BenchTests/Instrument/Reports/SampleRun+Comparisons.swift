import Measuring
import RunRecords

extension SampleRun {
    /// A workload that compares cells by their values of a metric, one for each round, and advises.
    static func comparison(
        of values: [(name: String, values: [Double])], by metric: Metric = .time,
        sameWithin: Double = 0.1, baseline: String? = nil
    ) -> WorkloadResult {
        var workload = workload(
            values.map { name, values in
                var cell = cell(name, Array(repeating: 1, count: values.count))
                for (index, value) in values.enumerated() {
                    cell.samples[index].metrics[metric.name] = value
                }
                return cell
            })
        let names = values.map(\.name)
        workload.questions = [
            Question(
                id: "which", sentence: "Which one?", axis: "subject", metric: metric,
                sameWithin: sameWithin,
                contests: [Contest(label: "", cells: names, values: names, baseline: baseline)])
        ]
        workload.advice = [AdviceRule(if: "you import", questions: ["which"])]
        return workload
    }

    /// A value for each of so many rounds, taken from a pattern in turn.
    static func rounds(_ pattern: Double..., count: Int = 40) -> [Double] {
        (0..<count).map { pattern[$0 % pattern.count] }
    }
}
