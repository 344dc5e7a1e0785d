// To-many relationships: quantified conditions, counts and statistics.
extension SQLConditionWriter {
    mutating func writeQuantified(
        _ collection: Condition.Collection, isAll: Bool, _ part: Condition,
        to text: inout SQLText, _ place: Place
    ) throws(FetchError) {
        let ownerPlace = isAll || place.isNegated ? place.optional : place
        text.append(isAll ? "NOT EXISTS (" : "EXISTS (")
        try writeSelect(of: collection, to: &text, ownerPlace) {
            (writer, _, condition) throws(FetchError) in
            if case .value(true) = part, !isAll { return "1" }
            condition.append(" AND ")
            // For ALL: no destination for which the condition is false or unknown.
            let needsParentheses = isAll || part.isCompound
            if needsParentheses { condition.append("(") }
            try writer.write(part, to: &condition, isAll ? place.optional : place.required)
            if needsParentheses { condition.append(")") }
            if isAll { condition.append(" IS NOT TRUE") }
            return "1"
        }
        text.append(")")
    }

    /// Writes a SELECT on the objects of a collection that belong to their owner.
    ///
    /// - Parameter body: Writes the selected columns and the end of the condition. It can return
    ///   plain text for the columns instead.
    private mutating func writeSelect(
        of collection: Condition.Collection, to text: inout SQLText, _ place: Place,
        _ body: (inout Self, _ selected: inout SQLText, _ condition: inout SQLText)
            throws(FetchError) -> String?
    ) throws(FetchError) {
        if let feature = collection.inMemoryFeature { throw .inMemoryOnly(feature: feature) }
        let scope = try self.scope(of: collection, place)
        let outer = Array(scopes[collection.level...])
        scopes.replaceSubrange(collection.level..., with: [scope.element])
        var (selected, condition) = (SQLText(), SQLText())
        condition.append(" WHERE \(scope.link)")
        if let filter = collection.filter?.condition, !filter.isTrue {
            condition.append(" AND ")
            if filter.isCompound { condition.append("(") }
            try write(filter, to: &condition, place.required)
            if filter.isCompound { condition.append(")") }
        }
        if let plain = try body(&self, &selected, &condition) { selected.append(plain) }
        let tables = scopes[collection.level]
        scopes.replaceSubrange(collection.level..., with: outer)
        text.append("SELECT ")
        text.append(selected)
        text.append(" FROM \(scope.table)")
        tables.appendJoins(to: &text)
        text.append(condition)
    }

    /// The table of the destinations, or the join table, and the condition that ties its rows to
    /// the owner.
    private mutating func scope(
        of collection: Condition.Collection, _ place: Place
    ) throws(FetchError) -> (table: String, link: String, element: SQLTableScope) {
        let property = collection.property
        let relationship = property.relationship!
        try checkRelationship(property)
        let owner = try primaryKey(of: collection.owner, place)
        let destination = model.destination(of: relationship)
        lastAlias += 1
        let alias = SQLTableScope.name(lastAlias)
        switch relationship.storage {
        case .inverseForeignKey(let index):
            let column = layout.column(of: destination.properties[index])
            return (
                "\(layout.table(of: destination)) \(alias)", "\(alias).\(column) = \(owner)",
                SQLTableScope(destination, alias: lastAlias)
            )
        case .joinTable(let end):
            let pairs = layout.joinTable(end)
            if pairs.isInRows {
                return (
                    "\(pairs.name) \(alias)", "\(alias).\(pairs.sourceColumn) = \(owner)",
                    SQLTableScope(destination, alias: lastAlias)
                )
            }
            return (
                "\(pairs.name) \(alias)", "\(alias).\(pairs.sourceColumn) = \(owner)",
                SQLTableScope(destination, primaryKey: "\(alias).\(pairs.destinationColumn)")
            )
        case .foreignKey:
            preconditionFailure("a to-many relationship is kept at the other end")
        }
    }

    /// Writes the number of objects of a collection, or a statistic of their values.
    mutating func write(
        _ statistic: Operand.Statistic, _ collection: Condition.Collection, _ operand: Operand?,
        to text: inout SQLText, _ place: Place
    ) throws(FetchError) {
        // A missing owner gives zero or nil, so its row must stay.
        let place = place.optional
        let call = try dialect.call(of: statistic, operand)
        text.append("(")
        try writeSelect(of: collection, to: &text, place) {
            (writer, selected, _) throws(FetchError) in
            guard let operand else { return "COUNT(*)" }
            selected.append(call.opening)
            try writer.write(operand, to: &selected, place)
            return call.closing
        }
        text.append(")")
    }

    func checkRelationship(_ property: Property) throws(FetchError) {
        guard followsRelationships else {
            throw .relationshipNotAllowedHere(property.name, entity: entity.name)
        }
    }
}

extension Condition {
    fileprivate var isTrue: Bool {
        if case .value(true) = self { true } else { false }
    }
}
