import Benchmarking

/// A file of threshold rules for runs.
struct ThresholdFile {
    /// The rules in file order, each with its node.
    private let entries: [(rule: ThresholdRule, node: ConfigurationNode)]

    /// - Throws: ``ConfigurationError`` with file, line, key and the allowed values.
    init(file: String) throws {
        let documents = try ConfigurationNode.documents(in: file)
        guard documents.count == 1 else {
            throw documents[1].error("a threshold file has only one document")
        }
        let mapping = try documents[0].mapping(allowing: ["schema", "rules"])
        try mapping.requireSchema()
        entries = try mapping.required("rules").list().map { (try Self.rule($0), $0) }
    }

    /// - Throws: ``ConfigurationError`` with the place of a rule that would never be judged.
    func evaluate(_ run: Run) throws -> ThresholdReport {
        do {
            return try ThresholdCheck.evaluate(entries.map(\.rule), run)
        } catch let error as ThresholdError {
            guard let entry = entries.first(where: { $0.rule == error.rule }) else { throw error }
            throw entry.node.descendant(error.keys).error("\(error)")
        }
    }

    /// Reads a rule.
    ///
    /// - Parameter workload: the workload whose file has the rule. Nil if the rule may name
    ///   workloads itself.
    static func rule(
        _ node: ConfigurationNode, of workload: Workload? = nil
    ) throws -> ThresholdRule {
        let entries = try node.mapping(
            allowing: (workload == nil ? ["workload"] : []) + [
                "cell", "metric", "statistic", "atMost", "atLeast", "exactly", "relativeTo",
                "reason",
            ])
        let bounds: [ThresholdRule.Bound] = try [
            entries["atMost"].map { .atMost(try $0.number()) },
            entries["atLeast"].map { .atLeast(try $0.number()) },
            entries["exactly"].map { .exactly(try $0.number()) },
        ].compactMap(\.self)
        guard bounds.count == 1 else {
            throw node.error("a rule needs exactly one of atMost, atLeast and exactly")
        }
        return ThresholdRule(
            workload: Glob(try workload?.name ?? entries["workload"]?.string() ?? "*"),
            cell: Glob(try entries["cell"]?.string() ?? "*"),
            metric: try entries.required("metric").string(),
            statistic: try entries["statistic"]?.choice("statistic") ?? .median,
            bound: bounds[0],
            relativeTo: try entries["relativeTo"].map { try reference($0, in: workload) },
            reason: try entries["reason"]?.string() ?? "")
    }

    /// Reads what a cell is compared with, a subject or values of parameters: `grdb`,
    /// `{ mode: loop }` or `{ subject: shared, fetchBatchSize: 0 }`.
    private static func reference(
        _ node: ConfigurationNode, in workload: Workload?
    ) throws -> ThresholdRule.Reference {
        let subjects = (workload?.subjects ?? Subject.all).map(\.name)
        if node.isScalar { return .init(subject: try node.choice("subject", of: subjects)) }
        let kinds = workload.map { [$0.kind] } ?? WorkloadKind.all
        let names = Set(kinds.flatMap { $0.parameters.map(\.name) }).sorted()
        let entries = try node.mapping(allowing: ["subject"] + names)
        var reference = ThresholdRule.Reference()
        reference.subject = try entries["subject"]?.choice("subject", of: subjects)
        for name in names {
            guard let entry = entries[name] else { continue }
            reference.parameters[name] =
                try workload.map { try $0.valueOfAxis(name, entry) } ?? entry.string()
        }
        guard reference != .init() else { throw node.error("needs a subject or a parameter") }
        return reference
    }
}
