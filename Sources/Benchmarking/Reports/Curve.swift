/// The primary metric over the one numeric parameter that varies: a small table of medians with a
/// line drawn in block characters. Nil unless exactly one parameter varies, over three numbers or
/// more.
struct Curve {
    let summary: WorkloadSummary
    let parameter: String
    /// The groups by rising parameter.
    let groups: [WorkloadSummary.Group]

    init?(_ summary: WorkloadSummary) {
        guard let parameter = summary.varyingParameters.first,
            summary.varyingParameters.count == 1, summary.groups.count >= 3
        else { return nil }
        let keyed = summary.groups.compactMap { group in
            group.parameters[parameter].flatMap { Double($0) }.map { (value: $0, group: group) }
        }
        guard keyed.count == summary.groups.count else { return nil }
        self.summary = summary
        self.parameter = parameter
        groups = keyed.sorted { $0.value < $1.value }.map(\.group)
    }

    var table: ReportTable {
        let metric = summary.workload.primaryMetric
        var table = ReportTable(
            [("\(metric.title) over \(parameter)", .left)]
                + groups.map { (escaped($0.parameters[parameter] ?? ""), .right) }
                + [("", .drawn)])
        for label in groups.flatMap(\.cells).map(summary.label).uniqued {
            let medians = groups.map { group in
                group.cells.first { summary.label($0) == label && $0.isSound }
                    .flatMap { Statistics.median($0.values(of: metric.name)) }
            }
            let texts = medians.map { $0.map(metric.unit.format) ?? "–" }
            table.append([label] + texts + [Self.line(medians)])
        }
        return table
    }

    /// One block for each value, from zero to the highest of the line.
    private static func line(_ values: [Double?]) -> String {
        let highest = values.compactMap(\.self).max() ?? 0
        guard highest > 0 else { return "" }
        let blocks = Array("▁▂▃▄▅▆▇█")
        return String(
            values.map { value in
                value.map { blocks[min(7, max(0, Int($0 / highest * 7.999)))] } ?? " "
            })
    }
}
