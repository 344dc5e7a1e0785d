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

/// In the extension, `Lane` is one of a traced sample.
private typealias TraceLane = Lane

extension TracedSample {
    /// The least and the greatest window that is drawn around a stall shorter than it.
    private static let shownSeconds = 0.05...0.2
    private static let stallCount = 10

    init(_ timeline: Timeline, period: Range<UInt64>, subject: String) {
        let summary = TimelineSummary(timeline)
        let since = { (nanoseconds: UInt64) in
            (Double(nanoseconds) - Double(period.lowerBound)) / 1e9
        }
        let worst = summary.stalls.first.map { stall in
            let start = since(stall.span.event.startNanoseconds)
            return Self.window(
                around: start...max(start, since(stall.span.event.endNanoseconds)),
                from: stall.handedOver.map { since($0.event.startNanoseconds) } ?? start)
        }
        let shown = worst ?? 0...Self.shownSeconds.upperBound
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
            lanes: Self.lanes(
                of: summary.spans, in: shown, giver: summary.stalls.first?.handedOver?.lane, since),
            shown: shown,
            eventCount: summary.spans.all.count, droppedCount: timeline.droppedCount)
    }

    /// The stall with a quarter of its length on both sides, and where its work was handed over if
    /// that was not long before.
    private static func window(
        around stall: ClosedRange<Double>, from handedOver: Double
    ) -> ClosedRange<Double> {
        let length = stall.upperBound - stall.lowerBound
        let margin = max(shownSeconds.lowerBound - length, length * 0.5) / 2
        var start = stall.lowerBound - margin
        let earliest = stall.upperBound + margin - max(shownSeconds.upperBound, length * 2)
        if handedOver > earliest { start = min(start, handedOver - length * 0.05) }
        return max(0, start)...(stall.upperBound + margin)
    }

    /// - Parameter giver: The lane that has handed the stall over.
    private static func lanes(
        of spans: Spans, in shown: ClosedRange<Double>, giver: TraceLane?,
        _ since: (UInt64) -> Double
    ) -> [Lane] {
        let drawn = spans.segments().filter {
            since($0.nanoseconds.upperBound) > shown.lowerBound
                && since($0.nanoseconds.lowerBound) < shown.upperBound
        }
        let lanes = Dictionary(grouping: drawn, by: \.lane)
        // A thread outside of contexts explains a stall only if it has handed it over.
        let shownLanes = lanes.filter { lane, _ in lane.rank < 2 || lane == giver }
        return shownLanes.sorted { ($0.key.rank, $0.key.name) < ($1.key.rank, $1.key.name) }.map {
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
