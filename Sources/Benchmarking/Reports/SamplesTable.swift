/// The samples of a run as comma-separated values: a line for each sample.
///
/// First come the columns that say which sample it is, then all well-known metrics, then the rest
/// by name; so the order stays the same from run to run. Quoted as RFC 4180 asks, absent values are
/// empty. Times are in seconds, latencies in nanoseconds, memory in bytes.
struct SamplesTable {
    let run: Run

    init(_ run: Run) {
        self.run = run
    }

    var text: String {
        let values = valueColumns
        let head = [
            "run", "workload", "subject", "role", "lockPolicy", "parameters", "repetition",
            "positionInRound", "startedAtSeconds", "isSound",
        ]
        var lines = [Self.line(head + values)]
        for workload in run.workloads {
            for cell in workload.cells {
                let start = [
                    run.name, workload.name, cell.subject, cell.role.rawValue,
                    cell.lockPolicy ?? "", cell.parametersText,
                ]
                lines += cell.samples.map { sample in
                    let place = [
                        "\(sample.repetition)", "\(sample.positionInRound)",
                        Self.number(sample.startedAtSeconds), "\(cell.isSound)",
                    ]
                    let numbers = values.map { sample.value(of: $0).map(Self.number) ?? "" }
                    return Self.line(start + place + numbers)
                }
            }
        }
        return lines.joined()
    }

    private var valueColumns: [String] {
        let samples = run.workloads.flatMap(\.cells).flatMap(\.samples)
        let present = samples.reduce(into: Set<String>()) { $0.formUnion($1.valueNames) }
        let wellKnown = Metric.wellKnown.map(\.name)
        return wellKnown + present.subtracting(wellKnown).sorted()
    }

    /// Whole numbers without a point, others so that they read back the same.
    private static func number(_ value: Double) -> String {
        Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }

    /// Lines end in CR LF; a field with a comma, quote or line break is quoted, quotes doubled.
    private static func line(_ fields: [String]) -> String {
        let quoted = fields.map { field in
            let isPlain = !field.unicodeScalars.contains { ",\"\r\n".unicodeScalars.contains($0) }
            return isPlain ? field : "\"" + field.replacing("\"", with: "\"\"") + "\""
        }
        return quoted.joined(separator: ",") + "\r\n"
    }
}
