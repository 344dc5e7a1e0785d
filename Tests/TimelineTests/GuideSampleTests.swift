import Foundation
import ObjectGraph
import TestSupport
import Testing
import Timeline

/// The sample of Documentation/ObjectGraph.md.
@Suite struct `Guide to timelines` {
    private let temporary = TemporaryFolder()

    private func scrollTheList() throws {
        let library = try TracedLibrary()
        try library.view.performAndWait {
            _ = try library.view.count(for: FetchRequest(entityName: "Author"))
        }
    }

    @Test func `a summary says what the main queue did`() throws {
        let file = temporary.url("list.json")
        let recorder = TraceRecorder()
        EventTracing.attach(recorder)
        try scrollTheList()
        EventTracing.detach(recorder)
        print(TimelineSummary(recorder.timeline()))
        try TraceEventFile(recorder.timeline()).write(to: file)

        let summary = TimelineSummary(recorder.timeline())
        #expect(summary.description.hasPrefix("The main queue worked or waited for"))
        #expect(summary.mainQueue.contains { $0.activity == .ranStatement("SELECT on ZAUTHOR") })
        #expect(try Data(contentsOf: file).starts(with: Data("{".utf8)))
    }
}
