import Foundation

/// A line of a run's journal: what happened, in the order in which it did.
public enum RunEntry: Codable, Hashable, Sendable {
    /// The first line: the run with all workloads and cells that it is to measure, and no results.
    case began(Run)
    /// Another process goes on with it.
    case resumed(at: Date)
    /// What open phases take their share of from now on.
    case foundCapacity(LoadCapacity)
    /// One worker's result.
    case measured(Measurement)
    /// The run came to its end, or was asked to stop.
    case ended(RunState, at: Date)

    /// What one worker found out about one cell.
    public struct Measurement: Codable, Hashable, Sendable {
        /// ``WorkloadResult/name``.
        public var workload: String
        /// ``CellResult/identifier``.
        public var cell: String
        /// Nil for the counts of a cell, which belong to no round.
        public var repetition: Int?
        public var outcome: Outcome

        public init(workload: String, cell: String, repetition: Int?, outcome: Outcome) {
            self.workload = workload
            self.cell = cell
            self.repetition = repetition
            self.outcome = outcome
        }
    }

    /// What became of a worker.
    public enum Outcome: Codable, Hashable, Sendable {
        case sample(Sample, Verification)
        /// What stopped it.
        case failure(String)
    }
}

extension Run {
    /// The run that a journal tells of; nil when it has not even a first line.
    ///
    /// A workload of which nothing was measured is left out.
    public init?(replaying entries: [RunEntry]) {
        guard case .began(let run) = entries.first else { return nil }
        self = run
        for entry in entries.dropFirst() { apply(entry) }
        workloads.removeAll { $0.cells.allSatisfy(\.isUntouched) }
    }

    /// Adds what happened. What is of a workload or cell that is not part of the run is passed over.
    public mutating func apply(_ entry: RunEntry) {
        switch entry {
        case .began: break
        case .resumed:
            state = .running
            finishedAt = nil
        case .foundCapacity(let capacity): apply(capacity)
        case .measured(let measurement): apply(measurement)
        case .ended(let state, let date):
            self.state = state
            finishedAt = date
        }
    }

    /// The reader of a report is told of it beside the workload.
    private mutating func apply(_ capacity: LoadCapacity) {
        guard let place = workloads.firstIndex(where: { $0.name == capacity.workload }) else {
            return
        }
        capacities = (capacities ?? []) + [capacity]
        workloads[place].notes.append("\(capacity)")
    }

    private mutating func apply(_ measurement: RunEntry.Measurement) {
        guard let place = workloads.firstIndex(where: { $0.name == measurement.workload }),
            let index = workloads[place].cells.firstIndex(where: {
                $0.identifier == measurement.cell
            })
        else { return }
        workloads[place].cells[index].add(measurement)
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
