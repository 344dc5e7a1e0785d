import Foundation
import Measuring
import Reports
import RunRecords

/// One property of the machine that affects its measurements.
struct Diagnosis: Sendable {
    enum Grade: Sendable {
        case good
        /// Times are noisier, or some measurements are missing.
        case doubtful
        /// Counts are wrong or not available.
        case broken

        var mark: String {
            switch self {
            case .good: "✓"
            case .doubtful: "!"
            case .broken: "✗"
            }
        }
    }

    var subject: String
    var grade: Grade
    var finding: String
    /// What to do about it; nil if nothing needs to be done.
    var advice: String?

    static func all() -> [Diagnosis] {
        let environment = EnvironmentFingerprint.ofBench()
        return [
            build, cores, governor, load(environment), steal(environment), pressure, steadiness,
            disk, sqlite(environment), allocator, valgrind, dataset,
        ]
    }

    private init(_ subject: String, _ grade: Grade, _ finding: String, _ advice: String? = nil) {
        self.subject = subject
        self.grade = grade
        self.finding = finding
        self.advice = grade == .good ? nil : advice
    }

    // MARK: Machine

    private static var build: Diagnosis {
        Diagnosis(
            "build", BuildConfiguration.ofBench.hasTimes ? .good : .doubtful,
            BuildConfiguration.ofBench.rawValue,
            "times of a \(BuildConfiguration.ofBench) build mean nothing: build with -c release and without -enable-testing"
        )
    }

    private static var cores: Diagnosis {
        let count = ProcessorCore.available.count
        return Diagnosis(
            "cores", count >= 2 ? .good : .doubtful, "\(count)",
            "give bench two cores: one for a pair of workers, one for itself")
    }

    private static var governor: Diagnosis {
        guard let governor = MachineFacts.frequencyGovernor else {
            return Diagnosis("governor", .good, "none, as in virtual machines")
        }
        return Diagnosis(
            "governor", governor == "performance" ? .good : .doubtful, governor,
            "cpupower frequency-set -g performance")
    }

    private static func load(_ environment: EnvironmentFingerprint) -> Diagnosis {
        guard let load = environment.volatile.loadAverage else {
            return Diagnosis("load", .doubtful, "unknown", "measure on Linux")
        }
        return Diagnosis(
            "load", load < 0.5 ? .good : .doubtful, String(format: "%.2f in the last minute", load),
            "stop other programs; undecided questions need more rounds beside them")
    }

    private static func steal(_ environment: EnvironmentFingerprint) -> Diagnosis {
        let share = environment.volatile.stealShare ?? 0
        return Diagnosis(
            "steal", share < 0.02 ? .good : .doubtful,
            String(format: "%.1f %% of the time since boot", share * 100),
            "the host is busy: a longer --budget decides more, another hour may decide it sooner")
    }

    private static var pressure: Diagnosis {
        guard let percent = MachineFacts.processorPressurePercent else {
            return Diagnosis("pressure", .good, "unknown")
        }
        return Diagnosis(
            "pressure", percent < 10 ? .good : .doubtful,
            "tasks waited for a processor in \(percent) % of the last 10 s",
            "stop other programs")
    }

    /// The spread of the times of fifty equal pieces of work.
    private static var steadiness: Diagnosis {
        var canary = NoiseCanary()
        let seconds = (0..<50).map { _ in canary.read() }
        guard let middle = Statistics.median(seconds), let slow = Statistics.quantile(seconds, 0.9)
        else { return Diagnosis("steadiness", .doubtful, "not measured") }
        let spread = slow / middle - 1
        return Diagnosis(
            "steadiness", spread < 0.05 ? .good : .doubtful,
            String(format: "one in ten equal pieces of work takes %.1f %% longer", spread * 100),
            "a longer --budget decides more; to compare two builds, use scripts/gate")
    }

    /// The times of twenty small synced writes in the current folder, where results are written.
    private static var disk: Diagnosis {
        let current = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
        let probe = NoiseProbe(folder: current)
        let seconds = (0..<20).compactMap { _ in probe.read().syncSeconds }
        guard let middle = Statistics.median(seconds), let longest = seconds.max() else {
            return Diagnosis(
                "disk", .broken, "the current folder cannot be written",
                "start bench where results may be written")
        }
        return Diagnosis(
            "disk", longest < 20 * middle ? .good : .doubtful,
            "a sync takes \(MetricUnit.seconds.format(middle)), at most "
                + MetricUnit.seconds.format(longest),
            "sync times will vary; count syncs, or put results on a tmpfs")
    }

    // MARK: Probes

    private static func sqlite(_ environment: EnvironmentFingerprint) -> Diagnosis {
        let options = environment.identity.sqliteCompileOptions
        let isSafe = !options.contains("THREADSAFE=0")
        return Diagnosis(
            "SQLite", isSafe ? .good : .broken, environment.identity.sqliteVersion,
            "it was compiled for one thread: install libsqlite3-dev")
    }

    private static var allocator: Diagnosis {
        let before = Allocator.allocationCount()
        // Too large for the cache of a thread, so that it is counted immediately.
        UnsafeMutableRawPointer.allocate(byteCount: 1 << 20, alignment: 16).deallocate()
        let isCounting = Allocator.allocationCount() > before
        return Diagnosis(
            "allocator", isCounting ? .good : .broken, Allocator.name,
            "allocations cannot be counted: install libjemalloc-dev and build again")
    }

    private static var valgrind: Diagnosis {
        Valgrind.isAvailable
            ? Diagnosis("valgrind", .good, "installed")
            : Diagnosis(
                "valgrind", .doubtful, "missing",
                "\(Valgrind.installation), or do without instruction counts")
    }

    private static var dataset: Diagnosis {
        DatasetSelection.isPublished
            ? Diagnosis("data set", .good, "the published one")
            : Diagnosis(
                "data set", .doubtful, "missing: bench generates rows of the same shape",
                "scripts/fetch-dataset")
    }
}
