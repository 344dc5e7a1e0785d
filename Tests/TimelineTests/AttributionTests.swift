import Foundation
import ObjectGraph
import TestSupport
import Testing
import Timeline

@Suite struct `The time of a timeline` {
    private func event(
        _ kind: TraceEvent.Kind, _ nanoseconds: Range<UInt64>, track: String = "view",
        isMain: Bool = false
    ) -> TraceEvent {
        TraceEvent(
            kind, track: TraceName(track), name: isMain ? .mainQueue : .none,
            startNanoseconds: nanoseconds.lowerBound,
            durationNanoseconds: UInt64(nanoseconds.count))
    }

    @Test func `belongs to the innermost event, and is counted once`() {
        let thread = Timeline.Thread(
            number: 1, isMain: true,
            events: [
                event(.statement, 20..<30), event(.fetch, 10..<50), event(.merge, 60..<70),
                event(.block, 0..<100, isMain: true),
            ])
        let spans = Spans(Timeline(threads: [thread]))
        let shares = spans.shares { $0.lane == .mainQueue }
        let seconds = Dictionary(uniqueKeysWithValues: shares.map { ($0.activity, $0.nanoseconds) })
        #expect(
            seconds == [
                .ranBlock(of: "view"): 50, .fetched(""): 30, .ranStatement(""): 10, .merged: 10,
            ])
        #expect(spans.stalls().map(\.span.event.durationNanoseconds) == [100])
    }

    @Test func `has segments that fill it without overlaps`() {
        let thread = Timeline.Thread(
            number: 1, isMain: true,
            events: [
                event(.block, 0..<100, isMain: true), event(.fetch, 10..<50),
                event(.statement, 20..<30), event(.block, 200..<220, isMain: true),
            ])
        let segments = Spans(Timeline(threads: [thread])).segments()
            .sorted { $0.nanoseconds.lowerBound < $1.nanoseconds.lowerBound }
        #expect(
            segments.map(\.nanoseconds) == [0..<10, 10..<20, 20..<30, 30..<50, 50..<100, 200..<220])
    }

    @Test func `of a private queue that the main thread enters keeps the main queue busy`() {
        let thread = Timeline.Thread(
            number: 1, isMain: true, events: [event(.block, 0..<10, track: "worker")])
        #expect(Spans(Timeline(threads: [thread])).all.map(\.lane) == [.mainQueue])
        let other = Timeline.Thread(
            number: 2, isMain: false, events: [event(.block, 0..<10, track: "worker")])
        #expect(
            Spans(Timeline(threads: [other])).all.map(\.lane) == [.context(TraceName("worker"))])
    }

    @Test(arguments: [false, true]) func `on the main queue adds up to that of its blocks`(
        isNested: Bool
    ) throws {
        let library = try TracedLibrary(isNested: isNested)
        let spans = try library.trace { for _ in 0..<5 { try library.saveAuthors(200) } }
        let all = spans.shares { $0.lane == .mainQueue }.reduce(0) { $0 + $1.nanoseconds }
        let stalls = spans.stalls().reduce(0) { $0 + $1.span.event.durationNanoseconds }
        #expect(all == stalls)
        #expect(all > 0)
    }

    @Test func `of events that found no place is not known, and their number is`() {
        let recorder = TraceRecorder(eventsPerThread: 1)
        for time in 0..<5_000 {
            recorder.record(event(.fault, UInt64(time)..<UInt64(time + 1)))
        }
        let timeline = recorder.timeline()
        #expect(timeline.threads.map(\.events.count) == [4_096])
        #expect(timeline.droppedCount == 5_000 - 4_096)
    }

    @Test func `is recorded by several threads without a lock`() async {
        let recorder = TraceRecorder()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    for time in 0..<10_000 {
                        recorder.record(
                            TraceEvent(
                                .fault, identifier: UInt64(number), startNanoseconds: UInt64(time),
                                durationNanoseconds: 1))
                        if time == 5_000 { _ = recorder.timeline() }
                    }
                }
            }
        }
        let events = recorder.timeline().threads.flatMap(\.events)
        #expect(events.count == 80_000)
        let counts = Dictionary(grouping: events, by: \.identifier).values.map(\.count)
        #expect(counts == Array(repeating: 10_000, count: 8))
    }
}
