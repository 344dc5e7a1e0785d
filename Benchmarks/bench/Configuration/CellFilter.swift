import Benchmarking

/// Cells of a workload: those that have all of these values.
struct CellFilter: Sendable {
    /// Of the name of the subject.
    var subject: Glob = "*"
    var lockPolicy: String?
    var parameters: [String: String] = [:]

    func matches(_ cell: Cell) -> Bool {
        subject.matches(cell.subject.name)
            && (lockPolicy == nil || lockPolicy == cell.lockPolicy)
            && parameters.allSatisfy { cell.parameters[$0.key] == $0.value }
    }
}

extension Workload {
    /// Reads a filter such as `{ subject: nested*, writers: 2 }`.
    ///
    /// - Throws: ``ConfigurationError`` also for one that matches no cell.
    func cellFilter(_ node: ConfigurationNode) throws -> CellFilter {
        let names = kind.parameters.map(\.name)
        let entries = try node.mapping(allowing: ["subject", "lockPolicy"] + names)
        var filter = CellFilter()
        if let subject = entries["subject"] { filter.subject = Glob(try subject.string()) }
        filter.lockPolicy = try entries["lockPolicy"]?.choice("lock policy", of: lockPolicies)
        for parameter in kind.parameters {
            filter.parameters[parameter.name] =
                try entries[parameter.name].map { try parameter.value(of: $0) }
        }
        guard allCells.contains(where: filter.matches) else {
            throw node.error("matches no cell of \(name)")
        }
        return filter
    }

    /// Reads a rule beside the workload; see ``ThresholdFile``.
    ///
    /// - Throws: ``ConfigurationError`` also for one that matches no cell or no metric.
    func threshold(_ node: ConfigurationNode) throws -> ThresholdRule {
        let rule = try ThresholdFile.rule(node, workload: name, subjects: subjects.map(\.name))
        try requireCell(matching: rule.cell, node)
        guard metricNames.contains(where: Glob(rule.metric).matches) else {
            throw node.error(unknown("metric", rule.metric, allowed: metricNames))
        }
        return rule
    }

    /// - Throws: ``ConfigurationError`` where no cell matches.
    func requireCell(matching cell: Glob, _ node: ConfigurationNode) throws {
        let identifiers = cells.map { CellResult($0, of: self).identifier }
        guard identifiers.contains(where: cell.matches) else {
            throw node.error(
                "matches no cell of \(name), which has \(identifiers.joined(separator: ", "))")
        }
    }

    /// The rules on cells that are left when a command line has chosen some subjects; nil for none.
    var applicableThresholds: [ThresholdRule]? {
        let identifiers = cells.map { CellResult($0, of: self).identifier }
        let subjects = Set(subjects.map(\.name))
        let rules = thresholds.filter { rule in
            identifiers.contains(where: rule.cell.matches)
                && rule.relativeTo.map(subjects.contains) ?? true
        }
        return rules.isEmpty ? nil : rules
    }
}
