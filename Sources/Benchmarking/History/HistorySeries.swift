/// One row over time, on one kind of machine.
public struct HistorySeries: Hashable, Sendable {
    public var workload: String
    public var cell: String
    public var metric: Metric
    /// In the order of the history.
    public var points: [Point]

    /// The row in one run.
    public struct Point: Hashable, Sendable {
        public var run: String
        public var commit: String?
        public var value: Double

        public init(run: String, commit: String?, value: Double) {
            self.run = run
            self.commit = commit
            self.value = value
        }
    }

    public init(workload: String, cell: String, metric: Metric, points: [Point]) {
        self.workload = workload
        self.cell = cell
        self.metric = metric
        self.points = points
    }

    /// Where the row became another one: every step of an exact count, and the change points of a
    /// time.
    public var changes: [ChangePoint] {
        let values = points.map(\.value)
        guard case .exact(let tolerance) = metric.repeatability else {
            return ChangePoint.all(in: values)
        }
        return values.indices.dropFirst().compactMap { index in
            let (before, after) = (values[index - 1], values[index])
            let isStep = max(before, after) > min(before, after) * (1 + tolerance)
            return isStep
                ? ChangePoint(index: index, before: before, after: after, pValue: nil) : nil
        }
    }

    /// The series of the rows that fit, sorted by name; every kind of machine and build, and
    /// every data set, has its own.
    public static func all(
        in entries: [History.Entry], workload: Glob = "*", cell: Glob = "*", metric: Glob = "*"
    ) -> [HistorySeries] {
        struct Key: Hashable {
            var row: [String]
            var identity: EnvironmentFingerprint.Identity
            var build: BuildConfiguration
            var dataset: String?
        }
        var series: [Key: HistorySeries] = [:]
        for entry in entries {
            for value in entry.values
            where workload.matches(value.workload) && cell.matches(value.cell)
                && metric.matches(value.metric)
            {
                let key = Key(
                    row: [value.workload, value.cell, value.metric], identity: entry.identity,
                    build: entry.build, dataset: entry.dataset)
                let new = HistorySeries(
                    workload: value.workload, cell: value.cell, metric: .named(value.metric),
                    points: [])
                series[key, default: new].points.append(
                    Point(run: entry.run, commit: entry.commit, value: value.median))
            }
        }
        return series.sorted { $0.key.row.lexicographicallyPrecedes($1.key.row) }.map(\.value)
    }
}
