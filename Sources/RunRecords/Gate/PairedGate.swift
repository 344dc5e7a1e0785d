import Measuring

/// The user asked to stop.
public struct Interrupted: Error {
    public init() {}
}

/// Decides which pairs a gate takes, and in which order:
/// 1. As many blocks as the rules ask for. A block is one pair of every cell, in random order.
/// 2. Fresh pairs for cells that show a change.
/// 3. More pairs for cells that cannot be judged, while there is time.
///
/// It knows neither processes nor stores: a closure takes the pairs. Source: measuring §7, steps
/// 5, 9 and 10.
public struct PairedGate {
    /// Pairs are added in steps of `step`, up to `pairCountMax` of one cell.
    private static let step = 10
    private static let pairCountMax = 100

    private var cells: [State]
    private let seed: UInt64
    private var generator: SeededGenerator
    private let measure: (_ cell: Int, _ block: Int) throws -> Outcome
    private var nextBlock = 0

    /// The result of measuring one pair of a cell.
    public enum Outcome: Codable, Sendable {
        /// A pair for each metric that could be measured, by ``Metric/name``.
        case measured([String: PairedSamples.Pair])
        /// A process of either arm crashed, hung or gave a wrong answer. The cell is given up.
        case unsound(UnsoundCell)
    }

    public struct Findings: Sendable {
        /// In the order of cells and their metrics, without unsound cells.
        public var rows: [Comparison] = []
        public var unsoundCells: [UnsoundCell] = []
        public var isInterrupted = false

        public init() {}
    }

    fileprivate struct State {
        var cell: PairedCell
        var samples: [PairedSamples]
        var confirmations: [[PairedSamples.Pair]]
        var failure: UnsoundCell?
    }

    /// - Parameter measure: takes a pair of the cell with that index in that block. If it throws
    ///   ``Interrupted``, the gate ends with the pairs it has.
    public init(
        _ cells: [PairedCell], seed: UInt64,
        measure: @escaping (_ cell: Int, _ block: Int) throws -> Outcome
    ) {
        self.cells = cells.map { cell in
            State(
                cell: cell,
                samples: cell.rules.map {
                    PairedSamples(workload: cell.workload, cell: cell.cell, metric: $0.metric)
                },
                confirmations: cell.rules.map { _ in [] })
        }
        self.seed = seed
        generator = SeededGenerator(seed: seed)
        self.measure = measure
    }

    /// Measures and judges.
    ///
    /// - Parameter hasTime: asked before pairs are added. First looks and confirmations are always
    ///   completed.
    /// - Throws: the errors of `measure`, except ``Interrupted``.
    public mutating func run(while hasTime: () -> Bool) throws -> Findings {
        var findings = Findings()
        do {
            try takePairs(while: hasTime)
        } catch is Interrupted {
            findings.isInterrupted = true
        }
        findings.rows = cells.flatMap(comparisons)
        findings.unsoundCells = cells.compactMap(\.failure)
        return findings
    }

    private mutating func takePairs(while hasTime: () -> Bool) throws {
        let pairCount = cells.flatMap { $0.cell.rules.map(\.rule.pairCount) }.max() ?? 0
        try takePairs(of: cells.indices.map(\.self), count: pairCount) { $0.addSamples($1) }
        let changed = cells.indices.filter { cells[$0].showsChange }
        try takePairs(of: changed, count: pairCount) { $0.addConfirmation($1) }
        while hasTime() {
            let open = cells.indices.filter { index in
                cells[index].pairCount < Self.pairCountMax
                    && comparisons(of: cells[index]).contains { $0.verdict == .inconclusive }
            }
            guard !open.isEmpty else { break }
            try takePairs(of: open, count: Self.step) { $0.addSamples($1) }
        }
    }

    private mutating func takePairs(
        of indices: [Int], count: Int, add: (inout State, [String: PairedSamples.Pair]) -> Void
    ) throws {
        guard !indices.isEmpty else { return }
        for _ in 0..<count {
            defer { nextBlock += 1 }
            for index in indices.shuffled(using: &generator) where cells[index].failure == nil {
                switch try measure(index, nextBlock) {
                case .measured(let pairs): add(&cells[index], pairs)
                case .unsound(let failure): cells[index].failure = failure
                }
            }
        }
    }

    private func comparisons(of state: State) -> [Comparison] {
        guard state.failure == nil else { return [] }
        return state.samples.indices.map { index in
            Comparison(
                of: state.samples[index], confirmation: state.confirmations[index],
                by: state.cell.rules[index].rule, seed: seed)
        }
    }
}

/// A cell whose times are paired, and the rule for each of its metrics.
public struct PairedCell: Hashable, Sendable {
    /// ``WorkloadResult/name``.
    public var workload: String
    /// ``CellResult/identifier``.
    public var cell: String
    public var rules: [MetricRule]

    public struct MetricRule: Hashable, Sendable {
        public var metric: Metric
        public var rule: PairedRule

        public init(_ metric: Metric, _ rule: PairedRule) {
            self.metric = metric
            self.rule = rule
        }
    }

    public init(workload: String, cell: String, rules: [MetricRule]) {
        self.workload = workload
        self.cell = cell
        self.rules = rules
    }
}

extension PairedGate.State {
    fileprivate var pairCount: Int { samples.map(\.pairs.count).max() ?? 0 }

    fileprivate var showsChange: Bool {
        failure == nil
            && zip(samples, cell.rules).contains { samples, rule in
                rule.rule.findsChange(in: samples.pairs.firstLook(by: rule.rule))
            }
    }

    fileprivate mutating func addSamples(_ pairs: [String: PairedSamples.Pair]) {
        for index in samples.indices {
            if let pair = pairs[samples[index].metric.name] { samples[index].pairs.append(pair) }
        }
    }

    fileprivate mutating func addConfirmation(_ pairs: [String: PairedSamples.Pair]) {
        for index in samples.indices {
            if let pair = pairs[samples[index].metric.name] { confirmations[index].append(pair) }
        }
    }
}
