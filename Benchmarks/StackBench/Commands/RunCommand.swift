import ArgumentParser
import Foundation
import Measuring
import RunRecords

/// Runs workloads and writes a report.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run workloads and write a report.",
        discussion: """
            A debug build of bench builds a release build and runs that instead.

            Launch arguments for debugging are passed on to the workers, which then log to \
            standard error: -com.apple.CoreData.SQLDebug 1 to 4 logs SQL, and \
            -com.apple.CoreData.ConcurrencyDebug 1 stops a worker that uses an object off its \
            queue. Times taken with them mean nothing.
            """)

    @OptionGroup var selected: SelectionOptions

    @OptionGroup var launch: LaunchOptions

    @Option(help: "Seconds after which an unfinished sample is killed (default: 600).")
    var timeout: Int?

    @OptionGroup var lasting: LengthOptions

    @Flag(
        inversion: .prefixedNo,
        help: """
            Count the work of each cell in a separate process (default: yes for a fixed number of \
            rounds, otherwise only the cells of questions about counts).
            """)
    var counts: Bool?

    @Flag(help: "Also count instructions, under valgrind; slow.")
    var instructions = false

    @Option(
        help: ArgumentHelp(
            "Measure one of n parts of about the same length, such as 2/3. Each comparison is whole in "
                + "one part; bench merge joins all of them. Needs --seed.", valueName: "i/n"))
    var shard: ShardNumber?

    @OptionGroup var ownStore: OwnStoreOptions

    @OptionGroup var annotations: Annotations

    func validate() throws {
        guard timeout ?? 1 > 0 else { throw ValidationError("--timeout must be 1 or more") }
        try lasting.requireOneLength(selected)
        try ownStore.requireAlone(selected, lasting)
        try launch.requireOneRun(isToldMore, "files")
        guard shard == nil || ownStore.store == nil else {
            throw ValidationError("--store cannot be divided; leave out --shard")
        }
        guard shard == nil || launch.seed != nil else {
            throw ValidationError("--shard needs --seed, the same one for all shards")
        }
    }

    /// Whether the command line also has options or files that describe a new run.
    private var isToldMore: Bool {
        lasting.full || instructions || counts != nil || timeout != nil
            || shard != nil || !selected.isEmpty || ownStore.store != nil
    }

    func run() throws {
        // Before the build, which takes minutes, so that a mistake in a file is reported at once.
        let own = ownStore.store
        try own?.check()
        let selection = launch.resume == nil && own == nil ? try selection() : nil
        if !launch.allowDebug { try ReleaseBuild.require(forTimes: false) }
        if instructions { try InstructionPass.requireAvailable() }
        Interruption.install()
        let exitCode = try launch.resume.map(goOn) ?? begin(selection)
        throw ArgumentParser.ExitCode(exitCode.rawValue)
    }

    /// - Parameter own: the surveyed store; nil to read the workload files.
    private func selection(of own: SurveyedStore? = nil) throws -> Selection {
        var selection = try selected.selection(of: own, atFullSize: lasting.full)
        if case .within(let seconds) = length { try selection.requireFirstLook(within: seconds) }
        if let shard { selection.keep(shard: shard) }
        return selection
    }

    private var length: RunLength { lasting.length(of: selected) }

    private var options: RunOptions {
        RunOptions(
            timeout: .seconds(timeout ?? 600), length: length,
            countsAll: counts ?? (length == .asPlanned), countsInstructions: instructions)
    }

    /// - Parameter selection: nil if the user's own store is measured.
    private func begin(_ selection: Selection?) throws -> RunRecords.ExitCode {
        let launch = try RunLaunch(
            new: self.launch, commandLine: ownStore.redacted(CommandLine.arguments))
        // Removes only an empty folder, as it is if nothing was measured.
        defer { rmdir(launch.directory.url.path) }
        let own = try ownStore.survey(into: launch.directory, length, selected)
        defer { own?.remove() }
        return try launch.execute(
            selection ?? self.selection(of: own), options, annotations,
            command: ownStore.redact ? nil : "run")
    }

    /// Parses the command line of the resumed run, so that no option has to be repeated. A new length
    /// takes the place of its own.
    private func goOn(with path: String) throws -> RunRecords.ExitCode {
        let launch = try RunLaunch(resuming: path)
        var original = try RunCommand.parse(launch.arguments(of: "run"))
        guard !original.ownStore.redact else {
            throw BenchFailure(
                exitCode: .usage,
                message: "\(path) is redacted and does not say which store it measured; "
                    + "start a new run")
        }
        try original.ownStore.store?.check()
        let own = try original.ownStore.survey(
            into: launch.directory, original.length, original.selected)
        defer { own?.remove() }
        var options = original.options
        if let roundCount = selected.repetitions {
            try launch.requireMore(than: roundCount, after: options.length)
            original.selected.setRounds(roundCount)
        }
        if let length = lasting.typedLength { options.length = launch.added(length) }
        return try launch.execute(
            original.selection(of: own), options, annotations, command: "run")
    }
}
