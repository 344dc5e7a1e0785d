import RunRecords

/// Selects the cells of a workload that have all of these values.
struct CellFilter: Sendable {
    /// Matches the subject's name.
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
    /// - Throws: ``ConfigurationError``, also if the filter matches no cell.
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

    /// Reads a threshold rule in a workload file; see ``ThresholdFile``.
    ///
    /// - Throws: ``ConfigurationError``, also if the rule matches no cell or no metric.
    func threshold(_ node: ConfigurationNode) throws -> ThresholdRule {
        let rule = try ThresholdFile.rule(node, of: self)
        try requireCell(matching: rule.cell, node)
        let matching = cells.map { CellResult($0, of: self) }
            .filter { rule.cell.matches($0.identifier) }
        if let reference = rule.relativeTo, matching.allSatisfy(reference.describes) {
            throw node.descendant(["relativeTo"]).error(
                "the rule compares each cell with itself; name other cells in cell"
            )
        }
        guard metricNames.contains(where: Glob(rule.metric).matches) else {
            throw node.error(unknown("metric", rule.metric, allowed: metricNames))
        }
        return rule
    }

    /// Reads one value of a parameter that has several values in this workload.
    func valueOfAxis(_ name: String, _ node: ConfigurationNode) throws -> String {
        let values = parameters[name] ?? []
        guard values.count > 1 else {
            let axes = parameters.filter { $0.value.count > 1 }.keys.sorted()
            throw node.error(
                "\(self.name) has only one value of \(name); give it several under parameters"
                    + (axes.isEmpty ? "" : ", or compare \(axes.joined(separator: ", "))"))
        }
        return try node.choice("value", of: values)
    }

    /// - Throws: ``ConfigurationError`` if no cell matches.
    func requireCell(matching cell: Glob, _ node: ConfigurationNode) throws {
        let identifiers = cells.map(identifier)
        guard identifiers.contains(where: cell.matches) else {
            throw node.error(
                "matches no cell of \(name)"
                    + remedy(forMissedCell: cell.pattern, cells: identifiers))
        }
    }

    /// The threshold rules about cells that the command line selected; nil for none. A rule that
    /// divides by a cell that it did not select cannot be judged, and says so.
    var applicableThresholds: [ThresholdRule]? {
        let identifiers = cells.map(identifier)
        let rules = thresholds.filter { identifiers.contains(where: $0.cell.matches) }
        return rules.isEmpty ? nil : rules
    }
}
