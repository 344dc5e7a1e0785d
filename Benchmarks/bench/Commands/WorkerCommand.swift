import ArgumentParser
import Benchmarking
import Foundation

/// Measures one sample: reads a ``WorkerJob`` from the standard input and writes a
/// ``WorkerReply`` to the standard output.
struct WorkerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "worker", shouldDisplay: false)

    func run() throws {
        guard let line = readLine() else {
            throw CommandFailure(
                exitCode: .usage, message: "worker is started by bench run, with a job")
        }
        let job = try JSONDecoder().decode(WorkerJob.self, from: Data(line.utf8))
        endWithParent()
        let thread = Thread {
            let reply = Self.reply(to: job)
            let answer = (try? JSONEncoder().encode(reply)) ?? Data()
            FileHandle.standardOutput.write(answer)
            // Not `exit`: other threads may still use what its handlers would take down.
            _exit(0)
        }
        // The main thread's own size on Linux; a thread's default would do for less.
        thread.stackSize = 8 << 20
        thread.start()
        // Contexts on the main queue need the main thread to serve it, all the while.
        while true { RunLoop.main.run(until: .distantFuture) }
    }

    private static func reply(to job: WorkerJob) -> WorkerReply {
        guard let function = WorkloadFunctions.all[job.kind] else {
            return .failure("the kind \(job.kind) is not registered in WorkloadFunctions")
        }
        do {
            return .outcome(try function(WorkerContext(job: job)))
        } catch let error as UnequalSetting {
            // Done under other conditions, the work is not the one that was asked for.
            return .outcome(
                WorkloadOutcome(
                    sample: Sample(repetition: 0, positionInRound: 0, startedAtSeconds: 0),
                    verification: .failed(reason: "\(error)")))
        } catch {
            // A save of thousands of objects may have a complaint about each.
            let text = "\(error)"
            return .failure(text.count > 400 ? text.prefix(400) + "…" : text)
        }
    }

    /// Nobody waits for the answer of a worker whose parent is gone. The parent never writes more
    /// than the job, so that reading on only tells when the pipe is closed.
    private func endWithParent() {
        let thread = Thread {
            _ = readLine()
            _exit(1)
        }
        thread.start()
    }
}
