import Measuring
import Reports
import RunRecords

// How a workload file asks questions:
//
//     questions:
//       - id: first-page
//         question: Does a batch size pay on the first page?
//         compare: fetchBatchSize        # subject, lockPolicy or a parameter with several values
//         against: 0                     # the baseline; without one, each value against the best
//         where: { extent: first-page }  # these cells only
//         metric: time                   # default: the kind's primary metric
//         sameWithin: 10%                # smaller differences do not matter
//         sameBelowMilliseconds: 1       # shorter times count as this one; …Mebibytes for memory
//         column: first page             # heading in the table of stacks, for questions about them
extension Workload {
    private static let sharesAllowed =
        (SequentialDesign.smallestDifference + 0.005)...10.0

    func requireDistinctQuestions(_ node: ConfigurationNode?) throws {
        let twice = Dictionary(grouping: questions, by: \.id).first { $0.value.count > 1 }
        guard let node, let id = twice?.key else { return }
        throw node.error("two questions have the id \"\(id)\"")
    }

    func question(_ node: ConfigurationNode) throws -> Question {
        let entries = try node.mapping(allowing: [
            "id", "question", "compare", "against", "where", "metric", "sameWithin",
            "sameBelowMilliseconds", "sameBelowMebibytes", "column",
        ])
        let compare = try entries.required("compare")
        let axis = try compare.choice(
            "axis", of: ["subject", "lockPolicy"] + parameters.keys.sorted())
        let cells = try entries["where"].map { try cellFilter($0) }.map { filter in
            self.cells.filter(filter.matches)
        }
        let contests = contests(
            along: axis, of: cells ?? self.cells, against: try baseline(entries["against"], axis))
        guard !contests.isEmpty else {
            throw compare.error(
                "compares nothing: \(name) has one value of \(axis); give it several")
        }
        let metric = try entries["metric"].map(metric) ?? kind.primaryMetric
        // A metric has one unit, so at most one of the two keys is allowed.
        let bounds = [
            try entries["sameBelowMilliseconds"].map { try time($0, of: metric) },
            try entries["sameBelowMebibytes"].map { try bytes($0, of: metric) },
        ]
        return Question(
            id: try entries.required("id").string(),
            sentence: try entries.required("question").string(), axis: axis,
            metric: metric,
            sameWithin: try entries.required("sameWithin").percentage(in: Self.sharesAllowed),
            sameBelow: bounds.compactMap(\.self).first,
            column: try entries["column"]?.string(),
            isContended: kind.isContended ? true : nil, contests: contests)
    }

    private func baseline(_ node: ConfigurationNode?, _ axis: String) throws -> String? {
        try node?.choice(axis, of: values(of: axis))
    }

    private func values(of axis: String) -> [String] {
        var values: [String] = []
        for value in allCells.compactMap({ $0.value(of: axis) }) where !values.contains(value) {
            values.append(value)
        }
        return values
    }

    private func bytes(_ node: ConfigurationNode, of metric: Metric) throws -> Double {
        let mebibytes = try node.number(in: 0.001...1_000_000)
        guard metric.unit == .bytes else {
            throw node.error("\(metric.name) is not in bytes; leave it out")
        }
        return mebibytes * 1_048_576
    }

    private func time(_ node: ConfigurationNode, of metric: Metric) throws -> Double {
        let milliseconds = try node.number(in: 0.000_001...60_000)
        switch metric.unit {
        case .seconds: return milliseconds / 1e3
        case .nanoseconds: return milliseconds * 1e6
        default: throw node.error("\(metric.name) is not a time; leave it out")
        }
    }

    private func metric(_ node: ConfigurationNode) throws -> Metric {
        let name = try node.choice("metric", of: metricNames)
        return ([kind.primaryMetric] + kind.extraMetrics).first { $0.name == name }
            ?? Metric.named(name)
    }

    /// The contests along an axis: one for each combination of the other values. Peers take part
    /// only if one of them is the baseline.
    func contests(
        along axis: String, of cells: [Cell], against baseline: String?
    ) -> [Contest] {
        let peers = cells.filter(\.subject.isPeer)
        let competing = peers.contains { $0.subject.name == baseline } ? peers : []
        var groups: [(others: [String: String], cells: [Cell])] = []
        for cell in cells where axis != "subject" || !cell.subject.isPeer {
            guard cell.value(of: axis) != nil else { continue }
            let others = cell.values(except: axis)
            if let place = groups.firstIndex(where: { $0.others == others }) {
                groups[place].cells.append(cell)
            } else {
                groups.append((others, [cell]))
            }
        }
        if axis == "subject" {
            for place in groups.indices {
                let parameters = groups[place].cells[0].parameters
                groups[place].cells += competing.filter { $0.parameters == parameters }
            }
        }
        let varying = Set(groups.flatMap(\.others.keys)).sorted().filter { key in
            Set(groups.map { $0.others[key] }).count > 1
        }
        return groups.compactMap { group in
            let identifiers = group.cells.map(identifier)
            let values = group.cells.compactMap { $0.value(of: axis) }
            let place = baseline.flatMap { values.firstIndex(of: $0) }
            guard identifiers.count > 1, baseline == nil || place != nil else { return nil }
            return Contest(
                label: varying.compactMap { key in
                    group.others[key].map { key == "subject" ? $0 : "\(key) \($0)" }
                }.joined(separator: ", "),
                cells: identifiers, values: values, baseline: place.map { identifiers[$0] })
        }
    }

    // MARK: Advice and sizes

    /// Reads advice such as
    /// `{ if: you import beside a live view, questions: [main-queue, import.time] }`. A question of
    /// another workload is written with the workload's name.
    func adviceRule(_ node: ConfigurationNode) throws -> AdviceRule {
        let entries = try node.mapping(allowing: ["if", "questions"])
        let own = questions.map(\.id)
        return AdviceRule(
            if: try entries.required("if").string(),
            questions: try entries.required("questions").list().map { element in
                let id = try element.string()
                if id.contains(".") { return id }
                return "\(name).\(try element.choice("question", of: own))"
            })
    }

    /// What `full:` changes: `{ dataset: { flights: all }, parameters: { rows: 100000 } }`.
    struct FullSize: Sendable {
        /// Nil for all; ignored if the kind has no data set.
        var flightCount: Int?
        var parameters: [String: String]
    }

    func fullSize(_ node: ConfigurationNode) throws -> FullSize {
        let entries = try node.mapping(allowing: ["dataset", "parameters"])
        let values = try entries["parameters"]?.mapping(allowing: kind.parameters.map(\.name))
        var size = FullSize(flightCount: flightCount, parameters: [:])
        if let dataset = entries["dataset"] {
            size.flightCount = try Self.flightCount(dataset, of: kind)
        }
        for parameter in kind.parameters {
            guard let value = values?[parameter.name] else { continue }
            guard parameters[parameter.name]?.count == 1 else {
                throw value.error("is an axis here; give a full size to parameters with one value")
            }
            size.parameters[parameter.name] = try parameter.value(of: value)
        }
        return size
    }

    /// The same workload at full size and with another name; nil if it has no other size.
    var atFullSize: Workload? {
        guard let fullSize else { return nil }
        var full = self
        full.smallName = name
        full.name = "\(name)-full"
        full.flightCount = fullSize.flightCount
        full.parameters.merge(fullSize.parameters.mapValues { [$0] }) { $1 }
        full.fullSize = nil
        full.fit = nil
        full.advice = []
        return full
    }
}

extension Cell {
    /// The cell's value of an axis; nil if it has none.
    func value(of axis: String) -> String? {
        switch axis {
        case "subject": subject.name
        case "lockPolicy": lockPolicy
        default: parameters[axis]
        }
    }

    /// The cell's values of all other axes.
    fileprivate func values(except axis: String) -> [String: String] {
        var values = parameters
        values["subject"] = subject.name
        values["lockPolicy"] = lockPolicy
        values[axis] = nil
        return values
    }
}
