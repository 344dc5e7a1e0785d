import Datasets
import RunRecords

extension Sharding {
    /// Divides the cells of workloads by the time that they are expected to take.
    init(_ workloads: [Workload], count: Int) {
        let plan = workloads.map { WorkloadResult($0, cells: $0.cells, data: nil) }
        let costs = workloads.map { workload in
            workload.cells.map { workload.expectedSeconds(of: $0) }
        }
        self.init(plan, costs: costs, count: count)
    }
}

extension Workload {
    /// The workload with these cells only, and with the questions about them.
    ///
    /// It has no threshold rules and no advice, which need the whole run: the error of the rules is
    /// shared by all of them.
    func shard(with identifiers: Set<String>) -> Workload {
        var shard = self
        shard.exclude(cells.filter { !identifiers.contains(identifier(of: $0)) })
        shard.questions = questions.compactMap { question in
            var question = question
            question.contests.removeAll { identifiers.isDisjoint(with: $0.cells) }
            return question.contests.isEmpty ? nil : question
        }
        shard.thresholds = []
        shard.advice = []
        return shard
    }

    /// A rough time for all samples of a cell and its counts. It follows from the file alone, because
    /// all machines have to divide a run alike: times of earlier runs are only on some of them.
    func expectedSeconds(of cell: Cell) -> Double {
        let work = load.map(\.expectedSeconds) ?? Double(rowCount(of: cell)) * Self.secondsPerRow
        return Double(repetitions + 1) * (Selection.emptySampleSeconds + work)
    }

    /// About the time in which a stack imports a row.
    private static let secondsPerRow = 20e-6

    private func rowCount(of cell: Cell) -> Int {
        let flights = kind.usesDataset ? flightCount ?? DatasetFacts.published.flightCount : 0
        return max(flights, cell.parameters["rows"].flatMap { Int($0) } ?? 0)
    }
}

extension LoadPlan {
    fileprivate var expectedSeconds: Double {
        phases.map { phase in
            switch phase.extent {
            case .seconds(let seconds): seconds
            case .operations(let count): Double(count) * Self.secondsPerOperation
            }
        }.reduce(0, +)
    }

    /// About the time of a small save.
    private static let secondsPerOperation = 100e-6
}
