import RunRecords

/// How much the cost of a row may grow in some cells of a workload:
/// `{ cell: "*path=fetch*", growth: 1.3 }`.
struct GrowthRule: Sendable {
    var cell: Glob = "*"
    /// The highest allowed ratio of the cost of a row among many rows to its cost among few.
    var limit: Double
}

extension Workload {
    /// Reads the growth rules of a workload.
    ///
    /// - Throws: ``ConfigurationError``, also if a rule matches no cell or a cell has no rule.
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
            let identifier = identifier(of: cell)
            guard rules.contains(where: { $0.cell.matches(identifier) }) else {
                throw node.error("no rule matches \(identifier); begin with { growth: 1.3 }")
            }
        }
        return rules
    }

    /// The limit of the last rule that matches the cell.
    func growthLimit(of identifier: String) -> Double {
        guard let rule = growthRules.last(where: { $0.cell.matches(identifier) }) else {
            preconditionFailure("Each cell has a rule, or the file was refused.")
        }
        return rule.limit
    }
}
