import Foundation
import Reports
import RunRecords

/// A run's folder and description before it is measured: a new run, or one that goes on.
struct RunLaunch {
    let directory: RunDirectory
    /// Without workloads.
    let run: Run
    /// The entries of the run's journal; empty for a new run.
    let earlier: [RunEntry]

    /// Creates the folder of a new run.
    ///
    /// - Parameter commandLine: The arguments as they are kept in `run.json`.
    init(new options: LaunchOptions, commandLine: [String]) throws {
        let now = Date()
        directory = try RunDirectory.create(options.output, at: now)
        let checkout = Checkout.ofBench
        var run = Run(
            name: directory.url.lastPathComponent, startedAt: now,
            seed: options.seed ?? .random(in: 0...UInt64(UInt32.max)), commandLine: commandLine,
            build: .ofBench, commit: checkout?.commit,
            environment: .ofBench())
        run.environment.committedAt = checkout?.committedAt
        if checkout?.isNewerThanBuild == true { run.environment.isBuiltBeforeCommit = true }
        self.run = run
        earlier = []
    }

    /// Reads the journal of a run that goes on.
    ///
    /// - Throws: ``BenchFailure`` if it was started with another build or on another machine.
    init(resuming path: String) throws {
        directory = RunDirectory(argument: path)
        try directory.lock()
        earlier = try directory.journal.entries()
        guard case .began(var run) = earlier.first else {
            throw RunDirectoryError.missing(path: directory.journal.url.path)
        }
        guard run.build == .ofBench, run.commit == Checkout.ofBench?.commit,
            run.environment.identity == EnvironmentFingerprint.ofBench().identity,
            !Executable.isNewer(than: run.startedAt)
        else {
            throw BenchFailure(
                exitCode: .usage,
                message: "\(path) was started on another machine or with another build; "
                    + "start a new run")
        }
        run.workloads = []
        self.run = run
    }

    /// The arguments with which the run was begun, without the program, the command and those for
    /// debugging.
    func arguments(of command: String) -> [String] {
        let typed = DebugArguments(in: Array(run.commandLine.dropFirst())).others
        return Array(typed.first == command ? typed.dropFirst() : typed[...])
    }

    /// A new budget, on top of the time that the run has taken.
    func added(_ length: RunLength) -> RunLength {
        if case .within(let seconds) = length {
            .within(seconds: earlier.secondsTaken + seconds)
        } else {
            length
        }
    }

    /// - Parameter length: that of the run so far.
    /// - Throws: ``BenchFailure`` if the run cannot be extended to so many rounds.
    func requireMore(than roundCount: Int, after length: RunLength) throws {
        guard length == .asPlanned else {
            throw BenchFailure(
                exitCode: .usage,
                message: "the questions of \(directory.url.relativePath) have different numbers of "
                    + "rounds; give it a new --budget instead of --rounds")
        }
        let taken = earlier.compactMap(\.measurement?.repetition).max().map { $0 + 1 } ?? 0
        guard roundCount > taken else {
            throw BenchFailure(
                exitCode: .usage,
                message: "\(directory.url.relativePath) has \(taken) rounds, which --rounds counts "
                    + "too; name a greater number")
        }
    }

    /// Measures, writes the reports, announces the run and says what it did not decide.
    ///
    /// - Parameter command: the command that goes on with it; nil if none does.
    /// - Returns: the exit code of the gravest finding.
    func execute(
        _ selection: Selection, _ options: RunOptions, _ annotations: Annotations, command: String?
    ) throws -> RunRecords.ExitCode {
        var runner = try Runner(
            selection, run: run, into: directory, options: options, earlier: earlier)
        let exitCode = try directory.announce(try runner.execute(), annotations)
        let stop = runner.stopReport(
            command: command.map { "bench \($0) --resume \(directory.url.relativePath)" })
        if let stop, !stop.sentences.isEmpty { print("\n\(stop.text(width: Terminal.width))") }
        return exitCode
    }
}

extension RunDirectory {
    /// Prints the first screen of a run whose reports are written. Prints failed cells and broken
    /// threshold rules to standard error, and adds to the summary of a step on GitHub.
    ///
    /// - Returns: the exit code of the gravest finding.
    func announce(_ run: Run, _ annotations: Annotations) throws -> RunRecords.ExitCode {
        annotations.print(Judgements(of: run))
        StepSummary.append(PullRequestComment(run))
        let findings =
            run.unsoundCells.map(\.description)
            + [run.ruleReport?.description].compactMap(\.self)
        for finding in findings { StandardError.print(finding) }
        if let claims = ClaimsReport(run) {
            print("\(claims.terminalText)\n\n\(claimsURL.relativePath)")
        } else if let shard = run.shard, shard.isEmpty {
            print(
                "shard \(shard) has no work: fewer groups of cells can be measured apart\n\n"
                    + reportURL.relativePath)
        } else {
            print(
                "\(FirstScreen(run).terminalText(width: Terminal.width))\n\n\(reportURL.relativePath)"
            )
        }
        return run.exitCode
    }
}
