import Benchmarking
import Foundation

/// One `bench worker`: started, given its job, watched, and collected with its resource usage.
///
/// Made with `posix_spawn` and `wait4`, since Foundation's `Process` keeps a child's usage to
/// itself.
struct WorkerProcess {
    /// What became of a worker.
    enum Ending {
        case outcome(WorkloadOutcome)
        /// It threw, crashed or hung; the text says which.
        case failure(String)
        /// The user asked to stop, and the worker was killed.
        case interrupted
    }

    private static let replyPollMilliseconds: Int32 = 100
    private let process: pid_t
    private let job: Pipe
    private let reply: Pipe
    private let errorFile: URL

    /// Runs a job to its end, whatever that is.
    ///
    /// - Parameter timeout: the worker is killed after it.
    /// - Throws: when no process can be started.
    static func run(_ job: WorkerJob, timeout: Duration) throws -> Ending {
        let worker = try WorkerProcess(job)
        return worker.finish(deadline: .now + timeout, timeout: timeout)
    }

    private init(_ workerJob: WorkerJob) throws {
        job = try Pipe()
        reply = try Pipe()
        errorFile = workerJob.folder.appendingPathComponent("stderr.txt")

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, job.readEnd, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, reply.writeEnd, STDOUT_FILENO)
        posix_spawn_file_actions_addopen(
            &actions, STDERR_FILENO, errorFile.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A process group of its own: Ctrl-C reaches us alone, and we end the worker.
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))

        // A backtrace takes longer than the sample; the message of a trap is enough.
        var environment = ProcessInfo.processInfo.environment
        environment["SWIFT_BACKTRACE"] = "enable=no"
        let executable = Executable.url.path
        var process = pid_t()
        let code = withCStrings([executable, "worker"]) { arguments in
            withCStrings(environment.map { "\($0.key)=\($0.value)" }) { environment in
                posix_spawn(&process, executable, &actions, &attributes, arguments, environment)
            }
        }
        close(job.readEnd)
        close(reply.writeEnd)
        guard code == 0 else {
            close(job.writeEnd)
            close(reply.readEnd)
            throw SystemCallError(call: "posix_spawn \(executable)", code: code)
        }
        self.process = process
        // The end of our writing would tell the worker that we are gone, so it stays open.
        let line = try JSONEncoder().encode(workerJob) + Data("\n".utf8)
        FileDescriptor(job.writeEnd).write(line)
    }

    private func finish(deadline: ContinuousClock.Instant, timeout: Duration) -> Ending {
        defer {
            close(job.writeEnd)
            close(reply.readEnd)
        }
        var output = Data()
        while let more = FileDescriptor(reply.readEnd).read(within: Self.replyPollMilliseconds) {
            output += more
            if Interruption.isRequested {
                kill(process, SIGKILL)
                _ = wait()
                return .interrupted
            }
            if ContinuousClock.now > deadline {
                kill(process, SIGKILL)
                _ = wait()
                return .failure("hung: killed after \(timeout.components.seconds) s")
            }
        }
        let (status, usage) = wait()
        guard let answer = try? JSONDecoder().decode(WorkerReply.self, from: output) else {
            return .failure(ending(status))
        }
        switch answer {
        case .failure(let reason): return .failure(reason)
        case .outcome(var outcome):
            outcome.sample.metrics["process.peakMemory"] = Double(usage.ru_maxrss) * 1024
            outcome.sample.counters["process.voluntarySwitches"] = Int64(usage.ru_nvcsw)
            outcome.sample.counters["process.involuntarySwitches"] = Int64(usage.ru_nivcsw)
            return .outcome(outcome)
        }
    }

    /// Blocks until the process has ended.
    private func wait() -> (status: Int32, usage: rusage) {
        var status: Int32 = 0
        var usage = rusage()
        while wait4(process, &status, 0, &usage) == -1, errno == EINTR {}
        return (status, usage)
    }

    /// How the process ended without an answer: its signal or exit code, and its last words.
    private func ending(_ status: Int32) -> String {
        // The layout of a status is wait(2)'s: the low seven bits are the signal.
        let signal = status & 0x7F
        let cause =
            signal == 0
            ? "ended with exit code \((status >> 8) & 0xFF) and no answer"
            : "crashed: \(String(cString: strsignal(signal))) (signal \(signal))"
        let text = FileManager.default.contents(atPath: errorFile.path) ?? Data()
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
        // The message of a trap stands before a long list of addresses.
        let message = lines.first { $0.contains("rror") } ?? lines.last
        return [Substring(cause), message].compactMap(\.self).joined(separator: "; ")
    }
}

extension ContinuousClock.Instant {
    fileprivate static func + (instant: Self, duration: Duration) -> Self {
        instant.advanced(by: duration)
    }
}
