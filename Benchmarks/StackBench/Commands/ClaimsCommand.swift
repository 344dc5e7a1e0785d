import ArgumentParser
import Foundation
import Reports
import RunRecords

/// Measures what published claims say, and gives each a verdict.
struct ClaimsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "claims",
        abstract: "Give each published claim about stacks and techniques a verdict.",
        discussion: """
            The claims are in Benchmarks/Claims, with their sources, the workloads that answer \
            them, and the rules of their verdicts.
            """)

    @Argument(
        help: ArgumentHelp("Claims by id (default: all).", valueName: "claim"))
    var names: [String] = []

    @Option(help: "Measure for this long, such as 10m or 1h (default: 60m).")
    var budget: Budget?

    @Flag(help: "List the claims with their ids and sources, and measure nothing.")
    var list = false

    @Option(
        help: ArgumentHelp(
            "Compare the verdicts with an earlier run; exit 10 if one turned round.",
            valueName: "run"),
        completion: .directory)
    var since: String?

    @OptionGroup var launch: LaunchOptions

    @OptionGroup var annotations: Annotations

    func validate() throws {
        try launch.requireOneRun(!names.isEmpty || list, "claims")
    }

    func run() throws {
        let claims = launch.resume == nil ? try chosen() : []
        if list { return print(Self.listing(of: claims.map(\.claim))) }
        if !launch.allowDebug { try ReleaseBuild.require(forTimes: false) }
        let earlier = try since.map { try EarlierVerdicts(of: RunDirectory(argument: $0)) }
        Interruption.install()
        let (directory, exitCode) = try launch.resume.map(goOn) ?? begin(claims)
        let changes = try earlier?.changes(in: directory.load())
        if let changes { print("\n\(changes.terminalText)") }
        let isReversed = changes?.haveReversals == true && exitCode == .success
        throw ArgumentParser.ExitCode((isReversed ? .regression : exitCode).rawValue)
    }

    private var options: RunOptions {
        RunOptions(length: .within(seconds: budget?.seconds ?? 3_600), countsAll: false)
    }

    private func begin(
        _ claims: [StatedClaim]
    ) throws -> (RunDirectory, RunRecords.ExitCode) {
        let selection = try Selection(claims: claims)
        if case .within(let seconds) = options.length {
            try selection.requireFirstLook(within: seconds)
        }
        let launch = try RunLaunch(new: self.launch, commandLine: CommandLine.arguments)
        defer { rmdir(launch.directory.url.path) }
        let exitCode = try launch.execute(selection, options, annotations, command: "claims")
        return (launch.directory, exitCode)
    }

    private func goOn(with path: String) throws -> (RunDirectory, RunRecords.ExitCode) {
        let launch = try RunLaunch(resuming: path)
        let original = try ClaimsCommand.parse(launch.arguments(of: "claims"))
        var options = original.options
        if let budget { options.length = launch.added(.within(seconds: budget.seconds)) }
        let exitCode = try launch.execute(
            Selection(claims: original.chosen()), options, annotations, command: "claims")
        return (launch.directory, exitCode)
    }

    /// The claims that the command line names, in the order of the files.
    private func chosen() throws -> [StatedClaim] {
        let all = try StatedClaim.all()
        let known = all.map(\.claim.id)
        for name in names where !known.contains(name) {
            throw BenchFailure(
                exitCode: .usage, message: unknown("claim", name, allowed: known))
        }
        return names.isEmpty ? all : all.filter { names.contains($0.claim.id) }
    }

    private static func listing(of claims: [Claim]) -> String {
        var table = ReportTable([("id", .left), ("claim", .left), ("source", .left)])
        for claim in claims {
            table.append([escaped(claim.id), escaped(claim.sentence), escaped(claim.source.line)])
        }
        return table.terminalText()
    }
}
