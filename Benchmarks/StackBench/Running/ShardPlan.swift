import Reports
import RunRecords

/// The shard of each cell, and the share of the expected time that each shard has.
struct ShardPlan: CustomStringConvertible {
    private let count: Int
    private var cells: [(shard: Int, workload: String, cell: String, seconds: Double)] = []

    init(_ workloads: [Workload], count: Int) {
        self.count = count
        for (workload, numbers) in zip(workloads, Sharding(workloads, count: count).numbers) {
            for (cell, number) in zip(workload.cells, numbers) {
                cells.append(
                    (
                        number, workload.name, workload.identifier(of: cell),
                        workload.expectedSeconds(of: cell)
                    ))
            }
        }
    }

    var description: String {
        let all = cells.map(\.seconds).reduce(0, +)
        let lines = cells.sorted { $0.shard < $1.shard }.map {
            ["\($0.shard)/\(count)", $0.workload, $0.cell]
        }
        let totals = (1...count).map { number in
            let own = cells.filter { $0.shard == number }
            let share = own.map(\.seconds).reduce(0, +) / max(all, .leastNormalMagnitude)
            return [
                "\(number)/\(count)", own.isEmpty ? "no work" : "\(own.count) cells",
                "\(Int((share * 100).rounded())) % of the time",
            ]
        }
        return AlignedLines([["shard", "workload", "cell"]] + lines).description + "\n\n"
            + AlignedLines(totals).description
    }
}
