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
        name: .customLong("question"),
        help: ArgumentHelp(
            "Only the questions with this id, and the cells that they compare; can be repeated.",
            valueName: "id"))
    var questions: [String] = []

    @Option(
        help: ArgumentHelp(
            "Only cells with this word in their name or their workload's, as \"request\"; if repeated, "
                + "with all of them.", valueName: "word"))
    var only: [String] = []

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Other values of a parameter, or of flights, than in the files: rows=1000 or "
                + "saveSize=10,100; can be repeated.", valueName: "name=value"))
    var settings: [ParameterSetting] = []

    @Option(
        name: [.customLong("rounds"), .customLong("repetitions")],
        help: "Samples of each cell, instead of the number in the files.")
    var repetitions: Int?

    @Flag(help: "One sample of each cell: enough for counts, not for times.")
    var quick = false

    @Flag(help: "Twenty samples of each cell or more, as a difference of times needs.")
    var rigorous = false

    private static let rigorousRepetitions = 20

    /// Whether no file and no option was given but a number of rounds.
    var isEmpty: Bool {
        files.isEmpty && stack.isEmpty && workload.isEmpty && questions.isEmpty && only.isEmpty
            && settings.isEmpty && !quick && !rigorous
    }

    /// Whether the command line sets the number of rounds.
    var fixesRounds: Bool { repetitions != nil || quick || rigorous }

    /// Takes the place of the number that the command line or the files set.
    mutating func setRounds(_ count: Int) {
        (quick, rigorous) = (false, false)
        repetitions = count
    }

    func validate() throws {
        if let repetitions, !(1...1_000).contains(repetitions) {
            throw ValidationError("--rounds must be from 1 to 1000")
        }
        for (index, setting) in settings.enumerated()
        where settings.prefix(index).contains(where: { $0.name == setting.name }) {
            throw ValidationError(
                "--set \(setting.name) is given twice; write its values with commas")
        }
        guard [repetitions != nil, quick, rigorous].count(where: { $0 }) <= 1 else {
            throw ValidationError("--rounds, --quick and --rigorous exclude each other")
        }
    }

    /// - Parameter own: the store to measure instead of workload files.
    /// - Parameter atFullSize: whether to measure the workloads at full size too.
    func selection(of own: SurveyedStore? = nil, atFullSize: Bool = false) throws -> Selection {
        var selection =
            try own.map(Selection.init)
            ?? Selection(
                files: files.isEmpty ? [WorkloadFiles.shootout()] : files, settings: settings)
        try selection.keep(workloads: workload)
        try selection.use(subjects: stack)
        try selection.requireSettings(settings)
        if atFullSize { try selection.addFullSizes() }
        try selection.keep(questions: questions)
        for word in only { try selection.keep(cellsWith: word) }
        selection.setRepetitions { inFile in
            if quick { return 1 }
            return rigorous ? max(Self.rigorousRepetitions, inFile) : repetitions ?? inFile
        }
        return selection
    }
}
