import Foundation
import RunRecords
import Testing

@testable import Reports

@Suite struct `A report of traced samples` {
    private static func sample(
        _ subject: String, mainQueue: [(String, TracedSample.Kind, Double)],
        stallSeconds: Double = 0.02, dropped: Int = 0
    ) -> TracedSample {
        let shares = mainQueue.map {
            TracedSample.Share(activity: $0.0, kind: $0.1, seconds: $0.2, count: 3)
        }
        return TracedSample(
            subject: subject, seconds: 0.5, mainQueue: shares,
            others: [.init(activity: "committed", kind: .writing, seconds: 0.4, count: 2)],
            stalls: shares.isEmpty
                ? []
                : [
                    .init(
                        startSeconds: 0.1, seconds: stallSeconds,
                        shares: [
                            .init(activity: "merged", kind: .merging, seconds: 0.015, count: 1),
                            .init(activity: "fetched", kind: .reading, seconds: 0.005, count: 1),
                        ], origin: "a save of worker with 10 objects",
                        handedOver: .init(lane: "<worker>", seconds: 0.09))
                ],
            lanes: [
                .init(
                    name: "main queue",
                    segments: [
                        .init(kind: .reading, startSeconds: 0.1, seconds: 0.015)
                    ]),
                .init(
                    name: "<worker>",
                    segments: [
                        .init(kind: .waiting, startSeconds: -0.1, seconds: 0.25)
                    ]),
            ], shown: 0...0.2, eventCount: 10, droppedCount: dropped)
    }

    private static let nested = sample(
        "nested", mainQueue: [("took a save", .servingChild, 0.09), ("saved", .saving, 0.01)])

    @Test func `says first what the main queue mostly did`() {
        #expect(
            Self.nested.headline
                == "**nested** kept the main queue busy for 100 ms of 500 ms, 20.0 ms at a stretch: it took a save (90 %). "
                + "The longest stall came from a save of worker with 10 objects.")
        #expect(
            Self.sample("single", mainQueue: []).headline
                == "**single** left the main queue alone.")
    }

    @Test func `explains a side whose main queue is idle by the other queues`() {
        let idle = Self.sample("shared", mainQueue: [("merged", .merging, 0.001)])
        #expect(idle.cause(naming: "500").contains("**500** kept"))
        #expect(idle.cause(naming: "500").hasSuffix("The other queues committed (100 %)."))
    }

    @Test func `says of a stall who has handed it over`() {
        #expect(
            Self.nested.stallSentences == [
                "**20.0 ms** from 100 ms on: merging 75 % (merged), building objects 25 % (fetched); "
                    + "handed over by a save of worker with 10 objects."
            ])
    }

    @Test(arguments: [
        ("root", "; handed over by root."),
        ("main queue", "; no other queue is known to have handed it over."),
        (nil, "; no other queue is known to have handed it over."),
    ])
    func `says the queue or thread if a stall has no other origin`(lane: String?, end: String) {
        var sample = Self.nested
        sample.stalls[0].origin = nil
        sample.stalls[0].handedOver = lane.map { .init(lane: $0, seconds: 0.09) }
        #expect(sample.stallSentences[0].hasSuffix(end))
    }

    @Test func `shows the stack with the longest stall first, and not the busiest`() throws {
        let stalled = Self.sample(
            "stalled", mainQueue: [("merged", .merging, 0.05)], stallSeconds: 0.05)
        let report = TraceReport(title: "import", samples: [Self.nested, stalled])
        for text in [report.html, report.markdown] {
            let first = try #require(
                text.range(of: "stalled</strong>") ?? text.range(of: "**stalled**"))
            let second = try #require(
                text.range(of: "nested</strong>") ?? text.range(of: "**nested**"))
            #expect(first.lowerBound < second.lowerBound)
        }
    }

    @Test func `says beside the longest stall how long a heartbeat waited`() {
        var sample = Self.nested
        sample.longestBeatSeconds = 0.021
        #expect(
            sample.sentence.contains(
                "its longest stall took 20.0 ms. A heartbeat on it waited for 21.0 ms at most."))
    }

    @Test func `says that times are too low if events were lost`() {
        let lossy = Self.sample("nested", mainQueue: [("saved", .saving, 0.1)], dropped: 1_234)
        #expect(lossy.sentence.contains("1,234 events were lost, so all times are too low."))
    }

    @Test func `is well-formed with any name, and a segment stays within its lane`() throws {
        let report = TraceReport(title: "<b>", samples: [Self.nested])
        #expect(!report.html.contains("<b>"))
        #expect(report.html.contains("&lt;worker>"))
        let start = try #require(report.html.range(of: "<svg"))
        #expect(report.html[start.lowerBound...].contains("class=\"waiting\""))
        // The segment that began before the window begins with it.
        #expect(!report.html.contains("x=\"-"))
    }

    @Test func `leads from where the work was handed over to the stall`() {
        let html = TraceReport(title: "import", samples: [Self.nested]).html
        #expect(html.contains("class=\"handed\""))
        #expect(html.contains("handed over by a save of worker with 10 objects"))
    }

    @Test func `draws a narrow form of each picture that is no wider than its screen`() throws {
        let html = TraceReport(title: "import", samples: [Self.nested]).html
        let widths = html.matches(of: #/viewBox="0 0 (\d+) /#).compactMap { Double($0.1) }
        #expect(widths.filter { $0 == Chart.narrowWidth }.count == widths.count / 2)
        for drawing in html.split(separator: "<div class=\"narrow\">").dropFirst() {
            let end = try #require(drawing.range(of: "</svg>"))
            for x in drawing[..<end.lowerBound].matches(of: #/ x2?="([\d.]+)"/#) {
                #expect(try #require(Double(x.1)) <= Chart.narrowWidth)
            }
        }
    }

    @Test func `is a part of the run whose cell was traced`() throws {
        var run = SampleRun.full
        let workload = try #require(run.workloads.first)
        let cell = try #require(workload.cells.first)
        run.apply(.traced(workload: workload.name, cell: cell.identifier, Self.nested))
        #expect(run.workloads[0].cells[0].trace == Self.nested)
        #expect(RunSummary(run).markdown.contains(Self.nested.headline))
        let data = try JSONEncoder().encode(run)
        #expect(try JSONDecoder().decode(Run.self, from: data) == run)
    }
}
