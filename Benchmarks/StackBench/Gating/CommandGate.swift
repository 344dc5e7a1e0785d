import Foundation
import Measuring
import RunRecords

/// Compares the times of two commands of the shell, which need not be builds of bench.
///
/// A pair is one run of each, in random order. The rest is that of every gate: first look,
/// confirmation, more pairs for what cannot be judged. What the commands print is discarded.
struct CommandGate {
    struct Commands: Hashable, Sendable {
        var base: String
        var head: String
    }

    private static let workload = "command"
    private static let metrics = [Metric.time, .cpuTime]

    private let commands: Commands
    private let plan: Gate.Plan
    private let journal: GateJournal
    private let timeout: Duration
    private let noise = NoiseProbe(folder: FileManager.default.temporaryDirectory)
    private let note: (String) -> Void

    /// - Parameters:
    ///   - plan: The rule, the seed and the budget.
    ///   - timeout: The time after which a command is killed.
    ///   - journal: Provides what was measured before and stores what is measured now.
    ///   - note: Called with a line of progress.
    init(
        _ commands: Commands, _ plan: Gate.Plan, timeout: Duration, journal: GateJournal,
        note: @escaping (String) -> Void
    ) {
        self.commands = commands
        self.plan = plan
        self.timeout = timeout
        self.journal = journal
        self.note = note
    }

    /// Measures and judges. A command that fails ends the comparison, with its exit code.
    ///
    /// - Throws: the errors of starting a process or writing to the disk.
    func execute() throws -> PairedGate.Findings {
        let started = ContinuousClock.now
        var findings = PairedGate.Findings()
        do {
            // The first runs fill the caches of files.
            for isHead in [false, true] { _ = try run(isHead) }
        } catch let failure as Failure {
            findings.unsoundCells = [failure.cell]
            return findings
        } catch is Interrupted {
            findings.isInterrupted = true
            return findings
        }
        let rules = Self.metrics.map { PairedCell.MetricRule($0, plan.rule) }
        let cell = PairedCell(workload: Self.workload, cell: commands.head, rules: rules)
        var gate = PairedGate([cell], seed: plan.seed) { _, block in
            try journal.pair(Self.workload, commands.head, block: block, noise: noise) {
                try pair(block)
            }
        }
        return try gate.run { ContinuousClock.now - started < plan.budget }
    }

    private func pair(_ block: Int) throws -> PairedGate.Outcome {
        note("pair \(block + 1)")
        var random = SeededGenerator(seed: plan.seed &+ UInt64(block))
        let isHeadFirst = Bool.random(using: &random)
        do {
            let (first, second) = (try run(isHeadFirst), try run(!isHeadFirst))
            let (base, head) = isHeadFirst ? (second, first) : (first, second)
            let samples = PairOfSamples(isHeadFirst: isHeadFirst, base: base, head: head)
            return .measured(samples.pairs(of: Self.metrics, block: block))
        } catch let failure as Failure {
            return .unsound(failure.cell)
        }
    }

    // MARK: One run

    /// A command that did not end with 0.
    private struct Failure: Error {
        var cell: UnsoundCell
    }

    /// Runs a command to its end.
    ///
    /// - Returns: Its time and processor time.
    /// - Throws: ``Failure``; ``Interrupted``; ``SystemCallError`` if there is no shell.
    private func run(_ isHead: Bool) throws -> Sample {
        guard !Interruption.isRequested else { throw Interrupted() }
        let null = URL(fileURLWithPath: "/dev/null")
        let nothing = try FileHandle(forUpdating: null)
        let (started, timeout) = (ContinuousClock.now, timeout)
        let watch = Stopwatch()
        let process = try ChildProcess(
            ["/bin/sh", "-c", isHead ? commands.head : commands.base],
            environment: ProcessInfo.processInfo.environment, input: nothing.fileDescriptor,
            output: nothing.fileDescriptor, errors: null, isOfShell: true)
        let ending = process.wait {
            Interruption.isRequested || ContinuousClock.now - started > timeout
        }
        let seconds = watch.elapsedSeconds
        guard ending.isSuccess else {
            guard !Interruption.isRequested else { throw Interrupted() }
            let isLate = ContinuousClock.now - started > timeout
            let cause = isLate ? "took longer than --timeout allows" : ending.cause
            throw Failure(
                cell: UnsoundCell(
                    workload: Self.workload, cell: commands.head, isWrongAnswer: false,
                    reason: "\(isHead ? "--head" : "--base") \(cause)"))
        }
        var sample = Sample()
        sample[.time] = seconds
        sample[.cpuTime] = ending.cpuSeconds
        return sample
    }
}
