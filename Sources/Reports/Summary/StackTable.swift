import Measuring
import RunRecords

/// The stacks and what matters: a row for each stack and lock policy, a column for each question
/// that has one.
struct StackTable {
    let columns: [String]
    let rows: [Row]

    struct Row {
        var name: String
        /// One for each column.
        var cells: [Cell]
    }

    struct Cell {
        var text: String
        var mark: Mark

        /// The text with its mark, in Markdown.
        var markdown: String {
            switch mark {
            case .best: "**\(text)**"
            case .equivalent: "\(text) ≈"
            case .undecided: "\(text) ?"
            case .none: text
            }
        }

        var isUnsound: Bool { text.hasPrefix("✗") }

        fileprivate static let absent = Cell(text: "–", mark: .none)
    }

    enum Mark {
        case best, equivalent, undecided, none
    }

    /// `nil` if no question has a column.
    init?(_ results: [QuestionResult]) {
        let all = results.filter { $0.question.column != nil }.flatMap(Self.contests)
        guard !all.isEmpty else { return nil }
        let columns = all.map(\.title).uniqued
        self.columns = columns
        rows = Self.entrants(of: all.flatMap(\.result.cells)).map { entrant in
            Row(
                name: entrant.name,
                cells: columns.map { title in
                    let found = all.filter { $0.title == title }.lazy.compactMap { contest in
                        contest.result.cells.first(where: entrant.isSame).map {
                            Self.cell($0, in: contest.result, contest.question)
                        }
                    }
                    return found.first ?? .absent
                })
        }
    }

    /// Explains the marks that are used in the table; empty if there are none.
    var legend: String {
        let cells = rows.flatMap(\.cells)
        let marks: [(isUsed: Bool, meaning: String)] = [
            (cells.contains { $0.mark == .best }, "**bold** best"),
            (cells.contains { $0.mark == .equivalent }, "≈ equivalent to the best"),
            (cells.contains { $0.mark == .undecided }, "? undecided against the best"),
            (cells.contains(where: \.isUnsound), "✗ not compared"),
            (cells.contains { $0.text == "–" }, "– not measured"),
        ]
        return marks.filter(\.isUsed).map(\.meaning).joined(separator: " · ")
    }

    var table: ReportTable {
        var table = ReportTable([("stack", .left)] + columns.map { (escaped($0), .right) })
        for row in rows { table.append([row.name] + row.cells.map(\.markdown)) }
        return table
    }
}

// MARK: - Columns

extension StackTable {
    private struct Column {
        var title: String
        var question: Question
        var result: ContestResult
    }

    /// The contests of a question. Those of different lock policies share a column; those of other
    /// parameters have columns of their own.
    private static func contests(of result: QuestionResult) -> [Column] {
        let cells = result.contests.flatMap(\.cells)
        let varying = Set(cells.flatMap(\.parameters.keys)).filter { name in
            name != result.question.axis && Set(cells.map { $0.parameters[name] }).count > 1
        }.sorted()
        return result.contests.map { contest in
            let parameters = contest.cells.first?.parameters ?? [:]
            let values = varying.compactMap { name in parameters[name].map { "\(name) \($0)" } }
            return Column(
                title: ([result.question.column ?? ""] + values).joined(separator: ", "),
                question: result.question, result: contest)
        }
    }

    private static func cell(
        _ cell: CellResult, in contest: ContestResult, _ question: Question
    ) -> Cell {
        guard cell.isSound else {
            return Cell(text: cell.failure == nil ? "✗ wrong" : "✗ failed", mark: .none)
        }
        guard let value = Statistics.median(cell.values(of: question.metric.name)) else {
            return .absent
        }
        let mark: Mark =
            switch contest.standing(of: cell.identifier) {
            case .best: contest.isUniform ? .none : .best
            case .equivalent: .equivalent
            case .undecided: .undecided
            case .worse, .unknown: .none
            }
        return Cell(text: question.metric.unit.format(value), mark: mark)
    }
}

// MARK: - Rows

extension StackTable {
    /// A subject, with a lock policy if it is measured under several.
    private struct Entrant {
        var subject: String
        /// `nil` matches any lock policy.
        var lockPolicy: String?
        var role: SubjectRole

        var name: String {
            escaped(subject) + (lockPolicy.map { ", \(escaped($0))" } ?? "")
                + (role == .peer ? " (peer)" : "")
        }

        func isSame(_ cell: CellResult) -> Bool {
            cell.subject == subject && (lockPolicy == nil || cell.lockPolicy == lockPolicy)
        }
    }

    /// Stacks come before peers, each in the order of the cells.
    private static func entrants(of cells: [CellResult]) -> [Entrant] {
        let ordered = cells.filter { $0.role == .stack } + cells.filter { $0.role == .peer }
        return ordered.map(\.subject).uniqued.flatMap { subject -> [Entrant] in
            let own = ordered.filter { $0.subject == subject }
            let policies = own.compactMap(\.lockPolicy).uniqued
            let shown: [String?] = policies.count > 1 ? policies : [nil]
            return shown.map { Entrant(subject: subject, lockPolicy: $0, role: own[0].role) }
        }
    }
}
