import Foundation

/// The medians and counts of runs over time: a file of JSON lines that is only ever appended to.
///
/// Values of different machines are never put in one series. Source: instrument §2.4, tier 3.
public struct History: Sendable {
    public let url: URL

    public init(url: URL) {
        self.url = url
    }

    /// What one run left.
    public struct Entry: Codable, Hashable, Sendable {
        /// The version of this structure that the code reads and writes.
        public static let currentSchema = 1

        public var schema: Int
        public var run: String
        public var commit: String?
        public var startedAt: Date
        public var build: BuildConfiguration
        /// ``DatasetDescription/identity``; nil when no workload used a data set, and in older lines.
        public var dataset: String?
        public var identity: EnvironmentFingerprint.Identity
        public var values: [Value]
    }

    /// The median of a metric of a cell.
    public struct Value: Codable, Hashable, Sendable {
        public var workload: String
        public var cell: String
        public var metric: String
        public var median: Double
    }

    /// Adds the sound cells of a run as one line.
    ///
    /// - Parameter commit: what was measured, where that is known.
    /// - Throws: ``HistoryError``, of a run that is there already or of a file that cannot be written.
    public func append(_ run: Run, commit: String?) throws {
        guard try !entries().contains(where: { $0.run == run.name }) else {
            throw HistoryError.alreadyThere(run: run.name)
        }
        do {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            let journal = Journal<Entry>(url: url)
            try endLastLine()
            try journal.repair()
            try journal.append(Entry(run, commit: commit))
        } catch {
            throw HistoryError.unwritable(path: url.path, reason: "\(error)")
        }
    }

    /// Gives a whole last line the end that an editor took from it, so that it is not taken for one that was cut off.
    private func endLastLine() throws {
        guard
            let last = FileManager.default.contents(atPath: url.path)?
                .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).last,
            (try? JSONDecoder.ofRuns.decode(Entry.self, from: Data(last))) != nil
        else { return }
        let file = try FileHandle(forWritingTo: url)
        defer { try? file.close() }
        try file.seekToEnd()
        try file.write(contentsOf: Data("\n".utf8))
    }

    /// All whole lines, in the order in which they were appended; none where there is no file.
    ///
    /// - Throws: ``HistoryError/unreadable(path:line:)``.
    public func entries() throws -> [Entry] {
        guard let data = FileManager.default.contents(atPath: url.path) else { return [] }
        let lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true)
        return try lines.enumerated().compactMap { index, line in
            if let entry = try? JSONDecoder.ofRuns.decode(Entry.self, from: Data(line)),
                entry.schema == Entry.currentSchema
            {
                return entry
            }
            let wasCutOff = index == lines.count - 1 && data.last != UInt8(ascii: "\n")
            guard wasCutOff else {
                throw HistoryError.unreadable(path: url.path, line: index + 1)
            }
            return nil
        }
    }

}

extension History.Entry {
    init(_ run: Run, commit: String?) {
        schema = Self.currentSchema
        self.run = run.name
        self.commit = commit
        startedAt = run.startedAt
        build = run.build
        dataset = run.dataset?.identity
        identity = run.environment.identity
        values = run.workloads.flatMap { workload in
            workload.cells.filter(\.isSound).flatMap { cell -> [History.Value] in
                // Steps of counts that do not repeat would be told as changes.
                let counts = workload.countsRepeat ? Metric.counts : []
                let metrics = [workload.primaryMetric, .time, .cpuTime] + counts
                return Set(metrics.map(\.name)).sorted().compactMap { name in
                    Statistics.median(cell.values(of: name)).map {
                        History.Value(
                            workload: workload.name, cell: cell.identifier, metric: name,
                            median: $0)
                    }
                }
            }
        }
    }
}

/// Why a history could not be used.
public enum HistoryError: Error, Hashable {
    case alreadyThere(run: String)
    case unreadable(path: String, line: Int)
    case unwritable(path: String, reason: String)
}

extension HistoryError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .alreadyThere(let run): "the history has the run \(run) already"
        case .unreadable(let path, let line):
            "\(path), line \(line): this is no entry of schema \(History.Entry.currentSchema)"
        case .unwritable(let path, let reason): "cannot write \(path): \(reason)"
        }
    }
}
