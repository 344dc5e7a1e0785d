import Foundation
import RunRecords

/// The workloads that a command line selects.
struct Selection {
    private(set) var workloads: [Workload]
    /// The user's store that the workloads were planned for; nil for those of files.
    private(set) var own: SurveyedStore?
    /// The claims that the workloads answer; nil if they are run for themselves.
    private(set) var claims: [Claim]?
    /// The shard that the workloads are; nil if they are all.
    private(set) var part: Part?

    /// One shard of several.
    struct Part {
        var number: ShardNumber
        /// ``RunRecords/Shard/cells``.
        var cells: [String: [String]]
        /// The workloads with the cells of all shards.
        var whole: [Workload]
    }

    /// Plans workloads for a store.
    init(own: SurveyedStore) {
        workloads = own.workloads
        self.own = own
    }

    init(workloads: [Workload], claims: [Claim]) throws {
        self.workloads = workloads
        self.claims = claims
        try requireDistinctNames()
    }

    /// Reads all files first, so that a mistake in the last one is found before anything runs.
    ///
    /// - Parameter settings: values instead of those in the files.
    init(files: [String], settings: [ParameterSetting] = []) throws {
        workloads = try files.flatMap { try Workload.load(file: $0, settings: settings) }
        try requireDistinctNames()
    }

    /// - Throws: ``BenchFailure`` for a setting that changes none of the workloads.
    func requireSettings(_ settings: [ParameterSetting]) throws {
        guard own == nil || settings.isEmpty else {
            throw BenchFailure(
                exitCode: .usage,
                message: "--set: the parameters of --store follow from its data; leave it out")
        }
        let names = Set(workloads.flatMap(\.kind.settingNames)).sorted()
        for setting in settings where !names.contains(setting.name) {
            throw BenchFailure(
                exitCode: .usage,
                message: "--set: \(unknown("parameter", setting.name, allowed: names))")
        }
    }

    private func requireDistinctNames() throws {
        let names = Dictionary(grouping: workloads, by: \.name)
        if let twice = names.first(where: { $0.value.count > 1 })?.key {
            throw BenchFailure(
                exitCode: .usage, message: "two workloads have the name \"\(twice)\"; rename one")
        }
    }

    /// Keeps the workloads with one of these names or kinds; an empty list keeps all.
    mutating func keep(workloads filters: [String]) throws {
        guard !filters.isEmpty else { return }
        var allowed: [String] = []
        for name in workloads.flatMap({ [$0.name, $0.kind.name] }) where !allowed.contains(name) {
            allowed.append(name)
        }
        for filter in filters where !allowed.contains(filter) {
            throw BenchFailure(
                exitCode: .usage, message: unknown("workload", filter, allowed: allowed))
        }
        workloads = workloads.filter {
            filters.contains($0.name) || filters.contains($0.kind.name)
        }
    }

    /// Keeps the questions with one of these ids and the cells that they compare; an empty list keeps
    /// all. An id may be written with the workload's name, as "import.time".
    mutating func keep(questions ids: [String]) throws {
        guard !ids.isEmpty else { return }
        let known = workloads.flatMap { workload in
            workload.questions.map { workload.names(of: $0) }
        }
        let cut = own?.questionsLeftOut ?? []
        for id in ids where !known.joined().contains(id) {
            guard !cut.joined().contains(id) else {
                throw BenchFailure(
                    exitCode: .usage,
                    message: "--question \(id): the budget leaves it out, since the others are "
                        + "cheaper; raise --budget, or ask it alone")
            }
            let names = known + cut
            throw BenchFailure(
                exitCode: .usage,
                message: unknown(
                    "question", id, allowed: names.map { $0[1] }, others: names.map { $0[0] }))
        }
        workloads = workloads.compactMap { workload in
            let questions = workload.questions.filter {
                workload.names(of: $0).contains(where: ids.contains)
            }
            guard !questions.isEmpty else { return nil }
            var selected = workload
            selected.questions = questions
            selected.keep(cells: Set(questions.flatMap(\.contests).flatMap(\.cells)))
            return selected
        }
    }

    /// Keeps the cells with a word in their name or their workload's.
    mutating func keep(cellsWith word: String) throws {
        let kept = workloads.compactMap { workload -> Workload? in
            var workload = workload
            let found = workload.cells.map(workload.identifier).filter {
                "\(workload.name) \($0)".localizedCaseInsensitiveContains(word)
            }
            workload.keep(cells: Set(found))
            return found.isEmpty ? nil : workload
        }
        guard !kept.isEmpty else {
            let cells = workloads.flatMap { workload in
                workload.cells.map { "\(workload.name) \(workload.identifier(of: $0))" }
            }
            // The word may be any part of a name: a subject, a parameter with its value, a value.
            let parts = cells.flatMap { $0.split { " /,".contains($0) } }
            let names = parts + parts.flatMap { $0.split(separator: "=") }
            throw BenchFailure(
                exitCode: .usage,
                message: "--only \(word): no cell has that in its name"
                    + remedy(forMissedCell: word, cells: cells, names: names.map(String.init)))
        }
        workloads = kept
    }

    /// Measures these subjects instead of those in the files. Workloads that can measure none of
    /// them are dropped.
    ///
    /// If any workload of a kind lists a subject, only the workloads that list it measure it: the
    /// others leave it out on purpose. Workloads with self-test subjects only get no other
    /// subjects.
    mutating func use(subjects names: [String]) throws {
        guard !names.isEmpty else { return }
        for name in names where Subject.named(name) == nil {
            throw BenchFailure(
                exitCode: .usage,
                message: unknown("stack", name, allowed: Subject.all.map(\.name)))
        }
        let subjects = (Subject.all + Subject.selfTests).filter { names.contains($0.name) }
        let listed = Dictionary(grouping: workloads, by: \.kind.name).mapValues {
            Set($0.flatMap(\.subjects).map(\.name))
        }
        workloads = workloads.compactMap { workload in
            var workload = workload
            let own = Set(workload.subjects.map(\.name))
            let isSelfTest = workload.subjects.allSatisfy { $0.group == .selfTest }
            workload.subjects = subjects.filter { subject in
                let isNew =
                    listed[workload.kind.name]?.contains(subject.name) != true
                    && (!isSelfTest || subject.group == .selfTest)
                return workload.kind.admits(subject) && (own.contains(subject.name) || isNew)
            }
            if !workload.subjects.contains(where: { $0.name == workload.reference }) {
                workload.reference = nil
            }
            return workload.cells.isEmpty ? nil : workload
        }
        guard !workloads.isEmpty else {
            throw BenchFailure(
                exitCode: .usage,
                message: "none of the workloads can measure \(names.joined(separator: ", "))")
        }
    }

    /// - Parameter repetitions: maps the number in the file to the wanted one.
    mutating func setRepetitions(_ repetitions: (Int) -> Int) {
        for index in workloads.indices {
            workloads[index].repetitions = repetitions(workloads[index].repetitions)
        }
    }

    /// Adds the workloads at full size, each after its small one.
    mutating func addFullSizes() throws {
        guard workloads.contains(where: { $0.fullSize != nil }) else {
            throw BenchFailure(
                exitCode: .usage,
                message: "--full: none of these workloads has a full size; add the key \"full\"")
        }
        workloads = workloads.flatMap { [$0] + [$0.atFullSize].compactMap(\.self) }
    }

    /// Keeps the cells of a shard.
    mutating func keep(shard number: ShardNumber) {
        let sharding = Sharding(workloads, count: number.count)
        let part = Part(number: number, cells: sharding.cells(of: number.number), whole: workloads)
        workloads = workloads.compactMap { workload in
            part.cells[workload.name].map { workload.shard(with: Set($0)) }
        }
        self.part = part
    }

    /// Checks that the budget is enough for the first verdict of at least one question.
    ///
    /// - Throws: ``BenchFailure`` if even samples that measure nothing would take longer.
    func requireFirstLook(within seconds: Double) throws {
        let questions = workloads.flatMap(\.questions).filter { !$0.isExact }
        guard let smallest = questions.flatMap(\.contests).map(\.cells.count).min() else { return }
        let design = SequentialDesign(contests: questions.flatMap(\.contestsWithError))
        let needed = Double(smallest * design.quickLook) * Self.emptySampleSeconds
        guard seconds < needed else { return }
        throw BenchFailure(
            exitCode: .usage,
            message: String(
                format:
                    "--budget: %g s is too little for a first look at any question, which takes at least %.0f s; "
                    + "raise the budget", seconds, needed.rounded(.up)))
    }

    /// The approximate time to start a worker and copy its store.
    static let emptySampleSeconds = 0.05
}
