import ArgumentParser

/// The options that select what is measured, and how often.
struct SelectionOptions: ParsableArguments {
    @Argument(
        help:
            "Workload files (default: the shootout, Benchmarks/Workloads/shootout.yml).",
        completion: .file(extensions: ["yml"]))
    var files: [String] = []

    @Option(
        help:
            "A stack or peer instead of those in the files, unless left out there; can be repeated."
    )
    var stack: [String] = []

    @Option(help: "Only workloads of this name or kind; can be repeated.")
    var workload: [String] = []

    @Option(
        name: [.customLong("rounds"), .customLong("repetitions")],
        help: "Samples of each cell, instead of the number in the files.")
    var repetitions: Int?

    @Flag(help: "One sample of each cell: enough for counts, not for times.")
    var quick = false

    @Flag(help: "Twenty samples of each cell or more, as a difference of times needs.")
    var rigorous = false

    private static let rigorousRepetitions = 20

    /// Whether no file and no option was given.
    var isEmpty: Bool {
        files.isEmpty && stack.isEmpty && workload.isEmpty && repetitions == nil && !quick
            && !rigorous
    }

    /// Whether the command line sets the number of rounds.
    var fixesRounds: Bool { repetitions != nil || quick || rigorous }

    func validate() throws {
        if let repetitions, !(1...1_000).contains(repetitions) {
            throw ValidationError("--rounds must be from 1 to 1000")
        }
        guard [repetitions != nil, quick, rigorous].count(where: { $0 }) <= 1 else {
            throw ValidationError("--rounds, --quick and --rigorous exclude each other")
        }
    }

    /// - Parameter own: the store to measure instead of workload files.
    func selection(of own: SurveyedStore? = nil) throws -> Selection {
        var selection =
            try own.map(Selection.init)
            ?? Selection(files: files.isEmpty ? [WorkloadFiles.shootout()] : files)
        try selection.keep(workloads: workload)
        try selection.use(subjects: stack)
        selection.setRepetitions { inFile in
            if quick { return 1 }
            return rigorous ? max(Self.rigorousRepetitions, inFile) : repetitions ?? inFile
        }
        return selection
    }
}
