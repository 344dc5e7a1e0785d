import Benchmarking

/// What a run measures of a store within its time: the largest entities and relationships first.
struct StorePlan {
    private(set) var workloads: [Workload] = []
    /// What there was no time for, one sentence each.
    private(set) var leftOut: [String] = []

    /// The arrangements that the shootout compares.
    private static let stacks = [
        "main-only", "nested", "nested-propagating", "shared", "container", "serial-writer",
        "single", "isolated-batch",
    ]
    /// The stack for questions about techniques.
    private static let usual = "shared"
    /// Samples read so many rows at most.
    private static let rowsMax = 100_000
    private static let timedRelationshipsMax = 3
    private static let timedEntitiesMax = 3

    private let survey: StoreSurvey
    private let names: ShownNames
    private let seconds: Double

    /// - Parameter seconds: the time for all rounds.
    init(_ survey: StoreSurvey, _ names: ShownNames, seconds: Double) {
        self.survey = survey
        self.names = names
        self.seconds = seconds
        planReading()
        planWalking()
    }

    private mutating func planReading() {
        let limit = Self.limit(of: survey.entities.map(\.rowCount), total: Self.rowsMax)
        var whole = Workload(
            "read-store", of: .storeRead, title: "Read every value of the store",
            subjects: Self.stacks,
            parameters: [
                "entity": [StoreReadWorkload.everything], "form": ["objects"], "rows": ["\(limit)"],
            ])
        whole.ask(
            "time", "Which stack reads the whole store fastest?", along: "subject",
            sameWithin: 0.2, column: "whole store read")
        whole.advice = [
            AdviceRule(if: "you read most of the store at once", questions: ["read-store.time"])
        ]
        workloads.append(whole)

        let largest = survey.entities.prefix(Self.timedEntitiesMax)
        var forms = Workload(
            "read-forms", of: .storeRead, title: "Read every value of an entity, in each form",
            subjects: [Self.usual],
            parameters: [
                "entity": largest.map { names.entity($0.name) },
                "form": StoreReadWorkload.Form.allCases.map(\.rawValue),
                "rows": ["\(Self.rowsMax / 2)"],
            ])
        forms.ask(
            "time", "In which form to read all of an entity?", along: "form", against: "objects",
            sameWithin: 0.1
        ) { "all of \($0["entity", default: ""])" }
        workloads.append(forms)
        leaveOut(
            survey.entities.dropFirst(Self.timedEntitiesMax).map { names.entity($0.name) },
            "Forms of reading were timed with the largest entities only, without")
    }

    private mutating func planWalking() {
        guard !survey.relationships.isEmpty else { return }
        let shown = survey.relationships.map { names.path($0.path) }
        var walk = Workload(
            "relationships", of: .storeWalk,
            title: "Follow each relationship, with and without prefetching",
            subjects: [Self.usual],
            parameters: [
                "relationship": shown, "prefetching": ["no", "yes"],
                "rows": ["\(Self.rowsMax / 2)"],
            ])
        for (metric, id, most) in [
            (Metric.statements, "statements", shown.count),
            (.time, "time", Self.timedRelationshipsMax),
        ] {
            walk.ask(
                id, "Does prefetching pay?", along: "prefetching", against: "no", metric: metric,
                sameWithin: 0.1, among: ["relationship": Array(shown.prefix(most))], isListed: true
            ) { $0["relationship", default: ""].replacing(".", with: " → ") }
        }
        workloads.append(walk)
        leaveOut(
            shown.dropFirst(Self.timedRelationshipsMax),
            "Prefetching was counted, and not timed, for")
    }

    /// Reports what an upper limit left out.
    private mutating func leaveOut(_ names: some Collection<String>, _ what: String) {
        guard !names.isEmpty else { return }
        leftOut.append("\(what) \(names.joined(separator: ", ")): there was no time for more.")
    }

    /// The rows to read of each entity, so that no more than `total` are read.
    static func limit(of counts: [Int], total: Int) -> Int {
        var left = total
        for (place, count) in counts.sorted().enumerated() {
            let share = left / (counts.count - place)
            if count > share { return max(share, 1) }
            left -= count
        }
        return max(counts.max() ?? 1, 1)
    }
}

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
    /// - Parameter values: the values of other parameters that it compares; nil for all.
    /// - Parameter label: names a contest by the values of its parameters.
    mutating func ask(
        _ id: String, _ sentence: String, along axis: String, against baseline: String? = nil,
        metric: Metric? = nil, sameWithin: Double, sameBelow: Double? = nil,
        among values: [String: [String]] = [:], column: String? = nil, isListed: Bool = false,
        label: (([String: String]) -> String)? = nil
    ) {
        let cells = cells.filter { cell in
            values.allSatisfy { cell.parameters[$0.key].map($0.value.contains) ?? true }
        }
        let places = Dictionary(uniqueKeysWithValues: cells.map { (identifier(of: $0), $0) })
        var contests = contests(along: axis, of: cells, against: baseline)
        if let label {
            for place in contests.indices {
                contests[place].label = label(places[contests[place].cells[0]]?.parameters ?? [:])
            }
        }
        guard !contests.isEmpty else { return }
        var question = Question(
            id: id, sentence: sentence, axis: axis, metric: metric ?? kind.primaryMetric,
            sameWithin: sameWithin, sameBelow: sameBelow, column: column, contests: contests)
        question.isListed = isListed ? true : nil
        questions.append(question)
    }
}
