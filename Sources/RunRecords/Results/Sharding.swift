import Measuring

/// The cells of a run in parts for several machines, with about the same cost each.
///
/// A comparison needs rounds that one machine took (measuring §4). Therefore cells stay together if
///
/// - they have the same parameters: readers compare their figures, and the rate of a load is a share
///   of the capacity of the reference among them;
/// - a question compares them;
/// - a threshold rule divides one by the other;
/// - they are one cell at two sizes: otherwise another machine could look like an effect of the size.
///
/// The parts follow from the plan and the costs alone, so every machine computes the same ones.
public struct Sharding: Sendable {
    /// The ``Shard/number`` of each cell of each workload.
    public let numbers: [[Int]]
    private let plan: [WorkloadResult]

    /// - Parameter plan: the workloads of the whole run.
    /// - Parameter costs: of each cell of each workload, in any unit.
    /// - Parameter count: the number of shards, 1 or more.
    public init(_ plan: [WorkloadResult], costs: [[Double]], count: Int) {
        self.plan = plan
        let cells = Cells(plan)
        let costs = Array(costs.joined())
        let groups = cells.groups.map { group in
            (cells: group, cost: group.map { costs[$0] }.reduce(0, +))
        }
        var numbers = [Int](repeating: 0, count: costs.count)
        var loads = [Double](repeating: 0, count: count)
        // The dearest first, each to the shard with the least to do. Source: Graham, "Bounds on
        // multiprocessing timing anomalies" (1969).
        for group in groups.sorted(by: { ($1.cost, $0.cells[0]) < ($0.cost, $1.cells[0]) }) {
            let shard = loads.indices.min { (loads[$0], $0) < (loads[$1], $1) } ?? 0
            loads[shard] += group.cost
            for cell in group.cells { numbers[cell] = shard + 1 }
        }
        self.numbers = plan.indices.map { workload in
            Array(numbers[cells.starts[workload]..<cells.starts[workload + 1]])
        }
    }

    /// ``Shard/cells`` of a shard.
    public func cells(of number: Int) -> [String: [String]] {
        var cells: [String: [String]] = [:]
        for (workload, numbers) in zip(plan, numbers) {
            let own = zip(workload.cells, numbers).filter { $0.1 == number }
            if !own.isEmpty { cells[workload.name] = own.map(\.0.identifier) }
        }
        return cells
    }
}

/// The cells of all workloads, numbered through.
private struct Cells {
    /// The number of each workload's first cell, and at the end the number of cells.
    let starts: [Int]
    private let plan: [WorkloadResult]

    init(_ plan: [WorkloadResult]) {
        self.plan = plan
        starts = plan.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.cells.count) }
    }

    /// The cells that stay together, ascending, in the order of their first cells.
    var groups: [[Int]] {
        // Each cell refers to an earlier one of its group; the first one refers to itself.
        var earlier = Array(0..<starts[plan.count])
        func first(_ cell: Int) -> Int {
            var cell = cell
            while earlier[cell] != cell { cell = earlier[cell] }
            return cell
        }
        for tie in plan.indices.flatMap(ties) {
            for cell in tie.dropFirst() {
                let ends = [first(tie[0]), first(cell)].sorted()
                earlier[ends[1]] = ends[0]
            }
        }
        return Dictionary(grouping: earlier.indices, by: first).values.sorted { $0[0] < $1[0] }
    }

    /// Sets of cells that something compares, with a cell of this workload in each.
    private func ties(of place: Int) -> [[Int]] {
        let workload = plan[place]
        let numbers = self.numbers(in: place)
        func known(_ identifiers: [String]) -> [Int] { identifiers.compactMap { numbers[$0] } }
        let cases = Dictionary(grouping: workload.cells, by: \.parameters).values.map {
            known($0.map(\.identifier))
        }
        let contests = (workload.questions ?? []).flatMap(\.contests).map { known($0.cells) }
        let divided = (workload.thresholds ?? []).flatMap { rule -> [[Int]] in
            guard let reference = rule.relativeTo else { return [] }
            return workload.cells.filter {
                rule.cell.matches($0.identifier) && !reference.describes($0)
            }.map { cell in
                known(
                    [cell, workload.counterpart(of: cell, reference)].compactMap { $0?.identifier })
            }
        }
        let small = plan.firstIndex { $0.name == workload.smallName }.map(self.numbers(in:)) ?? [:]
        let sizes = workload.cells.map(\.identifier).map {
            [numbers[$0], small[$0]].compactMap(\.self)
        }
        return cases + contests + divided + sizes
    }

    private func numbers(in place: Int) -> [String: Int] {
        Dictionary(
            uniqueKeysWithValues: plan[place].cells.enumerated().map {
                ($1.identifier, starts[place] + $0)
            })
    }
}
