/// The statement of a fetch request.
///
/// Tables have aliases: `t0` for the entity's, `t1`, `t2` … for those of key paths. Requests that
/// differ only in constants have the same SQL, so that a statement cache can find it. Source: spec
/// §3.6–3.8, §7.6.
package struct FetchTranslation: Sendable {
    package enum Selection: Sendable {
        /// Columns as SQL, such as `t0.Z_PK, t0.ZNAME`.
        case columns(String)
        /// The keys and entity numbers of rows, for `readKeys`.
        case keys
        /// Rows as a whole.
        case rows(RowSelection, RowSelection.Form)
        /// One row with the number of results, after limit and offset.
        case count
        /// The columns of `propertiesToFetch`; read the rows with `columns`.
        case dictionaries
        /// The values of the one fetched property, for a fetch within a predicate.
        case values
    }

    package let sql: String
    package private(set) var bindings: [SQLBinding]

    /// How the statement delivers rows.
    let form: RowSelection.Form

    /// How the columns of a dictionary result are read; empty for other selections.
    let columns: [DictionaryColumn]

    /// - Throws: `FetchError` for anything in the request that the entity or the model lacks, or
    ///   SQL cannot do.
    package init(
        _ request: FetchRequest, entity: Entity, layout: StoreLayout, selection: Selection
    ) throws(FetchError) {
        try self.init(
            request, entity: entity, layout: layout, selection: selection, isNested: false)
    }

    /// - Parameter isNested: Whether the statement is a part of another, which numbers the
    ///   parameters of both.
    init(
        _ request: FetchRequest, entity: Entity, layout: StoreLayout, selection: Selection,
        isNested: Bool
    ) throws(FetchError) {
        try request.checkLimits()
        let dialect = layout.dialect
        var writer = SQLConditionWriter(entity: entity, layout: layout)
        var select = SQLText()
        var dictionary: DictionarySelection?
        var form = RowSelection.Form.columns
        let isLimited = request.fetchLimit > 0 || request.fetchOffset > 0
        switch selection {
        case .columns(let list):
            select.append("SELECT ")
            select.append(list)
        case .keys:
            select.append("SELECT ")
            select.append(layout.keyColumns(of: entity))
        case .rows(let rows, let wanted):
            form = wanted
            select.append("SELECT ")
            select.append(rows.list(form))
        case .count: select.append(isLimited ? "SELECT 1" : "SELECT COUNT(*)")
        case .dictionaries, .values:
            let made = try DictionarySelection(
                request, entity: entity, model: layout.model,
                allowsSearchResults: dialect.hasFullText)
            let withEntities = if case .dictionaries = selection { true } else { false }
            try made.writeColumns(withEntities: withEntities, to: &select, &writer)
            dictionary = made
        }
        self.form = form
        columns = dictionary?.columns ?? []

        var tail = SQLText()
        try tail.appendRestriction(to: entity, request, &writer)
        try dictionary?.writeGrouping(to: &tail, &writer)
        if case .count = selection {
        } else {
            try tail.appendOrder(request, &writer, dictionary)
        }
        tail.appendLimit(request, dialect)

        var text = select
        text.append(" FROM ")
        let hint = try writer.indexName.map { name throws(FetchError) in
            dialect.hint(index: try writer.nameOfIndex(name))
        }
        try writer.appendTables(hint: hint ?? "", to: &text)
        text.append(tail)
        if case .count = selection, isLimited {
            var count = SQLText()
            count.append(text) { "SELECT COUNT(*) FROM (\($0))\(dialect.aliasOfSelect)" }
            text = count
        }
        let statement = isNested ? text : try dialect.finished(text)
        sql = statement.sql
        bindings = statement.bindings
    }

    /// The same statement with other values, from this parameter on.
    func binding(_ values: [SQLBinding], from first: Int) -> FetchTranslation {
        var copy = self
        copy.bindings = first == 0 ? values : bindings[..<first] + values
        return copy
    }
}

extension SQLConditionWriter {
    /// The SQL name of an index of the fetched entity or an ancestor, by its name in the model.
    ///
    /// - Throws: `FetchError.unknownIndex`.
    fileprivate func nameOfIndex(_ name: String) throws(FetchError) -> String {
        var owner: Entity? = entity
        while let current = owner {
            if current.description.indexes.contains(where: { $0.name == name && $0.kind == .binary }
            ) {
                return "Z_\(current.name)_\(name)"
            }
            owner = current.superentityIndex.map { model.entities[$0] }
        }
        throw .unknownIndex(name, entity: entity.name)
    }
}

extension SQLText {
    /// Appends `WHERE` with the predicate, and with the entity if others share its table.
    mutating func appendRestriction(
        to entity: Entity, _ request: FetchRequest, _ writer: inout SQLConditionWriter
    ) throws(FetchError) {
        try appendRestriction(
            to: entity, includesSubentities: request.includesSubentities, request.predicate,
            &writer)
    }

    /// SQLite allows more, but compares each with all others when it compiles the statement.
    static let maximumBindingCount = 10_000

    mutating func appendRestriction(
        to entity: Entity, includesSubentities: Bool, _ predicate: ObjectPredicate?,
        _ writer: inout SQLConditionWriter
    ) throws(FetchError) {
        let root = writer.model.entities[entity.rootIndex]
        let indexes = includesSubentities ? entity.familyIndexes : entity.index...entity.index
        let isWholeTable = indexes == root.familyIndexes
        if !isWholeTable {
            append(" WHERE t0.Z_ENT")
            appendMembership(in: writer.layout.numbers(of: indexes))
        }
        guard let predicate else { return }
        let condition = try ConditionResolver(entity: entity, model: writer.model)
            .condition(predicate)
        if case .value(true) = condition { return }
        append(isWholeTable ? " WHERE " : " AND ")
        let needsParentheses = !isWholeTable && condition.isDisjunction
        if needsParentheses { append("(") }
        try writer.write(condition, to: &self)
        if needsParentheses { append(")") }
        guard bindings.count <= Self.maximumBindingCount else {
            throw .tooManyConstants(bindings.count, limit: Self.maximumBindingCount)
        }
    }

    /// Appends the end of a condition: equality, a range, or a list.
    private mutating func appendMembership(in numbers: [Int64]) {
        let (first, last) = (numbers[0], numbers[numbers.count - 1])
        let isRange = Int(last - first) == numbers.count - 1
        append(numbers.count == 1 ? " = " : isRange ? " BETWEEN " : " IN (")
        let values = numbers.count == 1 ? [first] : isRange ? [first, last] : numbers
        for (position, value) in values.enumerated() {
            if position > 0 { append(isRange ? " AND " : ", ") }
            bind(.integer(value))
        }
        if !isRange { append(")") }
    }

    fileprivate mutating func appendOrder(
        _ request: FetchRequest, _ writer: inout SQLConditionWriter,
        _ dictionary: DictionarySelection?
    ) throws(FetchError) {
        let dialect = writer.dialect
        var resolver = ConditionResolver(entity: writer.entity, model: writer.model)
        resolver.allowsSearchResults = dialect.hasFullText
        var separator = " ORDER BY "
        for sortKey in request.sortKeys {
            append(separator)
            separator = ", "
            let operand = try dictionary?.sortOperand(sortKey)
            let key = try CompiledSort.Key(sortKey, resolver, operand)
            try dialect.write(key, of: sortKey, dictionary, to: &self, &writer)
            append(dialect.direction(isAscending: key.isAscending))
        }
        guard !dialect.ordersEqualRows,
            !request.sortKeys.isEmpty || request.fetchLimit > 0 || request.fetchOffset > 0
        else { return }
        let last: String? =
            if let dictionary { dictionary.lastKey } else { writer.root.primaryKey }
        if let last { append(separator + last) }
    }

    fileprivate mutating func appendLimit(_ request: FetchRequest, _ dialect: any SQLDialect) {
        if request.fetchLimit > 0 {
            append(" LIMIT ")
            bind(.integer(Int64(request.fetchLimit)))
        } else if request.fetchOffset > 0 {
            append(dialect.unlimited)
        }
        if request.fetchOffset > 0 {
            append(" OFFSET ")
            bind(.integer(Int64(request.fetchOffset)))
        }
    }
}

extension Condition {
    fileprivate var isDisjunction: Bool {
        if case .or = self { true } else { false }
    }
}
