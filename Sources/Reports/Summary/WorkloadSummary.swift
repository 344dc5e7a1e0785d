import Measuring
import RunRecords

/// A workload's cells in groups of equal parameters. Cells of a group are compared with one
/// another.
struct WorkloadSummary {
    let workload: WorkloadResult
    /// In the order of their first cells.
    let groups: [Group]
    /// The parameters that differ between cells, by name.
    let varyingParameters: [String]
    /// The workload's questions with their answers, by the design of the whole run.
    let questions: [QuestionResult]
    private let showsLockPolicy: Bool

    /// Cells with equal parameters.
    struct Group {
        let parameters: [String: String]
        let cells: [CellResult]
    }

    /// - Parameter results: of the run; without them the workload has only figures.
    init(_ workload: WorkloadResult, _ results: [QuestionResult] = []) {
        self.workload = workload
        questions = results.filter { $0.workload.name == workload.name }
        var order: [[String: String]] = []
        for cell in workload.cells where !order.contains(cell.parameters) {
            order.append(cell.parameters)
        }
        groups = order.map { parameters in
            Group(
                parameters: parameters,
                cells: workload.cells.filter { $0.parameters == parameters })
        }
        let names = Set(order.flatMap(\.keys)).sorted()
        varyingParameters = names.filter { name in Set(order.map { $0[name] }).count > 1 }
        showsLockPolicy = Set(workload.cells.compactMap(\.lockPolicy)).count > 1
    }

    /// The ``Shard/number`` of the machines that measured it, ascending; empty if the run has no
    /// shards. A group is never in two of them.
    var shards: [Int] { Set(workload.cells.compactMap(\.shard)).sorted() }

    /// The name of a cell within its group, with the lock policy if there are several.
    func label(_ cell: CellResult) -> String {
        let policy = showsLockPolicy ? cell.lockPolicy.map { ", \($0)" } ?? "" : ""
        return escaped(cell.subject + policy)
    }

    /// The parameters in which groups differ, such as "fetchBatchSize 20, index yes".
    func label(_ group: Group) -> String {
        varyingParameters.map { "\($0) \(escaped(group.parameters[$0] ?? "none"))" }
            .joined(separator: ", ")
    }

    /// The reference cell for a cell; `nil` if it failed or there is none.
    func reference(for cell: CellResult) -> CellResult? {
        guard let subject = workload.reference, subject != cell.subject else { return nil }
        let reference = workload.counterpart(of: cell, subject: subject)
        return reference?.isSound == true ? reference : nil
    }
}

extension Run {
    var summaries: [WorkloadSummary] {
        let results = questionResults
        return workloads.map { WorkloadSummary($0, results) }
    }
}

extension MetricUnit {
    /// The median of the values with its interval, such as "1.92 s [1.88, 2.01]"; `nil` without
    /// values.
    func formatMedian(_ values: [Double]) -> String? {
        guard let median = Statistics.median(values) else { return nil }
        return format(median, Statistics.medianInterval(values))
    }

    /// The value with its interval. The bounds have a unit only if not all units are the same. An
    /// interval without width is left out.
    func format(_ value: Double, _ interval: MedianInterval?) -> String {
        guard let interval, interval.lower < interval.upper else { return format(value) }
        let texts = [value, interval.lower, interval.upper].map(format)
        let units = Set(texts.map(Self.unitText))
        let bounds = texts[1...].map {
            units.count == 1 ? String($0.dropLast(Self.unitText($0).count)) : $0
        }
        return "\(texts[0]) [\(bounds.joined(separator: ", "))]"
    }

    private static func unitText(_ text: String) -> String {
        String(text.drop { !$0.isLetter && $0 != " " && $0 != "×" })
    }
}
