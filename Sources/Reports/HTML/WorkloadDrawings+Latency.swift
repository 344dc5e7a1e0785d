import Measuring
import RunRecords

/// Latencies of a workload: how long they are, and when they occur.
extension WorkloadDrawings {
    private var workload: WorkloadResult { summary.workload }
    private static let timelineCountMax = 12

    /// A drawing for each case and kind of latency. Service and intended times of an operation
    /// share one.
    var spectra: [Markup] {
        let subjects = latencyNames.map(Self.operation).uniqued
        let figures = summary.groups.prefix(Self.caseCountMax).flatMap { group in
            subjects.compactMap { spectrum(of: $0, in: group) }
        }
        return figures.isEmpty ? [] : [.heading("Latency")] + figures
    }

    private var latencyNames: [String] {
        let samples = workload.cells.filter(\.isSound).flatMap(\.samples)
        return samples.reduce(into: Set<String>()) { $0.formUnion($1.latencies.keys) }.sorted()
    }

    /// "update.intended" and "update.service" belong to "update", "intended" to "all operations".
    private static func operation(_ name: String) -> String {
        for kind in ["intended", "service"] {
            if name == kind { return "all operations" }
            if name.hasSuffix(".\(kind)") { return String(name.dropLast(kind.count + 1)) }
        }
        return name
    }

    private static func isIntended(_ name: String) -> Bool {
        name == "intended" || name.hasSuffix(".intended")
    }

    private func spectrum(of operation: String, in group: WorkloadSummary.Group) -> Markup? {
        let names = latencyNames.filter { Self.operation($0) == operation }
        let hasBoth = names.count > 1
        let series = group.cells.filter(\.isSound).flatMap { cell in
            names.compactMap { name -> LatencySpectrum.Series? in
                let samples = cell.samples.compactMap { $0.latencies[name] }
                guard !samples.isEmpty else { return nil }
                let isIntended = hasBoth && Self.isIntended(name)
                let series = LatencySpectrum.Series(
                    label: self.name(cell) + (isIntended ? ", intended" : ""),
                    colour: palette.colour(of: cell), isIntended: isIntended,
                    samples: samples.map(LatencyRecorder.init))
                return series.points.count > 1 ? series : nil
            }
        }
        guard !series.isEmpty else { return nil }
        let what = operation.inWords
        let place = name(group).map { " with \(escaped($0))" } ?? ""
        let kinds =
            hasBoth
            ? " Solid lines count from the start of an operation. Dashed lines count from the time "
                + "at which it was due, so they include the wait in a queue."
            : ""
        return .figure(
            LatencySpectrum(title: "Latency of \(what)", series: series).chart.markup,
            "**Latency of \(what)\(place).** A line ends at a dot, beyond which there are fewer "
                + "than 10 latencies. Its band spans the lowest and the highest sample.\(kinds)")
    }

    /// From the last sample of each cell, with intended latencies if there are any.
    var timelines: [Markup] {
        let figures = workload.cells.filter(\.isSound).compactMap(timeline)
        return figures.isEmpty
            ? []
            : [.heading("Latency over time")] + figures.prefix(Self.timelineCountMax)
    }

    private func timeline(_ cell: CellResult) -> Markup? {
        guard let timelines = cell.samples.last?.timelines,
            let name = timelines.keys.sorted().first(where: Self.isIntended)
                ?? timelines.keys.sorted().first,
            let timeline = timelines[name], !timeline.intervals.isEmpty
        else { return nil }
        let group = summary.groups.first { $0.parameters == cell.parameters }
        let place = group.flatMap(self.name).map { " with \($0)" } ?? ""
        let kind = Self.isIntended(name) ? ", from the time at which it was due" : ""
        let title = "latency of \(self.name(cell))\(place)\(kind)"
        return .figure(
            LatencyHeatMap(title: title, timeline: timeline).chart.markup,
            "**\(escaped(title.capitalizedFirst)).** A stronger colour means more operations. "
                + "The marks below show when events happened.")
    }
}
