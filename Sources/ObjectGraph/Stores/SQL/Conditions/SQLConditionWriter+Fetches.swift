// Fetches within predicates.
extension SQLConditionWriter {
    /// The SELECT of a fetch within a predicate. Its aliases equal those of the outer SELECT, and
    /// hide them.
    func selection(
        of fetch: Condition.NestedFetch, _ selection: FetchTranslation.Selection?
    ) throws(FetchError) -> SQLText {
        guard followsRelationships else {
            throw .unsupported(feature: "A fetch in the predicate of a batch update")
        }
        var request = fetch.request
        // A nil among the values would make NOT IN unknown for all rows.
        if let property = fetch.property, request.propertiesToGroupBy.isEmpty, selection == nil {
            let hasValue = ObjectPredicate.comparison(
                .init(property.expression, .notEqual, .constant(.null)))
            request.predicate = request.predicate.map { $0 && hasValue } ?? hasValue
        }
        let columns: FetchTranslation.Selection =
            selection ?? (fetch.property == nil ? .columns("t0.Z_PK") : .values)
        return SQLText(
            try FetchTranslation(
                request, entity: fetch.entity, layout: layout, selection: columns, isNested: true))
    }
}
