import Benchmarking

/// By how much the cost of a row may grow in some cells of a workload: `{ cell: "*path=fetch*", growth: 1.3 }`.
struct GrowthRule: Sendable {
    var cell: Glob = "*"
    /// The cost of a row among many, divided by the cost of one among few.
    var limit: Double
}

extension Workload {
    /// Reads the rules of growth of a workload whose every cell needs one.
    ///
    /// - Throws: ``ConfigurationError`` also for a rule that matches no cell.
    func growthRules(_ node: ConfigurationNode) throws -> [GrowthRule] {
        let rules = try node.list().map { node in
            let entries = try node.mapping(allowing: ["cell", "growth"])
            let rule = GrowthRule(
                cell: Glob(try entries["cell"]?.string() ?? "*"),
                limit: try entries.required("growth").number(in: 1...100))
            try requireCell(matching: rule.cell, node)
            return rule
        }
        for cell in cells {
            let identifier = CellResult(cell, of: self).identifier
            guard rules.contains(where: { $0.cell.matches(identifier) }) else {
                throw node.error("no rule is for \(identifier); begin with { growth: 1.3 }")
            }
        }
        return rules
    }

    /// By how much the cost of a row may grow: the last rule that matches the cell says it.
    func growthLimit(of identifier: String) -> Double {
        guard let rule = growthRules.last(where: { $0.cell.matches(identifier) }) else {
            preconditionFailure("Each cell has a rule, or the file was refused.")
        }
        return rule.limit
    }
}
