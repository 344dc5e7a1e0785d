import Foundation
import ObjectGraph
import TestSupport
import Testing
import Timeline

/// The file agrees with "Trace Event Format" (Google, 2016).
@Suite struct `A file in the trace-event format` {
    private struct File: Decodable {
        var traceEvents: [Entry]
        var displayTimeUnit: String
    }

    private struct Entry: Decodable {
        var ph: String
        var name: String
        var ts: Double
        var dur: Double?
        var pid: Int
        var tid: Int
        var id: Int?
        var args: [String: String]?
    }

    private static func file(isNested: Bool) throws -> (File, Spans) {
        let library = try TracedLibrary(isNested: isNested)
        library.view.performAndWait { library.view.automaticallyMergesChangesFromParent = true }
        let timeline = try library.timeline { for _ in 0..<3 { try library.saveAuthors(50) } }
        let data = try TraceEventFile(timeline).data()
        return (try JSONDecoder().decode(File.self, from: data), Spans(timeline))
    }

    @Test(arguments: [false, true]) func `names its tracks, the main queue first`(
        _ isNested: Bool
    ) throws {
        let (file, _) = try Self.file(isNested: isNested)
        let names = file.traceEvents.filter { $0.ph == "M" }
        #expect(names.allSatisfy { $0.name == "thread_name" })
        #expect(names.first?.args?["name"] == "main queue")
        #expect(Set(names.map(\.tid)).count == names.count)
        #expect(Set(file.traceEvents.map(\.tid)) == Set(names.map(\.tid)))
    }

    @Test(arguments: [false, true]) func `has events that nest on each track, in the order of time`(
        _ isNested: Bool
    ) throws {
        let (file, _) = try Self.file(isNested: isNested)
        let times = file.traceEvents.filter { $0.ph != "M" }.map(\.ts)
        #expect(times == times.sorted())
        for (track, events) in Dictionary(
            grouping: file.traceEvents.filter { $0.ph == "X" }, by: \.tid)
        {
            var ends: [Double] = []
            // An event that begins with another one is inside it if it is shorter.
            let ordered = events.sorted { ($0.ts, -($0.dur ?? 0)) < ($1.ts, -($1.dur ?? 0)) }
            for event in ordered {
                let end = event.ts + (event.dur ?? -1)
                #expect(event.dur != nil)
                while let last = ends.last, last <= event.ts { ends.removeLast() }
                // Times are in microseconds with three decimals.
                if let last = ends.last {
                    #expect(end <= last + 0.0015, "\(event.name) crosses the end on track \(track)")
                }
                ends.append(end)
            }
        }
    }

    @Test func `is whole after a program that wrote it has died`() async throws {
        let folder = TemporaryFolder()
        let path = folder.url("died.json").path(percentEncoded: false)
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let library = try TracedLibrary()
            let recorder = TraceRecorder()
            EventTracing.attach(recorder)
            for _ in 0..<3 {
                try library.saveAuthors(10)
                try TraceEventFile(recorder.timeline()).write(to: URL(filePath: path))
            }
            try library.saveAuthors(10)
            kill(getpid(), SIGKILL)
        }
        let file = try JSONDecoder().decode(
            File.self, from: Data(contentsOf: URL(filePath: path)))
        #expect(file.traceEvents.count { $0.name == "save" } == 3)
    }

    @Test(arguments: [false, true]) func `has arrows that begin before they end`(
        _ isNested: Bool
    ) throws {
        let (file, spans) = try Self.file(isNested: isNested)
        let starts = file.traceEvents.filter { $0.ph == "s" }
        let ends = Dictionary(
            uniqueKeysWithValues: file.traceEvents.filter { $0.ph == "f" }.map { ($0.id, $0) })
        #expect(!starts.isEmpty && starts.count == ends.count)
        for start in starts {
            let end = try #require(ends[start.id])
            #expect(start.ts <= end.ts)
        }
        let caused = spans.all.filter { spans.span(of: $0.event.cause) != nil }
        #expect(caused.count == starts.count)
    }
}
