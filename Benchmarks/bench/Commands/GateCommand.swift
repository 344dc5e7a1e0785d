import ArgumentParser
import Benchmarking
import Foundation

/// Holds this program against another build of itself.
struct GateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gate", abstract: "Compare this build with a base, and fail on a regression.",
        discussion: """
            Counts what both do, and then lets workers of both take turns: times are never held \
            against a file. --quick counts only. The base is a revision, which is built in a git \
            worktree, a program, or for counts a baseline that was kept.

            Exits 10 when a regression was confirmed, 12 with --strict when a row could not be \
            judged, 13 and 14 when a cell was wrong or crashed, 15 when there is no base to compare \
            with.
            """)

    @Argument(
        help: "Workload files (default: Benchmarks/Workloads/gate.yml).",
        completion: .file(extensions: ["yml"]))
    var files: [String] = []

    @Option(help: "The git revision to compare with, such as main or HEAD~1.")
    var baseRef: String?

    @Option(help: "The bench to compare with.", completion: .file())
    var baseBin: String?

    @Option(help: "The baseline whose counts to compare with; times are not compared.")
    var baseline: String?

    @Option(help: "The folder of baselines.", completion: .directory)
    var baselines = BaselineCommand.folder

    @Flag(help: "Counts only, no times: exact, and done in a minute.")
    var quick = false

    @Flag(help: "Fail also when a row could not be judged.")
    var strict = false

    @Option(help: "A stack or peer, instead of those in the files; can be repeated.")
    var stack: [String] = []

    @Option(help: "Only workloads of this name or kind; can be repeated.")
    var workload: [String] = []

    @OptionGroup var pairing: PairingOptions

    @Option(help: "After so long no pairs are added to rows that cannot be judged.")
    var budget = Budget(argument: "10m")!

    @OptionGroup var annotations: Annotations

    @Option(
        help: "The folder of the comparison (default: results/<time>-gate).", completion: .directory
    )
    var output: String?

    func validate() throws {
        guard [baseRef, baseBin, baseline].count(where: { $0 != nil }) == 1 else {
            throw ValidationError("name one base: --base-ref, --base-bin or --baseline")
        }
    }

    func run() throws {
        let workloads = try selectedWorkloads()
        let kept = try baseline.map { try BaselineFolder(argument: baselines).load($0) }
        try pairing.requireRelease()
        Interruption.install()
        let directory = try RunDirectory.createForComparison(output, kind: "gate")
        let preparation = try pairing.preparation(in: directory)
        defer { preparation.remove() }

        let base = try kept.map(Base.counts) ?? program()
        var report = ComparisonReport(
            base: base.arm, head: .ofBench(), startedAt: Date(), seed: pairing.chosenSeed,
            commandLine: CommandLine.arguments, build: .ofBench, environment: .ofBench(),
            isStrict: strict)
        let isInterrupted: Bool
        switch base {
        case .counts(let baseline):
            let counts = try BaselineCounts(
                workloads, preparation: preparation, note: PairingOptions.note)
            report.rows = try baseline.compare(with: counts.cells, under: counts.conditions)
            report.unsoundCells = counts.unsoundCells
            isInterrupted = false
        case .program(let executable, _):
            var plan = pairing.plan(workloads)
            plan.base = executable
            plan.takesPairs = !quick
            plan.budget = budget.duration
            let findings = try Gate(plan, preparation: preparation, note: PairingOptions.note)
                .execute()
            report.rows = findings.rows
            report.unsoundCells = findings.unsoundCells
            isInterrupted = findings.isInterrupted
        }
        report.finishedAt = Date()
        try directory.write(report)
        try directory.writeReports(of: report)
        print(report)
        annotations.print(Judgements(of: report))
        print(directory.reportURL.relativePath)
        let exitCode = isInterrupted ? .interrupted : report.exitCode
        throw ArgumentParser.ExitCode(exitCode.rawValue)
    }

    /// What this program is held against.
    private enum Base {
        case counts(Baseline)
        case program(URL, ComparisonReport.Arm)

        var arm: ComparisonReport.Arm {
            switch self {
            case .counts(let baseline): .init(name: baseline.name, commit: baseline.commit)
            case .program(_, let arm): arm
            }
        }
    }

    private func selectedWorkloads() throws -> [Workload] {
        var selection = try Selection(files: files.isEmpty ? [WorkloadFiles.gate()] : files)
        try selection.keep(workloads: workload)
        try selection.use(subjects: stack)
        return selection.workloads
    }

    private func program() throws -> Base {
        if let baseBin {
            let executable = URL(fileURLWithPath: baseBin).resolvingSymlinksInPath()
            try WorkerProtocol.require(of: executable)
            return .program(executable, .init(name: baseBin))
        }
        guard let package = Executable.packageRoot else {
            throw CommandFailure(
                exitCode: .noBaseline,
                message: "--base-ref needs the package's git repository; run it there")
        }
        let revision = baseRef ?? "HEAD"
        let build = try BaseBuild(of: revision, package: package, note: PairingOptions.note)
        try WorkerProtocol.require(of: build.executable)
        return .program(build.executable, .init(name: revision, commit: build.commit))
    }
}
