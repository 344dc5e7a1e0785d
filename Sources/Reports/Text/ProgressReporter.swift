import Foundation
import Measuring
import RunRecords
import Synchronization

/// One execution of a cell, as announced by ``ProgressReporter``.
public struct ProgressStep: Hashable, Sendable {
    public var workload: String
    /// ``CellResult/identifier``.
    public var cell: String
    /// From 0; `nil` for the counting pass of the cell.
    public var repetition: Int?

    public init(workload: String, cell: String, repetition: Int?) {
        self.workload = workload
        self.cell = cell
        self.repetition = repetition
    }
}

/// Shows the progress of a run: one line that is rewritten on a terminal, a line every ten seconds
/// elsewhere.
///
/// May be called from any thread.
public final class ProgressReporter: Sendable {
    private struct CellKey: Hashable {
        var workload: String
        var cell: String
    }

    private struct State {
        var stepCount: Int
        var remaining: [CellKey: Int]
        var durations: [CellKey: [Double]] = [:]
        var current: (step: ProgressStep, startedAt: Double)?
        var doneCount = 0
        var shownWidth = 0
        /// When the last line was written; `nil` before the first.
        var shownAt: Double?
        var status: (text: String, endsAt: Double?)?
    }

    /// The time between two lines elsewhere than on a terminal.
    private static let secondsBetweenLines = 10.0

    private let isTerminal: Bool
    private let now: @Sendable () -> Double
    private let write: @Sendable (String) -> Void
    private let state: Mutex<State>

    /// Writes to standard error, so that standard output stays free for results.
    ///
    /// - Parameter plan: all steps to come; the remaining time is estimated from them.
    public convenience init(plan: [ProgressStep]) {
        let watch = Stopwatch()
        self.init(
            plan: plan, isTerminal: isatty(FileHandle.standardError.fileDescriptor) == 1,
            now: { watch.elapsedSeconds },
            write: { FileHandle.standardError.write(Data($0.utf8)) })
    }

    /// - Parameter now: seconds since the run began.
    public init(
        plan: [ProgressStep], isTerminal: Bool, now: @escaping @Sendable () -> Double,
        write: @escaping @Sendable (String) -> Void
    ) {
        self.isTerminal = isTerminal
        self.now = now
        self.write = write
        state = Mutex(State(stepCount: 0, remaining: [:]))
        expect(plan)
    }

    /// Adds steps to those to come.
    public func expect(_ steps: [ProgressStep]) {
        state.withLock { state in
            state.stepCount += steps.count
            for step in steps { state.remaining[Self.key(step), default: 0] += 1 }
        }
    }

    /// Sets a text that is shown instead of the estimate, if the caller knows the progress better
    /// than the expected steps show it.
    ///
    /// - Parameter secondsLeft: from now on; `nil` if unknown.
    public func tell(_ text: String, secondsLeft: Double?) {
        let time = now()
        state.withLock { $0.status = (text, secondsLeft.map { time + $0 }) }
    }

    /// Announces a step before it begins.
    public func begin(_ step: ProgressStep) {
        let time = now()
        state.withLock { state in
            state.current = (step, time)
            show(line(for: step, at: time, state), at: time, in: &state)
        }
    }

    /// Ends the announced step, also if it failed.
    public func end() {
        let time = now()
        state.withLock { state in
            guard let current = state.current else { return }
            let key = Self.key(current.step)
            state.durations[key, default: []].append(time - current.startedAt)
            state.remaining[key, default: 1] -= 1
            state.doneCount += 1
            state.current = nil
        }
    }

    /// Prints a line that stays, for example that a cell failed.
    public func note(_ text: String) {
        state.withLock { state in
            erase(&state)
            write(text + "\n")
        }
    }

    /// Ends the progress: removes the line from a terminal and prints the total time.
    public func finish() {
        let time = now()
        state.withLock { state in
            erase(&state)
            write("\(state.doneCount) of \(state.stepCount) steps in \(Self.clock(time))\n")
        }
    }

    private func line(for step: ProgressStep, at time: Double, _ state: State) -> String {
        let left: String?
        if let status = state.status {
            left = status.text + (status.endsAt.map { ", \(Self.clock($0 - time)) left" } ?? "")
        } else {
            left = secondsRemaining(state).map { "about \(Self.clock($0)) left" }
        }
        let remaining = left.map { ", \($0)" } ?? ""
        let turn = step.repetition.map { "round \($0 + 1)" } ?? "counting"
        return "[\(state.doneCount + 1)/\(state.stepCount)] \(step.workload) · \(step.cell) · "
            + "\(turn) · \(Self.clock(time))\(remaining)"
    }

    /// Counts each step to come with the mean time of the cell's own steps so far, or else of all
    /// steps. `nil` before the first step has ended.
    private func secondsRemaining(_ state: State) -> Double? {
        let all = state.durations.values.joined()
        guard !all.isEmpty else { return nil }
        let overall = all.reduce(0, +) / Double(all.count)
        return state.remaining.reduce(0) { sum, entry in
            let own = state.durations[entry.key].map { $0.reduce(0, +) / Double($0.count) }
            return sum + Double(max(entry.value, 0)) * (own ?? overall)
        }
    }

    private func show(_ line: String, at time: Double, in state: inout State) {
        guard isTerminal else {
            if let shownAt = state.shownAt, time - shownAt < Self.secondsBetweenLines { return }
            state.shownAt = time
            return write(line + "\n")
        }
        // A line that is broken by the terminal could not be written over.
        let shown = Terminal.width(of: STDERR_FILENO).map { String(line.prefix($0 - 1)) } ?? line
        // "Carriage return, erase to the end of line" (ECMA-48 EL).
        write("\r\u{1B}[K\(shown)")
        state.shownWidth = shown.count
    }

    private func erase(_ state: inout State) {
        guard isTerminal, state.shownWidth > 0 else { return }
        write("\r\u{1B}[K")
        state.shownWidth = 0
    }

    private static func key(_ step: ProgressStep) -> CellKey {
        CellKey(workload: step.workload, cell: step.cell)
    }

    /// Minutes and seconds as "4:07", hours as "1:04:07".
    public static func clock(_ seconds: Double) -> String {
        let whole = Int(max(seconds, 0).rounded())
        let tail = String(format: "%02d", whole % 60)
        guard whole >= 3_600 else { return "\(whole / 60):\(tail)" }
        return "\(whole / 3_600):\(String(format: "%02d", whole / 60 % 60)):\(tail)"
    }
}
