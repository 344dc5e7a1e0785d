import Foundation
import ObjectGraph

/// Writes a timeline in the trace-event format, which Perfetto (https://ui.perfetto.dev) and
/// `chrome://tracing` open.
///
/// The main queue, each context and each thread outside of contexts has a track. An arrow leads from
/// the event that has handed a block over, or has held what was waited for, to the event that names
/// it as its cause. Source: "Trace Event Format", Google, 2016.
public struct TraceEventFile: Sendable {
    private let timeline: Timeline

    public init(_ timeline: Timeline) { self.timeline = timeline }

    /// Writes the whole file anew, so that a reader finds the old one or the new one.
    ///
    /// - Throws: if the file cannot be written.
    public func write(to url: URL) throws {
        try data().write(to: url, options: .atomic)
    }

    /// The content of the file, in UTF-8.
    public func data() throws -> Data {
        let spans = Spans(timeline)
        let origin = spans.all.map(\.event.startNanoseconds).min() ?? 0
        var tracks = Tracks()
        var events = spans.all.map { entry($0, since: origin, &tracks) }
        var flowCount = 0
        for span in spans.all where span.event.cause != 0 {
            guard let cause = spans.span(of: span.event.cause) else { continue }
            flowCount += 1
            let name = "cause"
            events.append(
                Entry(
                    phase: "s", name: name, category: "flow",
                    time: microseconds(
                        min(cause.event.startNanoseconds, span.event.startNanoseconds), origin),
                    track: tracks.number(of: cause.lane), flow: flowCount))
            events.append(
                Entry(
                    phase: "f", name: name, category: "flow",
                    time: microseconds(span.event.startNanoseconds, origin),
                    track: tracks.number(of: span.lane), flow: flowCount, binding: "e"))
        }
        // A reader of the format may require times in order; equal times keep theirs.
        events = events.enumerated().sorted {
            ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
        }.map(\.element)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(
            File(
                traceEvents: tracks.entries + events,
                otherData: ["droppedEvents": "\(timeline.droppedCount)"]))
    }

    private func entry(_ span: Span, since origin: UInt64, _ tracks: inout Tracks) -> Entry {
        let event = span.event
        let name = event.name == .none ? "\(event.kind)" : "\(event.kind): \(event.name.text)"
        return Entry(
            phase: event.kind == .enqueue ? "i" : "X", name: name, category: "\(event.kind)",
            time: microseconds(event.startNanoseconds, origin),
            duration: event.kind == .enqueue ? nil : Double(event.durationNanoseconds) / 1_000,
            track: tracks.number(of: span.lane),
            arguments: [
                "count": event.count == 0 ? nil : "\(event.count)",
                "on": event.track == .none ? nil : event.track.text,
                "thread": "\(span.thread)",
            ].compactMapValues { $0 }, scope: event.kind == .enqueue ? "t" : nil)
    }

    private func microseconds(_ nanoseconds: UInt64, _ origin: UInt64) -> Double {
        Double(nanoseconds - origin) / 1_000
    }
}

private struct File: Encodable {
    var traceEvents: [Entry]
    var displayTimeUnit = "ms"
    var otherData: [String: String]
}

/// An event of the format; the names of its fields are those of the format.
private struct Entry: Encodable {
    var phase: String
    var name: String
    var category: String?
    var time: Double = 0
    var duration: Double?
    var process = 1
    var track: Int
    var arguments: [String: String]?
    var flow: Int?
    var binding: String?
    var scope: String?

    enum CodingKeys: String, CodingKey {
        case phase = "ph"
        case name
        case category = "cat"
        case time = "ts"
        case duration = "dur"
        case process = "pid"
        case track = "tid"
        case arguments = "args"
        case flow = "id"
        case binding = "bp"
        case scope = "s"
    }
}

/// The numbers of lanes; the main queue is the first.
private struct Tracks {
    private var numbers: [Lane: Int] = [.mainQueue: 1]

    mutating func number(of lane: Lane) -> Int {
        if let number = numbers[lane] { return number }
        numbers[lane] = numbers.count + 1
        return numbers.count
    }

    /// Names them.
    var entries: [Entry] {
        numbers.sorted { $0.value < $1.value }.map { lane, number in
            Entry(
                phase: "M", name: "thread_name", track: number, arguments: ["name": lane.name])
        }
    }
}
