import Foundation
import Measuring
import Reports
import Synchronization

/// Records when the WAL was restarted, which happens after a checkpoint, and when the view merged.
///
/// It polls every few milliseconds: a hook would replace SQLite's automatic checkpoints, and an
/// observer would be work for stacks only.
final class LoadMarks: Sendable {
    private struct State {
        var marks: [(name: String, nanoseconds: UInt64)] = []
        var isStopped = false
    }

    private static let intervalMicroseconds: UInt32 = 10_000
    /// More marks of one kind are everywhere in a chart and say nothing.
    private static let maximumCount = 200

    private let logPath: String
    private let subject: any LoadSubject
    private let state = Mutex(State())
    private let work = DispatchGroup()

    init(_ storeURL: URL, _ subject: any LoadSubject) {
        logPath = storeURL.path + "-wal"
        self.subject = subject
    }

    func start() {
        work.enter()
        Thread { [self] in
            var salt = logSalt
            var merged = mergedObjects
            while !state.withLock({ $0.isStopped }) {
                usleep(Self.intervalMicroseconds)
                let (newSalt, newMerged) = (logSalt, mergedObjects)
                if newSalt != salt { note("checkpoint") }
                if newMerged != merged { note("merge") }
                (salt, merged) = (newSalt, newMerged)
            }
            work.leave()
        }.start()
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        work.wait()
    }

    /// The marks during a phase.
    func during(_ phase: LoadPhaseResult) -> [LatencyTimeline.Mark] {
        let start = phase.startNanoseconds
        let end = start + UInt64(phase.seconds * 1e9)
        let marks = state.withLock { $0.marks }.filter { (start..<end).contains($0.nanoseconds) }
        let counts = Dictionary(grouping: marks, by: \.name).mapValues(\.count)
        return marks.filter { counts[$0.name, default: 0] <= Self.maximumCount }.map {
            LatencyTimeline.Mark(
                name: $0.name, seconds: Double($0.nanoseconds - start) / 1e9)
        }
    }

    private func note(_ name: String) {
        state.withLock { $0.marks.append((name, Stopwatch.nanoseconds())) }
    }

    private var mergedObjects: Int64 {
        (subject as? any CountingSubject)?.counters[Metric.mergedObjects.name] ?? 0
    }

    /// The salt, which SQLite changes when it restarts the log; nil without a log. Source: SQLite's
    /// file format, §4.1, bytes 16 to 19.
    private var logSalt: UInt32? {
        let file = open(logPath, O_RDONLY)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var salt: UInt32 = 0
        guard pread(file, &salt, 4, 16) == 4 else { return nil }
        return salt
    }
}
