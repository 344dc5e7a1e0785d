import Benchmarking

/// The workloads that a command line asks for.
struct Selection {
    private(set) var workloads: [Workload]

    /// Reads all files, so that a mistake in the last one is found before the first one runs.
    init(files: [String]) throws {
        workloads = try files.flatMap(Workload.load)
        let names = Dictionary(grouping: workloads, by: \.name)
        if let twice = names.first(where: { $0.value.count > 1 })?.key {
            throw CommandFailure(
                exitCode: .usage, message: "two workloads have the name \"\(twice)\"")
        }
    }

    /// Keeps the workloads whose name or kind is named; all when nothing is.
    mutating func keep(workloads filters: [String]) throws {
        guard !filters.isEmpty else { return }
        var allowed: [String] = []
        for name in workloads.flatMap({ [$0.name, $0.kind.name] }) where !allowed.contains(name) {
            allowed.append(name)
        }
        for filter in filters where !allowed.contains(filter) {
            throw CommandFailure(
                exitCode: .usage, message: unknown("workload", filter, allowed: allowed))
        }
        workloads = workloads.filter {
            filters.contains($0.name) || filters.contains($0.kind.name)
        }
    }

    /// Measures these subjects in place of those in the files; workloads that cannot measure any
    /// of them are left out.
    ///
    /// A subject that some workload of a kind lists is measured in those only: the others left it out
    /// on purpose. What only self-tests were to do, is theirs.
    mutating func use(subjects names: [String]) throws {
        guard !names.isEmpty else { return }
        for name in names where Subject.named(name) == nil {
            throw CommandFailure(
                exitCode: .usage,
                message: unknown("stack", name, allowed: Subject.all.map(\.name)))
        }
        let subjects = (Subject.all + Subject.selftests).filter { names.contains($0.name) }
        let listed = Dictionary(grouping: workloads, by: \.kind.name).mapValues {
            Set($0.flatMap(\.subjects).map(\.name))
        }
        workloads = workloads.compactMap { workload in
            var workload = workload
            let own = Set(workload.subjects.map(\.name))
            let isSelftest = workload.subjects.allSatisfy { $0.group == .selftest }
            workload.subjects = subjects.filter { subject in
                let isNew =
                    listed[workload.kind.name]?.contains(subject.name) != true
                    && (!isSelftest || subject.group == .selftest)
                return workload.kind.admits(subject) && (own.contains(subject.name) || isNew)
            }
            if !workload.subjects.contains(where: { $0.name == workload.reference }) {
                workload.reference = nil
            }
            return workload.cells.isEmpty ? nil : workload
        }
        guard !workloads.isEmpty else {
            throw CommandFailure(
                exitCode: .usage,
                message: "none of the workloads can measure \(names.joined(separator: ", "))")
        }
    }

    /// - Parameter repetitions: from the number in the file to the one that is wanted.
    mutating func setRepetitions(_ repetitions: (Int) -> Int) {
        for index in workloads.indices {
            workloads[index].repetitions = repetitions(workloads[index].repetitions)
        }
    }

    /// Adds the workloads at full size, each behind its small one.
    mutating func addFullSizes() throws {
        guard workloads.contains(where: { $0.fullSize != nil }) else {
            throw CommandFailure(
                exitCode: .usage,
                message: "--full: no workload here has another size; give one the key \"full\"")
        }
        workloads = workloads.flatMap { [$0] + [$0.atFullSize].compactMap(\.self) }
    }

    /// Whether every cell that a question compares can be sampled as often as its first verdict takes.
    ///
    /// - Throws: ``CommandFailure`` where not even samples that measure nothing would fit.
    func requireFirstLook(within seconds: Double) throws {
        let questions = workloads.flatMap(\.questions).filter { !$0.isExact }
        guard let smallest = questions.flatMap(\.contests).map(\.cells.count).min() else { return }
        let design = SequentialDesign(
            comparisonCount: max(questions.map(\.comparisonCount).reduce(0, +), 1))
        let needed = Double(smallest * design.nextLook(after: 0)) * Self.emptySampleSeconds
        guard seconds < needed else { return }
        throw CommandFailure(
            exitCode: .usage,
            message: String(
                format:
                    "--budget: %.0f s is too little for a first look at any question, which takes at least %.0f s; "
                    + "give more, or fewer files", seconds, needed.rounded(.up)))
    }

    /// About what starting a worker and copying its store takes.
    private static let emptySampleSeconds = 0.05
}
