import Benchmarking

extension Selection {
    /// Selects the workloads that answer claims, with nothing but the cells that are compared.
    ///
    /// - Throws: ``CommandFailure`` if two files have workloads of one name.
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
        var workload = self
        workload.questions = questions.compactMap { question in
            let values = Set(asks.filter { $0.question == question.id }.map(\.value))
            var question = question
            question.contests = question.contests.compactMap { $0.keeping(values) }
            return question.contests.isEmpty ? nil : question
        }
        let compared = Set(workload.questions.flatMap(\.contests).flatMap(\.cells))
        workload.exclusions += cells.filter { !compared.contains(identifier(of: $0)) }.map {
            CellFilter(
                subject: Glob($0.subject.name), lockPolicy: $0.lockPolicy,
                parameters: $0.parameters)
        }
        workload.advice = []
        workload.thresholds = []
        workload.reference = nil
        return workload
    }
}

extension Contest {
    /// The contest of its baseline with the cells of these values; nil if there are none.
    fileprivate func keeping(_ kept: Set<String>) -> Contest? {
        let places = values.indices.filter { kept.contains(values[$0]) || cells[$0] == baseline }
        guard places.count > 1 else { return nil }
        return Contest(
            label: label, cells: places.map { cells[$0] }, values: places.map { values[$0] },
            baseline: baseline)
    }
}
