import RunRecords

/// One subject under one lock policy with one value of each parameter: the unit of measurement.
struct Cell: Sendable {
    var subject: Subject
    /// Nil for subjects without a lock policy.
    var lockPolicy: String?
    /// The value of each parameter of the kind.
    var parameters: [String: String]

    /// The same number for the same cell in every process, unlike `hashValue`. Cells that share a
    /// seed still make different random choices. Source: FNV-1a.
    var fingerprint: UInt64 {
        let values = parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let text = ([subject.name, lockPolicy ?? ""] + values).joined(separator: "/")
        return text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}

extension Workload {
    /// All combinations of subject, lock policy and parameter values, without the excluded ones.
    var cells: [Cell] {
        allCells.filter { cell in !exclusions.contains { $0.matches(cell) } }
    }

    var allCells: [Cell] {
        subjects.flatMap { subject in
            let policies: [String?] = subject.hasLockPolicy ? lockPolicies : [nil]
            return policies.flatMap { lockPolicy in
                combinations(for: subject).map {
                    Cell(subject: subject, lockPolicy: lockPolicy, parameters: $0)
                }
            }
        }
    }

    /// Leaves these cells out.
    mutating func exclude(_ cells: [Cell]) {
        exclusions += cells.map {
            CellFilter(
                subject: Glob($0.subject.name), lockPolicy: $0.lockPolicy,
                parameters: $0.parameters)
        }
    }

    /// Keeps the cells with these identifiers, the contests that still compare something, and the
    /// advice that has all of its answers.
    mutating func keep(cells identifiers: Set<String>) {
        exclude(cells.filter { !identifiers.contains(identifier(of: $0)) })
        questions = questions.compactMap { question in
            var question = question
            question.contests = question.contests.compactMap { $0.keeping(identifiers) }
            return question.contests.isEmpty ? nil : question
        }
        let answered = Set(questions.flatMap(names))
        advice.removeAll { !answered.isSuperset(of: $0.questions) }
        if !cells.contains(where: { $0.subject.name == reference }) { reference = nil }
    }

    /// The names by which the command line and advice know a question.
    func names(of question: Question) -> [String] { [question.id, "\(name).\(question.id)"] }

    /// The parameters with a single value; the others distinguish the cells.
    var sharedParameters: [String: String] {
        parameters.filter { $0.value.count == 1 }.mapValues { $0[0] }
    }

    private func combinations(for subject: Subject) -> [[String: String]] {
        kind.parameters.reduce([[:]]) { partial, parameter in
            let values = parameters[parameter.name, default: []].filter {
                !subject.isPeer || !parameter.stackOnlyValues.contains($0)
            }
            return partial.flatMap { combination in
                values.map { combination.merging([parameter.name: $0]) { _, new in new } }
            }
        }
    }
}

extension Contest {
    /// The contest of its cells among these; nil if fewer than two are left, or the baseline is not.
    fileprivate func keeping(_ identifiers: Set<String>) -> Contest? {
        let places = cells.indices.filter { identifiers.contains(cells[$0]) }
        guard places.count > 1, baseline.map(identifiers.contains) ?? true else { return nil }
        return only(places)
    }

    /// The contest of the cells at these places.
    func only(_ places: [Int]) -> Contest {
        Contest(
            label: label, cells: places.map { cells[$0] }, values: places.map { values[$0] },
            baseline: baseline)
    }
}
