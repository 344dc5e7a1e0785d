import Benchmarking

/// A file of rules that a run must keep.
enum ThresholdFile {
    /// Reads the rules, in their order.
    ///
    /// - Throws: ``ConfigurationError`` with file, line, key and what is allowed.
    static func load(file: String) throws -> [ThresholdRule] {
        let documents = try ConfigurationNode.documents(in: file)
        guard documents.count == 1 else {
            throw documents[1].error("a threshold file is one document")
        }
        let entries = try documents[0].mapping(allowing: ["schema", "rules"])
        try entries.requireSchema()
        return try entries.required("rules").list().map { try rule($0) }
    }

    /// Reads a rule.
    ///
    /// - Parameters:
    ///   - workload: the one beside which the rule stands; nil where the rule may name it.
    ///   - subjects: those that a ratio may be taken to; nil for all.
    static func rule(
        _ node: ConfigurationNode, workload: String? = nil, subjects: [String]? = nil
    ) throws -> ThresholdRule {
        let entries = try node.mapping(
            allowing: (workload == nil ? ["workload"] : []) + [
                "cell", "metric", "statistic", "atMost", "atLeast", "exactly", "relativeTo",
                "reason",
            ])
        let statistics = ThresholdRule.Statistic.allCases.map(\.rawValue)
        let statistic = try entries["statistic"]?.choice("statistic", of: statistics) ?? "median"
        let bounds: [ThresholdRule.Bound] = try [
            entries["atMost"].map { .atMost(try $0.number()) },
            entries["atLeast"].map { .atLeast(try $0.number()) },
            entries["exactly"].map { .exactly(try $0.number()) },
        ].compactMap(\.self)
        guard bounds.count == 1 else {
            throw node.error("a rule needs exactly one of atMost, atLeast and exactly")
        }
        return ThresholdRule(
            workload: Glob(try workload ?? entries["workload"]?.string() ?? "*"),
            cell: Glob(try entries["cell"]?.string() ?? "*"),
            metric: try entries.required("metric").string(),
            statistic: ThresholdRule.Statistic(rawValue: statistic)!,
            bound: bounds[0],
            relativeTo: try entries["relativeTo"]?.choice(
                "subject", of: subjects ?? Subject.all.map(\.name)),
            reason: try entries["reason"]?.string() ?? "")
    }
}
