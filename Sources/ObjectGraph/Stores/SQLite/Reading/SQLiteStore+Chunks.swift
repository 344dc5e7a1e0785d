extension SQLiteStore {
    /// Rows of exactly one entity in the order of their keys, for readers of whole tables.
    ///
    /// - Parameters:
    ///   - entity: The entity; rows of its descendants are left out.
    ///   - key: The rows after this key are read.
    ///   - predicate: The condition; nil means all rows.
    ///   - limit: The largest number of rows.
    /// - Throws: `FetchError` if SQL cannot do what the predicate says; `StoreError`.
    func rows(
        of entity: Entity, after key: Int64, where predicate: ObjectPredicate?, limit: Int
    ) throws -> RowList {
        let selection = selection(entity, includesSubentities: false)
        var request = FetchRequest(entityName: entity.name)
        request.fetchLimit = limit
        // With the tables of a predicate, SQLite may have to sort.
        let form = predicate == nil ? selection.form(for: request) : .columns
        var writer = SQLConditionWriter(entity: entity, layout: layout)
        var condition = SQLText()
        if let predicate {
            let resolver = ConditionResolver(entity: entity, model: model)
            condition.append(" AND (")
            try writer.write(resolver.condition(predicate), to: &condition)
            condition.append(")")
        }
        var text = SQLText()
        text.append("SELECT \(selection.list(form)) FROM ")
        try writer.appendTables(hint: " NOT INDEXED", to: &text)
        text.append(" WHERE t0.Z_PK > ")
        text.bind(.integer(key))
        if entity.hasDescendants || entity.superentityIndex != nil {
            text.append(" AND t0.Z_ENT = \(layout.number(of: entity))")
        }
        text.append(condition)
        text.append(" ORDER BY t0.Z_PK LIMIT ")
        text.bind(.integer(Int64(limit)))
        return try read(text.sql) { statement in
            statement.bind(text.bindings)
            let collector = RowCollector(selection, expectedCount: limit)
            let isInOrder = try collector.takeAll(of: statement, form)
            precondition(isInOrder, "rows in the order of their keys came in another order")
            return try collector.finish()
        }
    }
}
