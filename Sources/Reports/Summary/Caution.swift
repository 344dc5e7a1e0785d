import Measuring
import RunRecords

/// Something that a reader should know before believing a run, and what to do about it.
public enum Caution: Hashable, Sendable {
    case debugBuild
    case testingBuild
    case unfinished(RunState)
    case generatedData
    /// The run is a part of another one.
    case shard(number: Int, count: Int)
    /// How far the canary's 90th percentile is above its median, as a share.
    case unsteadyMachine(excess: Double, shard: Int? = nil)
    case busyMachine(loadAverage: Double, coreCount: Int, shard: Int? = nil)
    /// Samples that are not numbers. All statistics leave them out.
    case notNumbers(workload: String, cells: [String])
}

extension Caution {
    /// All cautions that apply to the run, the gravest first.
    public static func on(_ run: Run) -> [Caution] {
        var cautions: [Caution] = []
        if run.build == .debug { cautions.append(.debugBuild) }
        if run.build == .testing { cautions.append(.testingBuild) }
        if run.state != .completed { cautions.append(.unfinished(run.state)) }
        if run.dataset?.origin == .generated { cautions.append(.generatedData) }
        if let shard = run.shard {
            cautions.append(.shard(number: shard.number, count: shard.count))
        }
        return cautions + run.machines.flatMap { on($0) } + run.workloads.compactMap { on($0) }
    }

    private static let canaryExcessMax = 0.2

    private static func on(_ machine: Run.Machine) -> [Caution] {
        var cautions: [Caution] = []
        let cores = machine.environment.identity.coreCount
        if let load = machine.environment.volatile.loadAverage, load > Double(cores) / 2 {
            cautions.append(
                .busyMachine(loadAverage: load, coreCount: cores, shard: machine.shard))
        }
        let canaries = machine.cells.flatMap { $0.values(of: Metric.canary.name) }
        if canaries.count >= 10, let middle = Statistics.median(canaries),
            let high = Statistics.quantile(canaries, 0.9), high > middle * (1 + canaryExcessMax)
        {
            cautions.append(
                .unsteadyMachine(excess: high / middle - 1, shard: machine.shard))
        }
        return cautions
    }

    private static func on(_ workload: WorkloadResult) -> Caution? {
        let summary = WorkloadSummary(workload)
        let broken = workload.cells.filter { cell in
            cell.samples.contains { $0.value(of: workload.primaryMetric.name)?.isFinite == false }
        }
        return broken.isEmpty
            ? nil : .notNumbers(workload: workload.title, cells: broken.map(summary.label))
    }
}

extension Caution: CustomStringConvertible {
    public var description: String {
        switch self {
        case .debugBuild:
            "This is a debug build: its times mean nothing. Run `swift run -c release bench`."
        case .testingBuild:
            "This is a testing build, compiled with `-enable-testing`: its counts are valid, its times "
                + "mean nothing. For times run `scripts/bench` or `swift run -c release bench`."
        case .unfinished(.interrupted):
            "The run was interrupted: this report has the samples that were taken, the rest is missing. "
                + "`bench run --resume` continues it."
        case .unfinished:
            "The run has not finished or was killed: this report has the samples taken so far. "
                + "`bench run --resume` continues it."
        case .generatedData:
            "The data are generated. For real data run `scripts/fetch-dataset` and measure again."
        case .shard(let number, let count):
            "This is shard \(number) of \(count) and has only its cells. `bench merge` joins it with the "
                + "others and judges the rules."
        case .unsteadyMachine(let excess, let shard):
            "\(Self.machine(shard))’s speed was unsteady: a fixed piece of work took \(grouped(excess * 100)) % "
                + "longer than usual in a tenth of its runs. Before you quote times, measure on a "
                + "quieter machine; verdicts compare samples taken close together and suffer less."
        case .busyMachine(let load, let cores, let shard):
            "\(Self.machine(shard)) was busy at the start (load \(fixed(load, 1)) on \(cores) cores). Wait "
                + "until it is idle and measure again."
        case .notNumbers(let workload, let cells):
            "\(workload): some samples of \(Self.list(cells)) are NaN or infinite and were left out. "
                + "The workload has a bug; the values are in run.json."
        }
    }

    private static func machine(_ shard: Int?) -> String {
        shard.map { "The machine of shard \($0)" } ?? "The machine"
    }

    private static func list(_ cells: [String]) -> String {
        let shown = cells.prefix(4).joined(separator: ", ")
        return cells.count > 4 ? "\(shown) and \(cells.count - 4) more" : shown
    }
}
