import Foundation
import ObjectGraph
import RunRecords
import Timeline

/// Traces the measured work of one sample.
final class SampleTrace {
    private let recorder = TraceRecorder(eventsPerThread: 1 << 20)
    private var period: Range<UInt64>?

    /// Runs the measured work with the tracer attached. A second call stops the process: a sample has
    /// one part that is measured.
    func record(_ work: () throws -> Void) rethrows {
        if period != nil { fatalError("A workload measures twice; call measure once a sample.") }
        EventTracing.attach(recorder)
        let start = TraceEvent.now
        defer {
            EventTracing.detach(recorder)
            period = start..<TraceEvent.now
        }
        try work()
    }

    /// The events of the measured work; nil if nothing was measured.
    var timeline: Timeline? { period.map { _ in recorder.timeline() } }

    /// Where the time of the sample went; nil as for ``timeline``.
    func sample(of subject: String) -> TracedSample? {
        guard let period, let timeline else { return nil }
        return TracedSample(timeline, period: period, subject: subject)
    }
}

extension TracedSample {
    /// The least and the greatest window that is drawn around a stall shorter than it.
    private static let shownSeconds = 0.05...0.2
    private static let stallCount = 10

    init(_ timeline: Timeline, period: Range<UInt64>, subject: String) {
        let summary = TimelineSummary(timeline)
        let since = { (nanoseconds: UInt64) in
            (Double(nanoseconds) - Double(period.lowerBound)) / 1e9
        }
        let stalls = summary.stalls.prefix(Self.stallCount).map { stall in
            Stall(
                startSeconds: since(stall.span.event.startNanoseconds),
                seconds: Double(stall.span.event.durationNanoseconds) / 1e9,
                shares: stall.shares.map(Share.init),
                origin: stall.origin.map { $0.event.phrase },
                handedOver: stall.handedOver.flatMap {
                    // A thread outside of contexts explains nothing.
                    guard $0.lane.isQueue else { return nil }
                    return Place(lane: $0.lane.name, seconds: since($0.event.startNanoseconds))
                })
        }
        let shown = stalls.first.map(Self.window) ?? 0...Self.shownSeconds.upperBound
        self.init(
            subject: subject, seconds: since(period.upperBound),
            mainQueue: summary.mainQueue.map(Share.init), others: summary.others.map(Share.init),
            stalls: Array(stalls), lanes: Self.lanes(of: summary.spans, in: shown, since),
            shown: shown, eventCount: summary.spans.all.count, droppedCount: timeline.droppedCount)
    }

    /// The stall with a quarter of its length on both sides, and where its work was handed over if
    /// that was not long before.
    private static func window(around stall: Stall) -> ClosedRange<Double> {
        let margin = max(shownSeconds.lowerBound - stall.seconds, stall.seconds * 0.5) / 2
        let end = stall.startSeconds + stall.seconds + margin
        var start = stall.startSeconds - margin
        let earliest = end - max(shownSeconds.upperBound, stall.seconds * 2)
        if let handedOver = stall.handedOver?.seconds, handedOver > earliest {
            start = min(start, handedOver - stall.seconds * 0.05)
        }
        return max(0, start)...end
    }

    private static func lanes(
        of spans: Spans, in shown: ClosedRange<Double>, _ since: (UInt64) -> Double
    ) -> [Lane] {
        let drawn = spans.segments().filter {
            since($0.nanoseconds.upperBound) > shown.lowerBound
                && since($0.nanoseconds.lowerBound) < shown.upperBound
        }
        let lanes = Dictionary(grouping: drawn, by: \.lane).filter(\.key.isQueue)
        return lanes.sorted { ($0.key.rank, $0.key.name) < ($1.key.rank, $1.key.name) }.map {
            lane, segments in
            Lane(
                name: lane.name,
                segments: joined(
                    segments.sorted { $0.nanoseconds.lowerBound < $1.nanoseconds.lowerBound }.map {
                        Lane.Segment(
                            kind: $0.activity.kind, startSeconds: since($0.nanoseconds.lowerBound),
                            seconds: Double($0.nanoseconds.count) / 1e9)
                    }))
        }
    }

    /// Joins neighbours of one kind if the gap between them is too short to be seen.
    private static func joined(_ segments: [Lane.Segment]) -> [Lane.Segment] {
        let invisibleSeconds = shownSeconds.lowerBound / 2_000
        var joined: [Lane.Segment] = []
        for segment in segments {
            if let last = joined.last, last.kind == segment.kind,
                segment.startSeconds - last.startSeconds - last.seconds < invisibleSeconds
            {
                joined[joined.count - 1].seconds =
                    segment.startSeconds + segment.seconds - last.startSeconds
            } else if segment.seconds >= invisibleSeconds || joined.isEmpty {
                joined.append(segment)
            }
        }
        return joined
    }
}

extension TracedSample.Share {
    fileprivate init(_ share: TimeShare) {
        self.init(
            activity: share.activity.text, kind: share.activity.kind,
            seconds: Double(share.nanoseconds) / 1e9, count: share.count)
    }
}

extension Lane {
    fileprivate var isQueue: Bool { rank < 2 }

    fileprivate var rank: Int {
        switch self {
        case .mainQueue: 0
        case .context: 1
        case .thread: 2
        }
    }
}

extension Activity {
    fileprivate var kind: TracedSample.Kind {
        switch self {
        case .waitedForQueue, .waitedForMainQueueToRunItsBlock, .waitedForCoordinator,
            .waitedForConnection, .waitedForFileLock:
            .waiting
        case .answeredChild, .tookFromChild: .servingChild
        case .preparedSave, .madeRows, .handedUp, .adoptedRows: .saving
        case .merged: .merging
        case .fetched, .readSingleRows: .reading
        case .ranStatement, .committed, .heldConnection, .copiedLog, .synced, .wroteFile,
            .openedStore:
            .writing
        case .announced, .ranObservers, .updatedController: .telling
        case .ranBlock: .other
        }
    }
}

extension TraceEvent {
    /// As "a save of worker with 1,000 objects".
    fileprivate var phrase: String {
        let owner = track == .none ? "" : " of \(track.text)"
        return count == 0
            ? "a \(kind)\(owner)" : "a \(kind)\(owner) with \(count.formatted()) objects"
    }
}
