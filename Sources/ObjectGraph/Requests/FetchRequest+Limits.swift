extension FetchRequest {
    /// - Throws: `FetchError.negativeCount`.
    func checkCounts() throws(FetchError) {
        if fetchLimit < 0 { throw .negativeCount("fetchLimit", fetchLimit) }
        if fetchOffset < 0 { throw .negativeCount("fetchOffset", fetchOffset) }
        if fetchBatchSize < 0 { throw .negativeCount("fetchBatchSize", fetchBatchSize) }
    }

    /// The names of fetched properties are keys and variables, so each must mean one thing.
    ///
    /// - Throws: `FetchError.duplicateProperty`, `unnamedProperty` or `ambiguousVariable`.
    private func checkNames() throws(FetchError) {
        // Each with those before: a fetch has few, and a set would cost it more than the comparisons.
        for (position, property) in propertiesToFetch.enumerated() {
            guard !property.name.isEmpty else {
                throw .unnamedProperty(property.expression.predicateFormat)
            }
            let isTaken = propertiesToFetch[..<position].contains { $0.name == property.name }
            if isTaken { throw .duplicateProperty(property.name) }
        }
        guard let havingPredicate else { return }
        var ambiguous: String?
        havingPredicate.forEachExpression {
            if case .subquery(_, let variable, _) = $0,
                propertiesToFetch.contains(where: { $0.name == variable })
            {
                ambiguous = variable
            }
        }
        if let ambiguous { throw .ambiguousVariable(ambiguous) }
    }

    /// - Throws: `FetchError.negativeCount` or `tooDeep`, and for the names of fetched properties.
    func checkLimits() throws(FetchError) {
        try checkCounts()
        try predicate?.checkDepth()
        try havingPredicate?.checkDepth()
        for key in sortKeys { try key.expression.checkDepth() }
        for property in propertiesToFetch { try property.expression.checkDepth() }
        try checkNames()
    }
}
