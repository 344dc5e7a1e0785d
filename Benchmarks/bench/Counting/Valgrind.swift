import Foundation

/// Workers under valgrind, which counts instructions without counters of the processor: virtual machines have none.
enum Valgrind {
    static let installation = "apt-get install valgrind binutils"

    /// Whether valgrind is installed, and `strip`, without which it cannot read our executable.
    static let isAvailable: Bool = {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return ["valgrind", "strip"].allSatisfy { tool in
            path.split(separator: ":").contains {
                FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)")
            }
        }
    }()

    /// A copy that valgrind can read: 3.19 gives up on the debugging information of Swift 6.
    ///
    /// - Throws: when there is no `strip`, or the disk cannot be written.
    static func strippedCopy(of executable: URL, in folder: URL) throws -> URL {
        let copy = folder.appendingPathComponent("bench")
        let strip = try Process.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            arguments: ["strip", "--strip-debug", "-o", copy.path, executable.path])
        strip.waitUntilExit()
        return copy
    }

    /// How a worker of that program is started under a tool with these options.
    static func launch(_ executable: URL, _ options: [String]) -> WorkerProcess.Launch {
        WorkerProcess.Launch(
            executable: executable, launcher: ["valgrind", "--quiet"] + options,
            environment: [
                "SWIFT_DETERMINISTIC_HASHING": "1",
                // Or jemalloc gives memory back when some time has passed.
                "MALLOC_CONF": "dirty_decay_ms:-1,muzzy_decay_ms:-1",
            ])
    }

    /// The instructions that a report of cachegrind or callgrind counts: it has a line of "summary: " and the number.
    ///
    /// - Throws: when it cannot be read.
    static func total(in report: URL) throws -> Int64? {
        let text = try String(contentsOf: report, encoding: .utf8)
        let line = text.split(separator: "\n").last { $0.hasPrefix("summary:") }
        return line?.split(separator: " ").last.flatMap { Int64($0) }
    }
}
