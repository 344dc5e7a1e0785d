import Foundation
import Measuring

/// A line of a run's journal. The lines are in the order of events.
public enum RunEntry: Codable, Hashable, Sendable {
    /// The first line: the run with all workloads and cells to measure, and without results.
    case began(Run)
    /// Another process continues the run.
    case resumed(at: Date)
    /// From now on, open phases take their shares of this capacity.
    case foundCapacity(LoadCapacity)
    /// One worker's result.
    case measured(Measurement)
    /// Where the time of one sample of a cell went.
    case traced(workload: String, cell: String, TracedSample)
    /// The run ended, or was asked to stop.
    case ended(RunState, at: Date)

    /// What one worker measured of one cell.
    public struct Measurement: Codable, Hashable, Sendable {
        /// ``WorkloadResult/name``.
        public var workload: String
        /// ``CellResult/identifier``.
        public var cell: String
        /// `nil` for the counts of a cell, which belong to no round.
        public var repetition: Int?
        public var outcome: Outcome

        public init(workload: String, cell: String, repetition: Int?, outcome: Outcome) {
            self.workload = workload
            self.cell = cell
            self.repetition = repetition
            self.outcome = outcome
        }
    }

    /// How a worker ended.
    public enum Outcome: Codable, Hashable, Sendable {
        case sample(Sample, Verification)
        /// Why it stopped.
        case failure(String)
    }
}

extension Run {
    /// The run that a journal describes; `nil` if it has no first line.
    ///
    /// Workloads without any measurement are left out.
    public init?(replaying entries: [RunEntry]) {
        guard case .began(let run) = entries.first else { return nil }
        self = run
        for entry in entries.dropFirst() { apply(entry) }
        removeUntouchedWorkloads()
    }

    /// Removes workloads without any measurement.
    mutating func removeUntouchedWorkloads() {
        workloads.removeAll { $0.cells.allSatisfy(\.isUntouched) }
    }

    /// Adds an event. Ignores workloads and cells that are not part of the run.
    public mutating func apply(_ entry: RunEntry) {
        switch entry {
        case .began: break
        case .resumed:
            state = .running
            finishedAt = nil
        case .foundCapacity(let capacity): apply(capacity)
        case .measured(let measurement): apply(measurement)
        case .traced(let workload, let cell, let sample):
            change(cell, of: workload) { $0.trace = sample }
        case .ended(let state, let date):
            self.state = state
            finishedAt = date
        }
    }

    /// Also adds a note to the workload for readers of the report.
    private mutating func apply(_ capacity: LoadCapacity) {
        guard let place = workloads.firstIndex(where: { $0.name == capacity.workload }) else {
            return
        }
        capacities = (capacities ?? []) + [capacity]
        workloads[place].notes.append("\(capacity)")
    }

    private mutating func apply(_ measurement: RunEntry.Measurement) {
        change(measurement.cell, of: measurement.workload) { $0.add(measurement) }
    }

    private mutating func change(
        _ cell: String, of workload: String, _ body: (inout CellResult) -> Void
    ) {
        guard let place = workloads.firstIndex(where: { $0.name == workload }),
            let index = workloads[place].cells.firstIndex(where: { $0.identifier == cell })
        else { return }
        body(&workloads[place].cells[index])
    }
}

extension CellResult {
    fileprivate mutating func add(_ measurement: RunEntry.Measurement) {
        switch measurement.outcome {
        case .failure(let reason): failure = reason
        case .sample(let sample, let verification):
            if measurement.repetition == nil { counts = sample } else { samples.append(sample) }
            self.verification = verification
        }
    }

    fileprivate var isUntouched: Bool { samples.isEmpty && counts == nil && isSound }
}
