/// The kinds of results of a request, with Core Data's numbers (spec §3.7).
public enum FetchResultType: Int, Sendable, Hashable, CaseIterable {
    case managedObject = 0
    case managedObjectID = 1
    case dictionary = 2
    case count = 4
}

/// The statement of a fetch in one store, and how the database would run it.
public struct FetchExplanation: Sendable, Hashable {
    /// The SQL as it runs, with a question mark for each binding.
    public var sql: String

    /// The values of the parameters as the database receives them: numbers, strings, data and null.
    public var bindings: [AttributeValue]

    /// The steps of the database's plan in its own words; inner steps are indented.
    public var plan: [String]

    /// Reasons why the fetch may be slow; empty if it reads no more than it returns.
    public var warnings: [Warning]

    /// A reason why a fetch may be slow.
    public enum Warning: Sendable, Hashable {
        /// Every row of a table is read. The value is the step of the plan.
        case fullScan(String)

        /// The results are collected and sorted, because no index has their order. The value is the
        /// step of the plan.
        case unindexedSort(String)

        /// The term, as a format, could use an index on the compared property, but there is none.
        case missingIndex(String)

        /// The term, as a format, cannot use an index on any attribute.
        case unindexableTerm(String)

        /// The term, as a format, or the sort key ignores case or diacritics. An index with this
        /// folding of the attribute would let the database evaluate it.
        case missingFolding(String)

        /// SQL cannot state the request with exactly its meaning, so that the rows it may concern
        /// are read and evaluated in memory. The statement reads them.
        case evaluatedInMemory
    }

    package init(sql: String, bindings: [AttributeValue], plan: [String], warnings: [Warning]) {
        self.sql = sql
        self.bindings = bindings
        self.plan = plan
        self.warnings = warnings
    }
}

extension FetchExplanation.Warning: CustomStringConvertible {
    public var description: String {
        switch self {
        case .fullScan(let step): "The database reads every row: \(step)."
        case .unindexedSort(let step):
            "The database sorts the results after reading them: \(step). Add a fetch index with the sort keys in their order."
        case .evaluatedInMemory:
            "The rows are evaluated in memory; add a term that the database can evaluate, so that fewer are read."
        case .missingFolding(let term):
            "The store has no folded texts for '\(term)'; add a fetch index on the attribute with the folding of these options, before the store is made."
        case .missingIndex(let term): "No index helps with '\(term)'; add a fetch index on it."
        case .unindexableTerm(let term):
            "No index can help with '\(term)'; compare with ==, IN, a range or a plain BEGINSWITH, or add a term that uses an index."
        }
    }
}

extension FetchExplanation: CustomStringConvertible {
    public var description: String {
        var lines = [sql]
        if !bindings.isEmpty {
            let values = bindings.map { ObjectExpression.constant($0).predicateFormat }
            lines.append("with " + values.joined(separator: ", "))
        }
        lines += plan.map { "  " + $0 }
        lines += warnings.map { "! \($0)" }
        return lines.joined(separator: "\n")
    }
}
