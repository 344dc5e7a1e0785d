import ArgumentParser
import Foundation
import Reports
import RunRecords

/// Compares this build of bench with another one.
struct GateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gate", abstract: "Compare this build with a base, and fail on a regression.",
        discussion: """
            Counts the work of both builds, then lets workers of both take turns for times. \
            Times are never compared with a file. The base is a revision, which is built in a \
            git worktree, or a program, or for counts only a saved baseline. With --base and \
            --head it compares the times of any two commands instead.

            Exits 10 when a regression was confirmed, 12 with --strict when a row could not be \
            judged, 13 when a cell was wrong, 14 when a cell crashed, 15 when there is no base or \
            nothing that can be compared.

            Workloads of the kind growth need no base: valgrind counts the instructions per row \
            with few rows and with many.
            """)

    @Argument(
        help: """
            Workload files (default: growth.yml and gate.yml of Benchmarks/Workloads, or \
            growth.yml and counts.yml if only counts are compared).
            """,
        completion: .file(extensions: ["yml"]))
    var files: [String] = []

    @OptionGroup var against: BaseOptions

    @Flag(help: "Compare counts only, no times: exact, and done in a minute.")
    var quick = false

    @Flag(help: "Also count instructions, under valgrind; slow.")
    var instructions = false

    @Flag(help: "Also fail when a row could not be judged.")
    var strict = false

    @Option(help: "A stack or peer, instead of those in the files; can be repeated.")
    var stack: [String] = []

    @Option(help: "Only workloads of this name or kind; can be repeated.")
    var workload: [String] = []

    @OptionGroup var pairing: PairingOptions

    @Option(help: "The time after which undecided rows get no more pairs.")
    var budget = Budget(argument: "10m")!

    @OptionGroup var annotations: Annotations

    @Option(
        help: "The folder of the comparison (default: results/<time>-gate).", completion: .directory
    )
    var output: String?

    @Option(
        help: ArgumentHelp(
            "Resume a gate that was killed or interrupted, with its own options.",
            valueName: "comparison"),
        completion: .directory)
    var resume: String?

    func validate() throws {
        if let resume { return try refuseOptions(beside: resume) }
        try against.requireOne()
        guard !instructions || against.baseline == nil else {
            throw ValidationError(
                "--instructions needs --base-ref or --base-bin: baselines have no instructions")
        }
        let namesWork = [files, stack, workload].contains { !$0.isEmpty }
        guard against.commands == nil || !namesWork && !quick && !instructions else {
            throw ValidationError(
                "--base and --head compare the times of two commands; leave out workload files, "
                    + "--stack, --workload, --quick and --instructions")
        }
    }

    /// Reads the raw arguments: a parsed option may have its default value although it was given.
    private func refuseOptions(beside resume: String) throws {
        let options = CommandLine.arguments.dropFirst().filter {
            $0.hasPrefix("-") && !["--resume", "--resume=\(resume)"].contains($0)
        }
        let others = options + files
        guard others.isEmpty else {
            throw ValidationError(
                "--resume uses the options of the resumed gate; "
                    + "leave out \(others.joined(separator: " "))")
        }
    }

    func run() throws {
        if let resume { return try goOn(with: RunDirectory(argument: resume)) }
        let workloads = try selectedWorkloads()
        let kept = try keptCounts()
        if instructions { try InstructionPass.requireAvailable() }
        try requireRelease()
        let directory = try RunDirectory.create(output, at: Date(), suffix: "-gate")
        let base = try kept ?? measuredBase()
        var report = ComparisonReport(
            base: base.arm, head: head, startedAt: Date(), seed: pairing.chosenSeed,
            commandLine: CommandLine.arguments, build: .ofBench, environment: .ofBench(),
            isStrict: strict)
        report.environment.committedAt = Checkout.ofBench?.committedAt
        try compare(workloads, with: base, report, resuming: nil, directory)
    }

    /// Parses the command line of the resumed gate, so that no option has to be repeated.
    private func goOn(with directory: RunDirectory) throws {
        try directory.lock()
        let (journal, report) = try GateJournal.resumed(in: directory)
        // The first word is the name of this command.
        let typed = DebugArguments(in: Array(report.commandLine.dropFirst())).others
        let original = try GateCommand.parse(Array(typed.dropFirst()))
        let workloads = try original.selectedWorkloads()
        let kept = try original.keptCounts()
        try original.requireRelease()
        let base = try kept ?? original.measuredBase()
        guard base.arm == report.base, original.head == report.head,
            report.build == .ofBench,
            report.environment.identity == EnvironmentFingerprint.ofBench().identity,
            !Executable.isNewer(than: report.startedAt)
        else {
            throw Self.failure(directory, begunWith: "on another machine or with other builds")
        }
        try original.compare(workloads, with: base, report, resuming: journal, directory)
    }

    private static func failure(
        _ directory: RunDirectory, begunWith difference: String
    ) -> BenchFailure {
        BenchFailure(
            exitCode: .usage,
            message: "\(directory.url.relativePath) was started \(difference); start a new gate")
    }

    private func compare(
        _ workloads: [Workload], with base: Base, _ beginning: ComparisonReport,
        resuming earlier: GateJournal?, _ directory: RunDirectory
    ) throws {
        Interruption.install()
        let preparation = try pairing.preparation(in: directory)
        defer { preparation.remove() }
        var report = beginning
        report.dataset = try preparation.dataset(of: workloads)
        guard earlier == nil || report.dataset == beginning.dataset else {
            throw Self.failure(directory, begunWith: "with other data")
        }
        let journal = try earlier ?? GateJournal(of: report, in: directory)
        switch base {
        case .counts(let baseline):
            let counts = try BaselineCounts(
                workloads, preparation: preparation, note: StandardError.print)
            report.unsoundCells += counts.unsoundCells
            // With no counts at all, `compare` would blame the baseline.
            if !counts.cells.isEmpty {
                report.rows += try baseline.compare(with: counts.cells, under: counts.conditions)
            }
        case .program(let executable, _):
            var plan = pairing.plan(workloads)
            plan.seed = report.seed
            plan.base = executable
            plan.countsInstructions = instructions
            plan.takesPairs = !quick
            plan.budget = budget.duration
            let gate = Gate(
                plan, preparation: preparation, journal: journal, note: StandardError.print)
            report.add(try gate.execute())
        case .commands(let commands):
            var plan = pairing.plan([])
            plan.seed = report.seed
            plan.budget = budget.duration
            let gate = CommandGate(
                commands, plan, timeout: .seconds(pairing.timeout), journal: journal,
                note: StandardError.print)
            report.add(try gate.execute())
        }
        if !report.isInterrupted {
            let growth = GrowthPass(
                workloads: workloads, timeout: .seconds(pairing.timeout), note: StandardError.print)
            report.add(try growth.judge(in: directory.url.appendingPathComponent("growth")))
        }
        report.finishedAt = Date()
        report.noise = journal.noise.isEmpty ? nil : journal.noise
        try directory.write(report)
        try directory.writeReports(of: report)
        print(report)
        annotations.print(Judgements(of: report))
        StepSummary.append(PullRequestComment(report))
        print(directory.reportURL.relativePath)
        throw ArgumentParser.ExitCode(report.exitCode.rawValue)
    }

    /// What this build is compared with.
    private enum Base {
        case counts(Baseline)
        case program(URL, ComparisonReport.Arm)
        case commands(CommandGate.Commands)

        var arm: ComparisonReport.Arm {
            switch self {
            case .counts(let baseline): .init(name: baseline.name, commit: baseline.commit)
            case .program(_, let arm): arm
            case .commands(let commands): .init(name: commands.base)
            }
        }
    }

    private var head: ComparisonReport.Arm {
        against.commands.map { .init(name: $0.head) } ?? .ofBench()
    }

    private var takesTimes: Bool { !quick && against.baseline == nil }

    /// Commands have the speed that they have, whatever build of bench starts them.
    private func requireRelease() throws {
        if against.commands == nil { try pairing.requireRelease(forTimes: takesTimes) }
    }

    /// Nil without a baseline.
    private func keptCounts() throws -> Base? {
        try against.baseline.map {
            .counts(try BaselineFolder(argument: against.baselines).load($0))
        }
    }

    /// Empty if commands are compared.
    private func selectedWorkloads() throws -> [Workload] {
        guard against.commands == nil else { return [] }
        let standard = takesTimes ? WorkloadFiles.gate : WorkloadFiles.counts
        var selection = try Selection(
            files: files.isEmpty ? [standard(), WorkloadFiles.growth()] : files)
        try selection.keep(workloads: workload)
        try selection.use(subjects: stack)
        return selection.workloads
    }

    private func measuredBase() throws -> Base {
        if let commands = against.commands { return .commands(commands) }
        if let baseBin = against.baseBin {
            let executable = URL(fileURLWithPath: baseBin).resolvingSymlinksInPath()
            try WorkerProtocol.require(
                of: executable, from: Executable.package(above: executable))
            return .program(executable, .init(name: baseBin))
        }
        guard let package = Executable.repository else {
            throw BenchFailure(
                exitCode: .noBaseline,
                message: "--base-ref needs the package's git repository; run bench inside it")
        }
        let revision = against.baseRef ?? "HEAD"
        let build = try BaseBuild(of: revision, package: package, note: StandardError.print)
        try WorkerProtocol.require(of: build.executable, from: build.source)
        return .program(build.executable, .init(name: revision, commit: build.commit))
    }
}

extension ComparisonReport {
    fileprivate mutating func add(_ findings: PairedGate.Findings) {
        rows += findings.rows
        unsoundCells += findings.unsoundCells
        isInterrupted = isInterrupted || findings.isInterrupted
    }
}
