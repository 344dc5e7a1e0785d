import Foundation
import Measuring
import RunRecords

/// Where figures come from: when and on what machine they were taken, and how to repeat them.
struct Provenance {
    let table: ReportTable

    init(_ run: Run) {
        var rows = [["Taken", Self.taken(run)], ["Data", Self.data(run.dataset)]]
        if let commit = run.commit {
            let isOlder = run.environment.isBuiltBeforeCommit == true
            let doubt = isOlder ? "; `bench` was built before it" : ""
            rows.append(["Commit of the checkout", "`\(commit)`\(doubt)"])
        }
        if let shards = run.shards {
            rows.append(["Build", Self.build(run.build, run.environment.identity)])
            rows.append(["SQLite", run.environment.identity.sqliteVersion])
            rows.append(["Seed", "\(run.seed)"])
            rows += shards.flatMap(Self.rows)
        } else {
            rows += Self.machine(run.build, run.environment)
            rows += Self.again(run.seed, run.commandLine)
        }
        table = Self.table(of: rows)
    }

    init(_ report: ComparisonReport) {
        func told(_ arm: ComparisonReport.Arm, _ word: String) -> String {
            escaped(arm.name) + (arm.commit.map { ", \(word) `\($0)`" } ?? "")
        }
        var rows = [
            ["Base", told(report.base, "commit")],
            ["Head", told(report.head, "checkout at commit")],
            [
                "Taken",
                Self.period(report.startedAt, report.finishedAt)
                    ?? "\(Self.told(report.startedAt)), not finished",
            ],
        ]
        if let dataset = report.dataset { rows.append(["Data", Self.data(dataset)]) }
        rows += Self.machine(report.build, report.environment)
        rows += Self.again(report.seed, report.commandLine)
        table = Self.table(of: rows)
    }

    /// The time, the build and the machine in one line; the number of machines if there are several.
    static func line(_ run: Run) -> String {
        guard let shards = run.shards else {
            return line(run.startedAt, run.build, run.environment)
        }
        return "\(told(run.startedAt)) · \(run.build.rawValue) build · \(shards.count) "
            + "\(shards.count == 1 ? "shard" : "shards") · "
            + "SQLite \(run.environment.identity.sqliteVersion)"
    }

    /// The time, the build and the machine in one line.
    static func line(
        _ startedAt: Date, _ build: BuildConfiguration, _ environment: EnvironmentFingerprint
    ) -> String {
        let identity = environment.identity
        return "\(told(startedAt)) · \(build.rawValue) build · \(identity.coreCount) × "
            + "\(identity.cpuModel) · SQLite \(identity.sqliteVersion)"
    }

    private static func table(of rows: [[String]]) -> ReportTable {
        var table = ReportTable([("", .left), ("", .left)])
        for row in rows { table.append(row) }
        return table
    }

    private static func machine(
        _ build: BuildConfiguration, _ environment: EnvironmentFingerprint
    ) -> [[String]] {
        let identity = environment.identity
        return [
            ["Build", Self.build(build, identity)], ["Machine", machine(identity)],
            ["SQLite", identity.sqliteVersion],
        ]
    }

    private static func build(
        _ build: BuildConfiguration, _ identity: EnvironmentFingerprint.Identity
    ) -> String {
        "\(build.rawValue), \(identity.swiftVersion), \(identity.allocator)"
    }

    private static func machine(_ identity: EnvironmentFingerprint.Identity) -> String {
        let memory = MetricUnit.bytes.format(Double(identity.memoryBytes))
        return "\(identity.coreCount) × \(identity.cpuModel), \(memory), "
            + "\(identity.operatingSystem), kernel \(identity.kernel)"
    }

    /// The conditions of a shard.
    private static func rows(of shard: ShardOrigin) -> [[String]] {
        let load = shard.environment.volatile.loadAverage.map {
            ", load \(fixed($0, 1)) at the start"
        }
        let time = period(shard.startedAt, shard.finishedAt) ?? told(shard.startedAt)
        return [
            [
                "Shard \(shard.number)",
                "\(machine(shard.environment.identity))\(load ?? ""); \(time)",
            ],
            ["Repeat", command(shard.commandLine)],
        ]
    }

    private static func again(_ seed: UInt64, _ commandLine: [String]) -> [[String]] {
        [["Seed", "\(seed)"], ["Repeat", command(commandLine)]]
    }

    private static func command(_ commandLine: [String]) -> String {
        // The program's own path is useless to others.
        let program = commandLine.first?.split(separator: "/").last.map(String.init) ?? "bench"
        let arguments = commandLine.dropFirst().map { argument in
            argument.contains { $0.isWhitespace || "*?'\"$".contains($0) }
                ? "'\(argument)'" : argument
        }
        return "`\((["swift run -c release \(program)"] + arguments).joined(separator: " "))`"
    }

    private static func taken(_ run: Run) -> String {
        period(run.startedAt, run.finishedAt).map { "\($0), \(run.state.rawValue)" }
            ?? "\(told(run.startedAt)), not finished"
    }

    private static func period(_ begin: Date, _ end: Date?) -> String? {
        end.map {
            "\(told(begin)), \(ProgressReporter.clock($0.timeIntervalSince(begin))) long"
        }
    }

    private static func told(_ date: Date) -> String {
        date.formatted(.iso8601).replacing("T", with: " ").replacing("Z", with: " UTC")
    }

    private static func data(_ dataset: DatasetDescription?) -> String {
        guard let dataset else { return "only what the workloads generate" }
        let counts = dataset.rowCounts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { "\(grouped(Double($0.value))) \($0.key)" }.joined(separator: ", ")
        let origin =
            dataset.origin == .real ? "real data" : "**generated data**"
        return escaped(dataset.name) + ", \(origin): \(counts) (\(escaped(dataset.identity)))"
    }
}
