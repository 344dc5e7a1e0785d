import Measuring
import RunRecords

/// A column of a table of a run, as `columns.csv` describes it.
struct TableColumn {
    /// The number of the format of all tables.
    static let schema = "4"

    var name: String
    var meaning: String
    var unit: String

    init(_ name: String, _ meaning: String, unit: String = "") {
        self.name = name
        self.meaning = meaning
        self.unit = unit
    }

    static let ofCell = [
        TableColumn("schema", "the number of this format"),
        TableColumn("run", "the name of the run"),
        TableColumn("workload", "the name of the workload"),
        TableColumn("cell", "subject, lock policy and varying parameters: unique in the workload"),
    ]

    static let ofMetric = [
        TableColumn("metric", "the name of the metric"),
        TableColumn(
            "unit", "of its values: seconds, nanoseconds, bytes, count, perSecond or ratio"),
        TableColumn("polarity", "lowerIsBetter, higherIsBetter or neither"),
    ]
}

extension Metric {
    /// The fields of ``TableColumn/ofMetric``.
    var fields: [String] { [name, unit.rawValue, polarity.rawValue] }

    /// The well-known metrics among these names, then the others by name.
    static func ordered(_ names: Set<String>) -> [String] {
        let wellKnown = wellKnown.map(\.name)
        return wellKnown.filter(names.contains) + names.subtracting(wellKnown).sorted()
    }
}

extension [Sample] {
    /// The names of all their values.
    var valueNames: Set<String> { reduce(into: []) { $0.formUnion($1.valueNames) } }
}

/// The columns that identify a cell, with one for each parameter that any workload of the run has.
struct CellColumns {
    private let run: Run
    /// Sorted.
    private let parameters: [String]

    init(_ run: Run) {
        self.run = run
        parameters = run.workloads.reduce(into: Set<String>()) { names, workload in
            names.formUnion(workload.parameters.keys)
            for cell in workload.cells { names.formUnion(cell.parameters.keys) }
        }.sorted()
    }

    var columns: [TableColumn] {
        TableColumn.ofCell + [
            TableColumn("subject", "the stack or peer"),
            TableColumn("role", "stack or peer"),
            TableColumn("lockPolicy", "the lock policy of the coordinator; empty for peers"),
            TableColumn(
                "shard",
                "the number of the part of a merged run, which is another machine or hour; empty in others"
            ),
        ] + parameters.map { TableColumn("parameter.\($0)", "the parameter \($0) of the workload") }
    }

    func fields(of cell: CellResult, in workload: WorkloadResult) -> [String] {
        [
            TableColumn.schema, run.name, workload.name, cell.identifier, cell.subject,
            cell.role.rawValue, cell.lockPolicy ?? "", cell.shard.map(String.init) ?? "",
        ] + parameters.map { cell.parameters[$0] ?? workload.parameters[$0] ?? "" }
    }
}

/// `columns.csv`: what each column of the other tables means, and its unit.
struct ColumnsTable {
    private let rows: [[String]]

    init(_ run: Run) {
        rows = [
            ("figures.csv", FiguresTable(run).columns),
            ("comparisons.csv", ComparisonsTable(run).columns),
            ("samples.csv", SamplesTable(run).columns),
        ].flatMap { file, columns in columns.map { [file, $0.name, $0.unit, $0.meaning] } }
    }

    private static let columns = [
        TableColumn("file", "the table"), TableColumn("column", "its name"),
        TableColumn("unit", "of its values"), TableColumn("meaning", "what it says"),
    ]

    var text: String { CommaSeparatedText(Self.columns, rows).text }
}
