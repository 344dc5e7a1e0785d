import Measuring
import Reports
import Synchronization
import Testing

@Suite struct `Progress` {
    @Test func `elsewhere than on a terminal there is a line every ten seconds`() {
        let output = Output()
        let reporter = output.reporter(isTerminal: false)

        output.run(reporter)

        #expect(
            output.text == """
                [1/4] import · nested · round 1 · 0:00
                [2/4] import · grdb · round 1 · 0:10, about 0:30 left
                grdb failed
                4 of 4 steps in 0:24

                """)
    }

    @Test func `on a terminal one line is written over`() {
        let output = Output()
        let reporter = output.reporter(isTerminal: true)

        output.run(reporter)

        let clear = "\r\u{1B}[K"
        #expect(
            output.text.hasPrefix("\(clear)[1/4] import · nested · round 1 · 0:00\(clear)[2/4]"))
        #expect(output.text.contains("\(clear)grdb failed\n"))
        #expect(output.text.hasSuffix("\(clear)4 of 4 steps in 0:24\n"))
        #expect(output.text.split(separator: "\n").count == 2)
    }

    @Test func `hours have their own place`() {
        let output = Output()
        let reporter = output.reporter(isTerminal: false)

        output.advance(3_725)
        reporter.finish()

        #expect(output.text == "0 of 4 steps in 1:02:05\n")
    }
}

/// Collects what a reporter writes, and has a clock that the test sets.
private final class Output: Sendable {
    private let state = Mutex((text: "", seconds: 0.0))

    var text: String { state.withLock { $0.text } }

    func advance(_ seconds: Double) {
        state.withLock { $0.seconds += seconds }
    }

    func reporter(isTerminal: Bool) -> ProgressReporter {
        let plan = ["nested", "grdb", "grdb", "nested"].map { step($0, 0) }
        return ProgressReporter(
            plan: plan, isTerminal: isTerminal, now: { self.state.withLock { $0.seconds } },
            write: { text in self.state.withLock { $0.text += text } })
    }

    /// nested takes 10 s a step and grdb 2 s.
    func run(_ reporter: ProgressReporter) {
        for (cell, repetition) in [("nested", 0), ("grdb", 0), ("grdb", 1), ("nested", 1)] {
            reporter.begin(step(cell, repetition))
            advance(cell == "nested" ? 10 : 2)
            reporter.end()
            if cell == "grdb", repetition == 1 { reporter.note("grdb failed") }
        }
        reporter.finish()
    }

    private func step(_ cell: String, _ repetition: Int) -> ProgressStep {
        ProgressStep(
            workload: "import", cell: cell, repetition: repetition)
    }
}
