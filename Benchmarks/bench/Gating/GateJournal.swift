import Benchmarking
import Foundation

/// What a gate has measured, kept on the disk as it goes: a gate that was killed is begun again, and
/// whatever the journal knows is not measured twice.
///
/// It is enough to know what was measured: which pair comes next follows from the seed and from the
/// pairs before it.
final class GateJournal {
    private struct Key: Hashable {
        var workload: String
        var cell: String
        /// Nil for counts.
        var block: Int?
        /// Nil for pairs, which are of both arms.
        var isHead: Bool?
    }

    /// A line of the journal.
    enum Entry: Codable, Sendable {
        /// The first line: the gate without its findings.
        case began(ComparisonReport)
        case pair(
            workload: String, cell: String, block: Int, outcome: PairedGate.Outcome,
            noise: NoiseReading)
        case counts(workload: String, cell: String, isHead: Bool, found: CellCounts)
        case capacity(LoadCapacity)
    }

    private let journal: Journal<Entry>?
    private var pairs: [Key: PairedGate.Outcome] = [:]
    private var counts: [Key: CellCounts] = [:]
    /// Beside each pair, in the order of pairs.
    private(set) var noise: [NoiseReading] = []
    /// What both arms are offered shares of.
    private(set) var capacities: [LoadCapacity] = []

    /// Keeps nothing: for a gate that nobody will take up again.
    init() {
        journal = nil
    }

    /// Begins the journal of a gate.
    ///
    /// - Throws: ``RunDirectoryError``.
    init(of report: ComparisonReport, in directory: RunDirectory) throws {
        let journal = Journal<Entry>(url: directory.journal.url)
        self.journal = journal
        try journal.append(.began(report))
    }

    /// Goes on with a journal, and gives the gate that it is of.
    ///
    /// - Throws: ``RunDirectoryError``.
    static func resumed(
        in directory: RunDirectory
    ) throws -> (journal: GateJournal, report: ComparisonReport) {
        let journal = Journal<Entry>(url: directory.journal.url)
        let entries = try journal.entries()
        guard case .began(let report) = entries.first else {
            throw RunDirectoryError.missing(path: journal.url.path)
        }
        try journal.repair()
        return (GateJournal(journal, entries), report)
    }

    private init(_ journal: Journal<Entry>, _ entries: [Entry]) {
        self.journal = journal
        for entry in entries { learn(entry) }
    }

    private func learn(_ entry: Entry) {
        switch entry {
        case .began: break
        case .pair(let workload, let cell, let block, let outcome, let reading):
            pairs[Key(workload: workload, cell: cell, block: block)] = outcome
            noise.append(reading)
        case .counts(let workload, let cell, let isHead, let found):
            counts[Key(workload: workload, cell: cell, isHead: isHead)] = found
        case .capacity(let capacity): capacities.append(capacity)
        }
    }

    private func record(_ entry: Entry) throws {
        try journal?.append(entry)
        learn(entry)
    }

    /// Keeps what was measured, so that a gate that is begun again offers the same.
    func keep(_ capacity: LoadCapacity) throws {
        try record(.capacity(capacity))
    }

    /// The pair as it was measured before, or as `measure` finds it now. Nothing is kept of one that
    /// was interrupted.
    func pair(
        _ workload: String, _ cell: String, block: Int, noise: NoiseProbe,
        _ measure: () throws -> PairedGate.Outcome
    ) throws -> PairedGate.Outcome {
        if let known = pairs[Key(workload: workload, cell: cell, block: block)] { return known }
        let reading = noise.read()
        let outcome = try measure()
        try record(
            .pair(
                workload: workload, cell: cell, block: block, outcome: outcome, noise: reading))
        return outcome
    }

    /// The same of the counts of one arm.
    func counts(
        _ workload: String, _ cell: String, isHead: Bool, _ count: () throws -> CellCounts
    ) throws -> CellCounts {
        if let known = counts[Key(workload: workload, cell: cell, isHead: isHead)] { return known }
        let found = try count()
        try record(.counts(workload: workload, cell: cell, isHead: isHead, found: found))
        return found
    }
}
