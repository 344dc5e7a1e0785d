import Foundation
import Measuring
import RunRecords

/// Starts one `bench worker`, gives it its job, watches it and collects its resource usage.
final class WorkerProcess {
    /// A message from the worker.
    enum Message: Sendable {
        case ready
        case turn(Turn)
        /// The last message.
        case outcome(WorkloadOutcome)
    }

    /// How a worker is started, if not in the usual way.
    struct Launch: Sendable {
        var executable = Executable.url
        /// A program that starts the worker, with its arguments, such as valgrind.
        var launcher: [String] = []
        /// Options of `bench worker`.
        var options: [String] = []
        /// Added to the parent's environment.
        var environment: [String: String] = [:]

        /// Makes the environment longer by a random amount. The environment lies before the stack
        /// and moves it, and some work is faster at some addresses. Source: measuring §2.
        mutating func pad(_ random: inout SeededGenerator) {
            let length = Int.random(in: 0..<4_096, using: &random)
            environment["STACKBENCH_PADDING"] = String(repeating: "x", count: length)
        }
    }

    /// Measured over the whole life of the process.
    static let metricNames = [
        "process.peakMemory", "process.voluntarySwitches", "process.involuntarySwitches",
    ]
    private static let pollMilliseconds: Int32 = 100
    private let process: ChildProcess
    private let job: PrivatePipe
    private let reply: PrivatePipe
    private let errorFile: URL
    private let timeout: Duration
    private let watch = Stopwatch()
    private var unread = Data()
    /// Nil while the process lives.
    private var ending: Result<WorkloadOutcome, any Error>?

    /// Runs a job without turns to its end.
    ///
    /// - Parameter timeout: the time after which the worker is killed.
    /// - Throws: ``SystemCallError`` if the process cannot be started, and the errors of
    ///   ``receive()``.
    static func run(
        _ job: WorkerJob, _ launch: Launch = Launch(), timeout: Duration
    ) throws -> WorkloadOutcome {
        try WorkerProcess(job, launch, timeout: timeout).finish()
    }

    /// Starts a worker and gives it its job.
    ///
    /// - Parameter timeout: the longest wait for a message before the worker is killed.
    /// - Throws: ``SystemCallError`` if the process cannot be started.
    init(_ workerJob: WorkerJob, _ launch: Launch = Launch(), timeout: Duration) throws {
        self.timeout = timeout
        job = try PrivatePipe()
        reply = try PrivatePipe()
        // What a worker prints may hold values of the user's store.
        errorFile =
            workerJob.ownStore == nil
            ? workerJob.folder.appendingPathComponent("stderr.txt")
            : URL(fileURLWithPath: "/dev/null")

        var environment = ProcessInfo.processInfo.environment
        // A backtrace takes longer than the sample; the message of the trap is enough.
        environment["SWIFT_BACKTRACE"] = "enable=no"
        environment.merge(launch.environment) { $1 }
        let arguments =
            launch.launcher + [launch.executable.path, "worker"] + launch.options
            + DebugArguments.ofProcess.debug
        do {
            // When debugging, the workers' log stays visible on standard error.
            process = try ChildProcess(
                arguments, environment: environment, input: job.readEnd, output: reply.writeEnd,
                errors: DebugArguments.ofProcess.debug.isEmpty ? errorFile : nil)
        } catch {
            for end in [job.readEnd, job.writeEnd, reply.readEnd, reply.writeEnd] { close(end) }
            throw error
        }
        close(job.readEnd)
        close(reply.writeEnd)
        // The pipe stays open: closing it would tell the worker that the parent is gone.
        let line = try JSONEncoder().encode(workerJob) + Data("\n".utf8)
        FileDescriptor(job.writeEnd).write(line)
    }

    deinit {
        kill()
    }

    /// Kills the worker unless it has ended.
    func kill() {
        guard ending == nil else { return }
        _ = kill(because: WorkerFailure(reason: "killed"))
    }

    func send(_ order: TurnOrder) {
        FileDescriptor(job.writeEnd).write(Data((order.line + "\n").utf8))
    }

    /// Waits for the next message.
    ///
    /// - Throws: ``WorkerFailure`` if the worker ends without an outcome or hangs, and
    ///   ``Interrupted`` if the user asked to stop. The worker is dead then.
    func receive() throws -> Message {
        if let ending { return .outcome(try ending.get()) }
        let deadline = ContinuousClock.now + timeout
        while true {
            if let line = takeLine() { return try message(line) }
            guard let more = FileDescriptor(reply.readEnd).read(within: Self.pollMilliseconds)
            else { throw endWithoutAnswer() }
            unread += more
            guard !Interruption.isRequested else { throw kill(because: Interrupted()) }
            guard ContinuousClock.now <= deadline else {
                let seconds = timeout.components.seconds
                throw kill(because: WorkerFailure(reason: "hung: killed after \(seconds) s"))
            }
        }
    }

    /// Waits for the outcome and ignores earlier messages.
    ///
    /// - Throws: the errors of ``receive()``.
    func finish() throws -> WorkloadOutcome {
        while true {
            if case .outcome(let outcome) = try receive() { return outcome }
        }
    }

    private func takeLine() -> Data? {
        guard let end = unread.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        defer { unread = Data(unread[(end + 1)...]) }
        return Data(unread[..<end])
    }

    private func message(_ line: Data) throws -> Message {
        switch try? JSONDecoder().decode(WorkerReply.self, from: line) {
        case .ready: return .ready
        case .turn(let turn): return .turn(turn)
        case .failure(let reason):
            _ = wait()
            let failure = WorkerFailure(reason: reason)
            ending = .failure(failure)
            throw failure
        case .outcome(var outcome):
            let usage = wait().usage
            outcome.sample[.sampleSeconds] = watch.elapsedSeconds
            outcome.sample.metrics[Self.metricNames[0]] = Double(usage.ru_maxrss) * 1024
            outcome.sample.counters[Self.metricNames[1]] = Int64(usage.ru_nvcsw)
            outcome.sample.counters[Self.metricNames[2]] = Int64(usage.ru_nivcsw)
            ending = .success(outcome)
            return .outcome(outcome)
        case nil:
            throw kill(because: WorkerFailure(reason: "the worker sent a reply of no known kind"))
        }
    }

    var identifier: pid_t { process.identifier }

    private func kill(because error: any Error) -> any Error {
        process.kill()
        _ = wait()
        ending = .failure(error)
        return error
    }

    private func endWithoutAnswer() -> WorkerFailure {
        let failure = WorkerFailure(reason: cause(wait()))
        ending = .failure(failure)
        return failure
    }

    /// Blocks until the process has ended.
    private func wait() -> ChildProcess.Ending {
        let ending = process.wait()
        close(job.writeEnd)
        close(reply.readEnd)
        return ending
    }

    /// How the process ended without an answer: its signal or exit code, and its last message.
    private func cause(_ ending: ChildProcess.Ending) -> String {
        let cause = ending.isCrash ? ending.cause : "\(ending.cause) and no reply"
        let text = FileManager.default.contents(atPath: errorFile.path) ?? Data()
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
        // A trap prints its message before a long list of addresses.
        let message = lines.first { $0.contains("rror") } ?? lines.last
        return [Substring(cause), message].compactMap(\.self).joined(separator: "; ")
    }
}
