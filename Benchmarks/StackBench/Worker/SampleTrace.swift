import Foundation
import ObjectGraph
import RunRecords
import Timeline

/// Traces the measured work of one sample.
final class SampleTrace {
    private let recorder = TraceRecorder(eventsPerThread: 1 << 20)
    private var period: Range<UInt64>?

    /// Runs the measured work with the tracer attached.
    func record(_ work: () throws -> Void) rethrows {
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
    /// The least window that is drawn, around the longest stall.
    private static let shownSeconds = 0.2
    private static let stallCount = 10

    init(_ timeline: Timeline, period: Range<UInt64>, subject: String) {
        let summary = TimelineSummary(timeline)
        let since = { (nanoseconds: UInt64) in
            (Double(nanoseconds) - Double(period.lowerBound)) / 1e9
        }
        let worst = summary.stalls.first.map {
            (start: since($0.span.event.startNanoseconds), end: since($0.span.event.endNanoseconds))
        }
        let length = max(Self.shownSeconds, worst.map { ($0.end - $0.start) * 1.2 } ?? 0)
        let middle = worst.map { ($0.start + $0.end) / 2 } ?? length / 2
        let latestStart = max(0, since(period.upperBound) - length)
        let shownStart = min(max(0, middle - length / 2), latestStart)
        let shown = shownStart...(shownStart + length)
        self.init(
            subject: subject, seconds: since(period.upperBound),
            mainQueue: summary.mainQueue.map(Share.init), others: summary.others.map(Share.init),
            stalls: summary.stalls.prefix(Self.stallCount).map { stall in
                Stall(
                    startSeconds: since(stall.span.event.startNanoseconds),
                    seconds: Double(stall.span.event.durationNanoseconds) / 1e9,
                    shares: stall.shares.map(Share.init),
                    origin: stall.origin.map { $0.event.phrase },
                    handedOver: stall.handedOver.map {
                        Place(lane: $0.lane.name, seconds: since($0.event.startNanoseconds))
                    })
            },
            lanes: Self.lanes(of: summary.spans, in: shown, since), shown: shown,
            eventCount: summary.spans.all.count, droppedCount: timeline.droppedCount)
    }

    private static func lanes(
        of spans: Spans, in shown: ClosedRange<Double>, _ since: (UInt64) -> Double
    ) -> [Lane] {
        let drawn = spans.segments().filter {
            since($0.nanoseconds.upperBound) > shown.lowerBound
                && since($0.nanoseconds.lowerBound) < shown.upperBound
        }
        let lanes = Dictionary(grouping: drawn, by: \.lane)
        // A thread that only waits for a queue shows nothing that the queue does not.
        let shownLanes = lanes.filter { lane, segments in
            lane.rank < 2 || segments.contains { $0.activity.kind != .waiting }
        }
        return shownLanes.sorted { ($0.key.rank, $0.key.name) < ($1.key.rank, $1.key.name) }.map {
            lane, segments in
            Lane(
                name: lane.name,
                segments: joined(
                    segments.sorted { $0.nanoseconds.lowerBound < $1.nanoseconds.lowerBound }.map {
                        Lane.Segment(
                            kind: $0.activity.kind, reason: $0.reason.kind,
                            startSeconds: since($0.nanoseconds.lowerBound),
                            seconds: Double($0.nanoseconds.count) / 1e9)
                    }))
        }
    }

    /// Joins neighbours of one kind and reason if the gap between them is too short to be seen.
    private static func joined(_ segments: [Lane.Segment]) -> [Lane.Segment] {
        let invisibleSeconds = shownSeconds / 2_000
        var joined: [Lane.Segment] = []
        for segment in segments {
            if let last = joined.last, last.kind == segment.kind,
                last.reason == segment.reason,
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
