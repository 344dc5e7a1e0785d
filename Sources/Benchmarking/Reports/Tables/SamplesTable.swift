/// `samples.csv`: a line for each sample of a run.
///
/// First come the columns that identify the sample, then all well-known metrics, then the others by
/// name; the order is the same in every run. Absent values are empty. A subject's own counts are
/// also empty if the counting pass has better ones, which are in `results.csv`. Times are in
/// seconds, latencies in nanoseconds, memory in bytes. `shard` is empty if the run has no shards; then
/// `startedAtSeconds` counts from the start of the run, otherwise from that of the shard.
struct SamplesTable {
    let run: Run

    init(_ run: Run) {
        self.run = run
    }

    var text: String {
        let values = valueColumns
        let head = [
            "run", "workload", "subject", "role", "lockPolicy", "parameters", "repetition",
            "positionInRound", "startedAtSeconds", "isSound", "shard",
        ]
        var table = CommaSeparatedText()
        table.append(head + values)
        for workload in run.workloads {
            for cell in workload.cells {
                let start = [
                    run.name, workload.name, cell.subject, cell.role.rawValue,
                    cell.lockPolicy ?? "", cell.parametersText,
                ]
                for sample in cell.samples {
                    let place = [
                        "\(sample.repetition)", "\(sample.positionInRound)",
                        CommaSeparatedText.number(sample.startedAtSeconds), "\(cell.isSound)",
                        cell.shard.map(String.init) ?? "",
                    ]
                    let numbers = values.map { name in
                        CommaSeparatedText.number(
                            cell.isCountedApart(name) ? nil : sample.value(of: name))
                    }
                    table.append(start + place + numbers)
                }
            }
        }
        return table.text
    }

    private var valueColumns: [String] {
        let samples = run.workloads.flatMap(\.cells).flatMap(\.samples)
        let present = samples.reduce(into: Set<String>()) { $0.formUnion($1.valueNames) }
        let wellKnown = Metric.wellKnown.map(\.name)
        return wellKnown + present.subtracting(wellKnown).sorted()
    }
}
