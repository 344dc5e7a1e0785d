import Foundation
import Measuring
import RunRecords

/// A record on disk of what a gate has measured. A gate that was killed resumes from it and
/// measures nothing twice.
///
/// The measurements are enough: the seed and the earlier pairs decide which pair comes next.
final class GateJournal {
    private struct Key: Hashable {
        var workload: String
        var cell: String
        /// Nil for counts.
        var block: Int?
        /// Nil for pairs, which have both arms.
        var isHead: Bool?
    }

    enum Entry: Codable, Sendable {
        /// The first line: the gate without its results.
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
    /// The noise at each pair, in the order of pairs.
    private(set) var noise: [NoiseReading] = []
    /// The capacities that both arms are offered shares of.
    private(set) var capacities: [LoadCapacity] = []

    /// Stores nothing, for a gate that is never resumed.
    init() {
        journal = nil
    }

    /// Starts the journal of a gate.
    ///
    /// - Throws: ``RunDirectoryError``.
    init(of report: ComparisonReport, in directory: RunDirectory) throws {
        let journal = Journal<Entry>(url: directory.journal.url)
        self.journal = journal
        try journal.append(.began(report))
    }

    /// Resumes a journal and returns its gate.
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

    /// Stores a measured capacity, so that a resumed gate offers the same load.
    func keep(_ capacity: LoadCapacity) throws {
        try record(.capacity(capacity))
    }

    /// Returns the stored pair, or measures and stores it. An interrupted pair is not stored.
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

    /// Returns the stored counts of one arm, or counts and stores them.
    func counts(
        _ workload: String, _ cell: String, isHead: Bool, _ count: () throws -> CellCounts
    ) throws -> CellCounts {
        if let known = counts[Key(workload: workload, cell: cell, isHead: isHead)] { return known }
        let found = try count()
        try record(.counts(workload: workload, cell: cell, isHead: isHead, found: found))
        return found
    }
}
