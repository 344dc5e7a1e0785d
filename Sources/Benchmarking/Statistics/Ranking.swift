/// Which of several cells is best by a metric, and how sure that is.
///
/// Only sound cells compete, by latencies from the intended time only those that kept up, and only stacks where there
/// are any: peers are the yardstick.
struct Ranking {
    /// The cells that compete, best median first.
    let ordered: [CellResult]
    let metric: Metric

    init(of cells: [CellResult], by metric: Metric) {
        self.metric = metric
        let sound = cells.filter { cell in
            cell.isSound && !cell.values(of: metric.name).isEmpty
                && !(metric.isIntended && cell.isSaturated)
        }
        let stacks = sound.filter { $0.role == .stack }
        let medians = (stacks.isEmpty ? sound : stacks).compactMap { cell in
            Statistics.median(cell.values(of: metric.name)).map { (cell: cell, median: $0) }
        }
        let isDescending = metric.polarity == .higherIsBetter
        ordered = medians.sorted {
            isDescending ? $0.median > $1.median : $0.median < $1.median
        }.map(\.cell)
    }

    var leader: CellResult? { ordered.first }

    /// The rounds that the leader and the next one share; 0 when there is no next one.
    var pairCount: Int {
        guard ordered.count > 1 else { return 0 }
        return Statistics.pairedRatio(of: metric.name, ordered[1], to: ordered[0])?.pairCount ?? 0
    }

    /// The cells, the leader among them, that cannot be told from the leader.
    var leaders: [CellResult] {
        guard let leader else { return [] }
        return ordered.filter { $0 == leader || !isWorse($0, than: leader) }
    }

    /// The one cell that is better than all others beyond doubt; nil when there is none, or no
    /// other to compare with.
    var clearWinner: CellResult? {
        metric.polarity != .neither && ordered.count > 1 && leaders.count == 1 ? leader : nil
    }

    private func isWorse(_ cell: CellResult, than leader: CellResult) -> Bool {
        let ratio = Statistics.pairedRatio(of: metric.name, cell, to: leader)
        return ratio?.direction == (metric.polarity == .higherIsBetter ? .lower : .higher)
    }
}
