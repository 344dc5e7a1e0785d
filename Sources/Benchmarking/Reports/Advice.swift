/// Something about a run that a reader should know before believing it, and what to do about it.
public enum Advice: Hashable, Sendable {
    case debugBuild
    case testingBuild
    case unfinished(RunState)
    case generatedData
    /// Fewer than ``PairedRatio/pairsNeeded`` rounds.
    case fewSamples(workload: String, count: Int)
    /// The interval is wider than a tenth of the median.
    case wideSpread(workload: String, cells: [String])
    /// The first sample is slower than all later ones by more than a tenth.
    case slowFirstSample(workload: String, cells: [String])
    /// The canary's 90th percentile above its median, as a share.
    case unsteadyMachine(excess: Double)
    case busyMachine(loadAverage: Double, coreCount: Int)
    /// Samples that are not numbers, left out of all statistics.
    case notNumbers(workload: String, cells: [String])
}

extension Advice {
    /// All that applies to the run, the gravest first.
    public static func on(_ run: Run) -> [Advice] {
        var advice: [Advice] = []
        if run.build == .debug { advice.append(.debugBuild) }
        if run.build == .testing { advice.append(.testingBuild) }
        if run.state != .completed { advice.append(.unfinished(run.state)) }
        if run.dataset?.origin == .generated { advice.append(.generatedData) }
        advice += machine(of: run)
        return advice + run.workloads.flatMap { on($0) }
    }

    private static let spreadMax = 0.1
    private static let canaryExcessMax = 0.2

    private static func machine(of run: Run) -> [Advice] {
        var advice: [Advice] = []
        let cores = run.environment.identity.coreCount
        if let load = run.environment.volatile.loadAverage, load > Double(cores) / 2 {
            advice.append(.busyMachine(loadAverage: load, coreCount: cores))
        }
        let canaries = run.workloads.flatMap(\.cells).flatMap { $0.values(of: Metric.canary.name) }
        if canaries.count >= 10, let middle = Statistics.median(canaries),
            let high = Statistics.quantile(canaries, 0.9), high > middle * (1 + canaryExcessMax)
        {
            advice.append(.unsteadyMachine(excess: high / middle - 1))
        }
        return advice
    }

    private static func on(_ workload: WorkloadResult) -> [Advice] {
        let summary = WorkloadSummary(workload)
        let metric = workload.primaryMetric.name
        let sound = workload.cells.filter { $0.isSound && !$0.samples.isEmpty }
        func cells(where applies: ([Double]) -> Bool) -> [String] {
            sound.filter { applies($0.values(of: metric)) }.map { cell in
                let group = summary.groups.first { $0.parameters == cell.parameters }
                let parameters = group.map(summary.label) ?? ""
                return summary.label(cell) + (parameters.isEmpty ? "" : " (\(parameters))")
            }
        }
        var advice: [Advice] = []
        let counts = sound.map { $0.values(of: metric).count }
        if let count = counts.min(), count < PairedRatio.pairsNeeded {
            advice.append(.fewSamples(workload: workload.title, count: count))
        }
        let wide = cells(where: isWide)
        if !wide.isEmpty { advice.append(.wideSpread(workload: workload.title, cells: wide)) }
        let slow = cells(where: hasSlowStart)
        if !slow.isEmpty { advice.append(.slowFirstSample(workload: workload.title, cells: slow)) }
        let broken = workload.cells.filter { cell in
            cell.samples.contains { $0.value(of: metric)?.isFinite == false }
        }
        if !broken.isEmpty {
            advice.append(
                .notNumbers(workload: workload.title, cells: broken.map(summary.label)))
        }
        return advice
    }

    private static func isWide(_ values: [Double]) -> Bool {
        guard let middle = Statistics.median(values), values.count >= PairedRatio.pairsNeeded,
            let interval = Statistics.medianInterval(values)
        else { return false }
        return interval.upper - interval.lower > spreadMax * abs(middle)
    }

    private static func hasSlowStart(_ values: [Double]) -> Bool {
        guard values.count >= 4, let highest = values.dropFirst().max() else { return false }
        return values[0] > highest * (1 + spreadMax)
    }
}

extension Advice: CustomStringConvertible {
    public var description: String {
        switch self {
        case .debugBuild:
            "This is a debug build: its times mean nothing. Run `swift run -c release bench`."
        case .testingBuild:
            "This is a testing build, compiled with `-enable-testing`: its times mean nothing, its counts do. "
                + "Run `scripts/bench` or `swift run -c release bench`."
        case .unfinished(.interrupted):
            "The run was interrupted: what is below is complete, the rest is missing."
        case .unfinished:
            "The run has not finished, or was killed: what is below was done until then."
        case .generatedData:
            "The data were generated. For real ones run `scripts/fetch-dataset` and measure again."
        case .fewSamples(let workload, let count):
            "\(workload): \(count) \(count == 1 ? "sample is" : "samples are") too few to name a "
                + "winner. Run again with `--repetitions 7` or more."
        case .wideSpread(let workload, let cells):
            "\(workload): the interval is wider than 10 % of the median for \(Self.list(cells)). "
                + "More repetitions narrow it; so does an idle machine."
        case .slowFirstSample(let workload, let cells):
            "\(workload): the first sample is slower than all later ones by more than 10 % for "
                + "\(Self.list(cells)). It counts like any other; if a warm start is what you "
                + "ask about, take more repetitions so that it weighs less."
        case .unsteadyMachine(let excess):
            "The machine's own speed was unsteady: a fixed piece of work took "
                + "\(grouped(excess * 100)) % longer than usual in a tenth of its runs. Trust "
                + "ratios more than times; close other programs, or use a quieter machine."
        case .busyMachine(let load, let cores):
            "The machine was busy at the start (load \(fixed(load, 1)) on \(cores) cores). Wait "
                + "until it is idle and measure again."
        case .notNumbers(let workload, let cells):
            "\(workload): some samples of \(Self.list(cells)) are not numbers and were left out. "
                + "That is a fault of the workload; see run.json."
        }
    }

    private static func list(_ cells: [String]) -> String {
        let shown = cells.prefix(4).joined(separator: ", ")
        return cells.count > 4 ? "\(shown) and \(cells.count - 4) more" : shown
    }
}
