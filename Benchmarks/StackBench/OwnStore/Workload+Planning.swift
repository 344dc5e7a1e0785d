import Measuring
import Reports
import RunRecords

extension Workload {
    /// A workload that is planned and not read from a file.
    init(
        _ name: String, of kind: WorkloadKind, title: String, subjects: [String],
        parameters: [String: [String]]
    ) {
        self.name = name
        self.title = title
        self.kind = kind
        self.subjects = Subject.all.filter { subjects.contains($0.name) }
        self.parameters = parameters
        repetitions = 3
        synchronous = "normal"
        lockPolicies = ["pooled"]
        exclusions = []
    }

    /// Adds a question.
    ///
    /// - Parameter values: the values of other parameters that it compares; all if empty.
    /// - Parameter label: names a contest by the parameters of its cells.
    mutating func ask(
        _ id: String, _ sentence: String, along axis: String, against baseline: String? = nil,
        metric: Metric? = nil, sameWithin: Double, sameBelow: Double? = nil,
        among values: [String: [String]] = [:], column: String? = nil, isListed: Bool = false,
        label: (([String: String]) -> String)? = nil
    ) {
        let cells = cells.filter { cell in
            values.allSatisfy { cell.parameters[$0.key].map($0.value.contains) ?? true }
        }
        let parameters = Dictionary(
            uniqueKeysWithValues: cells.map { (identifier(of: $0), $0.parameters) })
        var contests = contests(along: axis, of: cells, against: baseline)
        if let label {
            for place in contests.indices {
                contests[place].label = label(parameters[contests[place].cells[0]] ?? [:])
            }
        }
        guard !contests.isEmpty else { return }
        var question = Question(
            id: id, sentence: sentence, axis: axis, metric: metric ?? kind.primaryMetric,
            sameWithin: sameWithin, sameBelow: sameBelow, column: column,
            isContended: kind.isContended ? true : nil, contests: contests)
        question.isListed = isListed ? true : nil
        questions.append(question)
    }
}
