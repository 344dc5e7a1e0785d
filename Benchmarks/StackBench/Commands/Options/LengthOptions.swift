import ArgumentParser

/// The options that say how long a run takes.
struct LengthOptions: ParsableArguments {
    @Option(
        help: """
            Measure for this long, such as 10m or 90s, and give rounds to the questions that need \
            them, instead of a fixed number to all (default without files: 10m, with --full 30m).
            """)
    var budget: Budget?

    @Flag(help: "Measure until every question that this machine can decide is decided.")
    var untilDecided = false

    @Flag(help: "Also measure at full size, and report which answers change with the size.")
    var full = false

    func requireOneLength(_ selected: SelectionOptions) throws {
        guard [selected.fixesRounds, budget != nil, untilDecided].count(where: { $0 }) <= 1 else {
            throw ValidationError(
                "--rounds, --quick, --rigorous, --budget and --until-decided exclude each other")
        }
    }

    func length(of selected: SelectionOptions) -> RunLength {
        if let typedLength { return typedLength }
        guard selected.files.isEmpty, !selected.fixesRounds else { return .asPlanned }
        return .within(seconds: full ? 1_800 : 600)
    }

    /// Nil if neither a budget nor its absence was given.
    var typedLength: RunLength? {
        untilDecided ? .untilDecided : budget.map { .within(seconds: $0.seconds) }
    }
}

/// A duration as it is typed: a number and s, m or h.
struct Budget: ExpressibleByArgument {
    var duration: Duration
    let defaultValueDescription: String

    var seconds: Double { duration / .seconds(1) }

    init?(argument: String) {
        let seconds = ["s": 1.0, "m": 60, "h": 3_600]
        guard let unit = argument.last.flatMap({ seconds[String($0)] }),
            let number = Double(argument.dropLast()), number > 0, number < 1e6
        else { return nil }
        duration = .seconds(number * unit)
        defaultValueDescription = argument
    }
}
