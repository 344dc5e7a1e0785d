import ArgumentParser
import Reports
import RunRecords

/// Says how the findings of finished runs differ.
struct CompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Show which verdicts of finished runs differ, and which figures only moved.",
        discussion: """
            Compares verdicts, ratios within a run, counts, claims and rules from the verdict.json \
            of each run, and says what cannot be compared and why. Absolute times are left out: they \
            depend on the machine and the hour. bench merge joins the runs instead.
            """)

    @Argument(
        help: ArgumentHelp("The folders of two runs or more.", valueName: "run"),
        completion: .directory)
    var runPaths: [String]

    func validate() throws {
        guard runPaths.count > 1 else { throw ValidationError("name two runs or more") }
    }

    func run() throws {
        let changes = try RunChanges(of: runPaths.map(RunDirectory.init(argument:)))
        print(changes.terminalText(width: Terminal.width))
    }
}
