import ArgumentParser
import Foundation
import RunRecords
import Timeline

/// Does one job: reads a ``WorkerJob`` from standard input and writes ``WorkerReply`` lines to
/// standard output.
struct WorkerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "worker", shouldDisplay: false)

    @Option(help: "Trace the sample, and write its events to this file.", completion: .file())
    var trace: String?

    func run() throws {
        let traceFile = trace.map { URL(fileURLWithPath: $0) }
        guard let line = readLine() else {
            throw BenchFailure(
                exitCode: .usage,
                message: "bench starts its workers itself; use bench run or bench gate")
        }
        let job = try JSONDecoder().decode(WorkerJob.self, from: Data(line.utf8))
        let parent = ParentConnection()
        parent.open()
        let thread = Thread {
            parent.send(Self.reply(to: job, of: parent, tracingTo: traceFile))
            // Not `exit`: other threads may still use what its handlers would destroy.
            _exit(0)
        }
        // The size of the main thread's stack on Linux; the default size of other threads is
        // smaller.
        thread.stackSize = 8 << 20
        thread.start()
        // Contexts of the main queue work only while the main thread serves that queue.
        while true { RunLoop.main.run(until: .distantFuture) }
    }

    private static func reply(
        to job: WorkerJob, of parent: ParentConnection, tracingTo traceFile: URL?
    ) -> WorkerReply {
        guard let kind = WorkloadKind.named(job.kind) else {
            return .failure("this bench has no workload kind \(job.kind); see WorkloadKind.all")
        }
        do {
            if job.makesStore == true {
                let context = WorkerContext(job: job)
                let facts = try kind.store(context)?.make(in: context)
                return .outcome(
                    WorkloadOutcome(
                        sample: Sample(), verification: .notApplicable, storeFacts: facts))
            }
            if job.isCounting == true { WorkCounter.install() }
            // The engine does not see SQLite's syncs.
            if traceFile != nil { CountingFileSystem.install() }
            let turns = job.takesTurns == true ? try TurnTaker(job, parent: parent) : nil
            let store = kind.store(WorkerContext(job: job))
            let trace = traceFile.map { _ in SampleTrace() }
            var outcome = try kind.run(
                WorkerContext(job: job, turns: turns, store: store, trace: trace))
            if let traceFile, let trace, let timeline = trace.timeline {
                try TraceEventFile(timeline).write(to: traceFile)
                outcome.trace = trace.sample(of: job.subject)
                outcome.trace?.longestBeatSeconds = outcome.sample.latencies["mainQueue"].map {
                    Double($0.maxNanoseconds) / 1e9
                }
            }
            return .outcome(outcome)
        } catch let error as UnequalSetting {
            // The subject ran with another setting than the job's, so it did not do the work of
            // this cell.
            return .outcome(
                WorkloadOutcome(
                    sample: Sample(), verification: .failed(reason: "\(error)")))
        } catch {
            if let own = job.ownStore { return .failure(own.tellWithoutValues(error)) }
            // A save of thousands of objects may report an error for each of them.
            let text = "\(error)"
            return .failure(text.count > 400 ? text.prefix(400) + "…" : text)
        }
    }
}
