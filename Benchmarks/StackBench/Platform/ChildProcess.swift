import Dispatch
import Foundation
import Measuring
import Synchronization

/// A process that this one has started, in a process group of its own: Ctrl-C reaches only this
/// process, which then ends the other.
///
/// It uses `posix_spawn` and `wait4`, because Foundation's `Process` does not expose the usage of a
/// child. Elsewhere: the same on Apple's systems.
struct ChildProcess {
    let identifier: pid_t

    /// How it ended.
    struct Ending {
        /// See wait(2).
        fileprivate var status: Int32 = 0
        fileprivate(set) var usage = rusage()

        var isCrash: Bool { signal != 0 }

        var isSuccess: Bool { status == 0 }

        /// The processor time of the process and of those that it has waited for.
        var cpuSeconds: Double { ProcessProbe.cpuSeconds(of: usage) }

        // The low seven bits of the status.
        private var signal: Int32 { status & 0x7F }

        /// "ended with exit code 3" or "crashed: Segmentation fault (signal 11)".
        var cause: String {
            signal == 0
                ? "ended with exit code \((status >> 8) & 0xFF)"
                : "crashed: \(String(cString: strsignal(signal))) (signal \(signal))"
        }
    }

    /// - Parameters:
    ///   - arguments: the program, which is looked for in the path, and its arguments.
    ///   - input: a descriptor that it reads from.
    ///   - output: a descriptor that it writes to.
    ///   - errors: the file for its standard error; nil for that of this process.
    ///   - isOfShell: whether it is a command as the user would type it. It then has no terminal, which
    ///     could stop it, and a closed pipe ends it.
    /// - Throws: ``SystemCallError`` if it cannot be started.
    init(
        _ arguments: [String], environment: [String: String], input: Int32, output: Int32,
        errors: URL?, isOfShell: Bool = false
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        if let errors {
            posix_spawn_file_actions_addopen(
                &actions, STDERR_FILENO, errors.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        if isOfShell {
            var defaults = sigset_t()
            sigemptyset(&defaults)
            sigaddset(&defaults, SIGPIPE)
            posix_spawnattr_setsigdefault(&attributes, &defaults)
            posix_spawnattr_setflags(&attributes, Self.shellFlags)
        } else {
            posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        }
        var process = pid_t()
        let code = withCStrings(arguments) { arguments in
            withCStrings(environment.map { "\($0.key)=\($0.value)" }) { environment in
                posix_spawnp(&process, arguments[0]!, &actions, &attributes, arguments, environment)
            }
        }
        guard code == 0 else {
            throw SystemCallError(call: "posix_spawn \(arguments[0])", code: code)
        }
        identifier = process
    }

    // POSIX_SPAWN_SETSID is 0x80 in spawn.h, which only declares it for GNU programs.
    private static let shellFlags = Int16(POSIX_SPAWN_SETSIGDEF) | 0x80

    func kill() { Foundation.kill(identifier, SIGKILL) }

    /// As ``wait()``. Kills the process and its group once it is unwanted, which is asked ten times a
    /// second.
    func wait(unless isUnwanted: @escaping @Sendable () -> Bool) -> Ending {
        let group = Group(identifier)
        let timer = DispatchSource.makeTimerSource()
        timer.schedule(deadline: .now() + .milliseconds(100), repeating: .milliseconds(100))
        timer.setEventHandler { if isUnwanted() { group.kill() } }
        timer.activate()
        defer { timer.cancel() }
        // Its number stays its own until it is waited for.
        var information = siginfo_t()
        while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) == -1,
            errno == EINTR
        {}
        group.end()
        return wait()
    }

    /// The processes of a group. It is not killed any more once its first process is waited for,
    /// since the system may then give the number to another one.
    private final class Group: Sendable {
        private let identifier: Mutex<pid_t?>

        init(_ identifier: pid_t) { self.identifier = Mutex(identifier) }

        func kill() {
            identifier.withLock { if let group = $0 { _ = Foundation.kill(-group, SIGKILL) } }
        }

        func end() { identifier.withLock { $0 = nil } }
    }

    /// Blocks until the process has ended. Call it once.
    func wait() -> Ending {
        var ending = Ending()
        while wait4(identifier, &ending.status, 0, &ending.usage) == -1, errno == EINTR {}
        return ending
    }
}

/// Calls `body` with the strings as the null-terminated array that `execv` and `posix_spawn` take.
func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
    let pointers = strings.map { strdup($0) }
    defer { pointers.forEach { free($0) } }
    return body(pointers + [nil])
}
