import Foundation

/// Starts workers under valgrind. It counts instructions without counters of the processor, which
/// virtual machines do not have.
enum Valgrind {
    static let installation = "apt-get install valgrind binutils"

    /// Whether valgrind is installed, and `strip`, which makes executables that it can read.
    static let isAvailable: Bool = {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return ["valgrind", "strip"].allSatisfy { tool in
            path.split(separator: ":").contains {
                FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)")
            }
        }
    }()

    /// A copy that valgrind can read: version 3.19 fails on the debug information of Swift 6.
    ///
    /// - Throws: if `strip` is missing or the disk cannot be written.
    static func strippedCopy(of executable: URL, in folder: URL) throws -> URL {
        let copy = folder.appendingPathComponent("bench")
        let strip = try Process.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            arguments: ["strip", "--strip-debug", "-o", copy.path, executable.path])
        strip.waitUntilExit()
        return copy
    }

    /// How to start a worker of a program under a valgrind tool with these options.
    static func launch(_ executable: URL, _ options: [String]) -> WorkerProcess.Launch {
        WorkerProcess.Launch(
            executable: executable, launcher: ["valgrind", "--quiet"] + options,
            environment: [
                "SWIFT_DETERMINISTIC_HASHING": "1",
                // Otherwise jemalloc returns memory at times that depend on the clock.
                "MALLOC_CONF": "dirty_decay_ms:-1,muzzy_decay_ms:-1",
            ])
    }

    /// The instructions of each function in a report of cachegrind, by its name in the executable.
    ///
    /// - Throws: if the report cannot be read.
    static func functions(in report: URL) throws -> [String: Int64] {
        var counts: [String: Int64] = [:]
        var name = ""
        for line in try String(contentsOf: report, encoding: .utf8).split(separator: "\n") {
            if line.hasPrefix("fn=") {
                name = String(line.dropFirst(3))
            } else if line.first?.isNumber == true, let count = line.split(separator: " ").last {
                counts[name, default: 0] += Int64(count) ?? 0
            }
        }
        return counts
    }

    /// The instructions in a report of cachegrind or callgrind, from its line "summary: ".
    ///
    /// - Throws: if the report cannot be read.
    static func total(in report: URL) throws -> Int64? {
        let text = try String(contentsOf: report, encoding: .utf8)
        let line = text.split(separator: "\n").last { $0.hasPrefix("summary:") }
        return line?.split(separator: " ").last.flatMap { Int64($0) }
    }
}
