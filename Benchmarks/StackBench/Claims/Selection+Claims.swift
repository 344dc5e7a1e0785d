import RunRecords

extension Selection {
    /// Selects the workloads that answer claims, with nothing but the cells that are compared.
    ///
    /// - Throws: ``BenchFailure`` if two files have workloads of one name.
    init(claims stated: [StatedClaim]) throws {
        var workloads: [Workload] = []
        for workload in stated.flatMap(\.workloads)
        where !workloads.contains(where: { $0.name == workload.name && $0.title == workload.title })
        {
            workloads.append(workload)
        }
        let asks = stated.flatMap(\.claim.asks)
        try self.init(
            workloads: workloads.map { workload in
                workload.answering(asks.filter { $0.workload == workload.name })
            }, claims: stated.map(\.claim))
    }
}

extension Workload {
    /// The workload with the questions of these claims only.
    fileprivate func answering(_ asks: [Claim.Ask]) -> Workload {
        let cells = Dictionary(uniqueKeysWithValues: self.cells.map { (identifier(of: $0), $0) })
        var workload = self
        workload.questions = questions.compactMap { question in
            let asks = asks.filter { $0.question == question.id }
            var question = question
            question.contests = question.contests.compactMap { contest in
                contest.keeping { value, cell in
                    asks.contains { ask in
                        ask.value == value
                            && ask.scope.allSatisfy { cells[cell]?.value(of: $0.key) == $0.value }
                    }
                }
            }
            return question.contests.isEmpty ? nil : question
        }
        let compared = Set(workload.questions.flatMap(\.contests).flatMap(\.cells))
        workload.exclude(Array(cells.filter { !compared.contains($0.key) }.values))
        workload.advice = []
        workload.thresholds = []
        workload.reference = nil
        return workload
    }
}

extension Contest {
    /// The contest of its baseline with the cells that claims name; nil if there are none. A contest
    /// of numbers keeps all cells, since their curve belongs to the answer.
    fileprivate func keeping(_ isNamed: (_ value: String, _ cell: String) -> Bool) -> Contest? {
        guard zip(values, cells).contains(where: isNamed) else { return nil }
        let places = values.indices.filter {
            isNumeric || cells[$0] == baseline || isNamed(values[$0], cells[$0])
        }
        return only(places)
    }
}
