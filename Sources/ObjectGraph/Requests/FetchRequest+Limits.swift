extension FetchRequest {
    /// - Throws: `FetchError.negativeCount`.
    func checkCounts() throws(FetchError) {
        if fetchLimit < 0 { throw .negativeCount("fetchLimit", fetchLimit) }
        if fetchOffset < 0 { throw .negativeCount("fetchOffset", fetchOffset) }
        if fetchBatchSize < 0 { throw .negativeCount("fetchBatchSize", fetchBatchSize) }
    }

    /// - Throws: `FetchError.negativeCount` or `tooDeep`.
    func checkLimits() throws(FetchError) {
        try checkCounts()
        try predicate?.checkDepth()
        try havingPredicate?.checkDepth()
        for key in sortKeys { try key.expression.checkDepth() }
        for property in propertiesToFetch { try property.expression.checkDepth() }
    }
}
