import ArgumentParser
import Foundation
import Measuring
import Reports
import RunRecords

/// Shows where the time of one sample of each stack went.
struct TraceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace",
        abstract: "Show what the main queue of each stack did and waited for.",
        discussion: """
            Runs one sample of each cell with a tracer attached, and writes for each of them a file \
            that https://ui.perfetto.dev and chrome://tracing open, a table of what the main queue and \
            the others spent their time with, and the longest stalls with their causes.

            A traced sample explains a measurement and is not one, since events cost time: use bench \
            run to compare stacks.
            """)

    @OptionGroup var selected: SelectionOptions

    @OptionGroup var ownStore: OwnStoreOptions

    @Option(
        help: "The folder of the traces (default: results/<time>-trace).", completion: .directory)
    var output: String?

    @Option(help: "Seconds without a reply after which a worker is killed.")
    var timeout = 120

    @Flag(help: "Use a debug or testing build anyway; its times mean nothing.")
    var allowDebug = false

    func validate() throws {
        guard !ownStore.redact else {
            throw ValidationError(
                "--redact: a trace has the names of entities and the SQL; leave it out, and keep the trace"
            )
        }
        guard ownStore.path == nil || selected.files.isEmpty else {
            throw ValidationError("--store takes no workload files; leave them out")
        }
    }

    func run() throws {
        if !allowDebug { try ReleaseBuild.require(forTimes: true) }
        try ownStore.store?.check()
        Interruption.install()
        let directory = try RunDirectory.create(output, at: Date(), suffix: "-trace")
        let own = try ownStore.survey(into: directory, .asPlanned, selected)
        defer { own?.remove() }
        let workloads = try selected.selection(of: own).workloads
        let preparation = try Preparation(
            folder: directory.url.appendingPathComponent("work"), timeout: .seconds(timeout),
            own: own)
        defer { preparation.remove() }
        for workload in workloads {
            let samples = try workload.cells.compactMap {
                try trace($0, of: workload, preparation, directory)
            }
            guard !samples.isEmpty else { continue }
            let report = TraceReport(title: workload.title, samples: samples)
            try write(report.html, "\(workload.name).html", directory)
            try write(report.markdown, "\(workload.name).md", directory)
            print(report.markdown)
            print(directory.url.appendingPathComponent("\(workload.name).html").relativePath)
        }
    }

    private func trace(
        _ cell: Cell, of workload: Workload, _ preparation: Preparation, _ directory: RunDirectory
    ) throws -> TracedSample? {
        let name = "\(workload.name) \(workload.identifier(of: cell))"
        StandardError.print("tracing \(name)")
        let file = directory.url.appendingPathComponent(
            "\(name.replacing(/[^A-Za-z0-9=.-]+/, with: "-")).json")
        let arm = PairedArm(workload: workload, cell: cell)
        let outcome: WorkloadOutcome
        do {
            outcome = try TracePass.run(arm, writing: file, preparation: preparation)
        } catch let failure as WorkerFailure {
            throw BenchFailure(exitCode: .crash, message: "\(name) failed: \(failure.reason)")
        }
        if case .failed(let reason) = outcome.verification {
            throw BenchFailure(exitCode: .wrongAnswer, message: "\(name): \(reason)")
        }
        if outcome.trace == nil { StandardError.print("\(name) has no work that can be traced") }
        return outcome.trace
    }

    private func write(_ text: String, _ name: String, _ directory: RunDirectory) throws {
        try Data(text.utf8).write(to: directory.url.appendingPathComponent(name))
    }
}
