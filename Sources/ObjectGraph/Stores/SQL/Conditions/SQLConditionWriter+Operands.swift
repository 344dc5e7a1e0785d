// The values that conditions compare.
extension SQLConditionWriter {
    /// A constant as a parameter. An object of another store becomes a key that no row has.
    func binding(_ value: AttributeValue) -> SQLBinding {
        if case .objectID(let id) = value, id.storeIdentifier != layout.storeIdentifier {
            return .integer(-1)
        }
        return SQLBinding(value)
    }

    mutating func write(
        _ operand: Operand, to text: inout SQLText, _ place: Place
    ) throws(FetchError) {
        if case .function(let function, let arguments) = operand {
            try dialect.write(function, arguments, to: &text, place, &self)
        } else {
            try writeOther(operand, to: &text, place)
        }
    }

    /// Writes an operand of which only matters whether it is null: a value in a file is not read.
    mutating func writeForNullTest(
        _ operand: Operand, to text: inout SQLText, _ place: Place
    ) throws(FetchError) {
        guard case .attribute(let path, let property) = operand, let slot = property.slot,
            layout.isMarked(slot, of: model.entities[property.declaringEntityIndex])
        else { return try write(operand, to: &text, place) }
        text.append(try alias(path.level, path.steps[...], place))
        text.append(".\(layout.column(of: property))")
    }

    /// Writes an operand that is not a function. It has its own stack frame, so that nested
    /// functions take little stack.
    private mutating func writeOther(
        _ operand: Operand, to text: inout SQLText, _ place: Place
    ) throws(FetchError) {
        switch operand {
        case .constant(let value): text.bind(binding(value))
        case .attribute(let path, let property):
            guard let slot = property.slot else {
                throw .transientKeyNotAllowedHere(property.name, entity: entity.name)
            }
            // An addition takes one place on the parser's stack, a CAST three.
            let isReal =
                place.isInComputation && dialect.keepsAsNumeric(property.attributeType!)
            if isReal { text.append("(") }
            let table = try alias(path.level, path.steps[...], place)
            if layout.isPlain || !place.folding.isEmpty {
                text.append(table)
                text.append(".")
                text.append(
                    layout.foldedColumn(of: property, place.folding)
                        ?? layout.column(of: property))
            } else {
                let owner = model.entities[property.declaringEntityIndex]
                text.append(
                    layout.reading("\(table).\(layout.column(of: property))", slot, of: owner))
            }
            if isReal { text.append(" + 0.0)") }
        case .object(let path): text.append(try foreignKey(path, place))
        case .entityName(let path): try writeEntityName(of: path, to: &text)
        case .choice(let index, let operands):
            try dialect.requireType(of: operand)
            try writeChoice(index, operands, to: &text, place.optional)
        case .count(let collection): try write(.count, collection, nil, to: &text, place)
        case .summary(let statistic, let collection, let operand):
            try write(statistic, collection, operand, to: &text, place)
        case .element: throw .inMemoryOnly(feature: "An index into a relationship")
        case .listSummary(let statistic, let operands):
            try dialect.write(statistic, operands, to: &text, place, &self)
        case .function: break
        case .conditional(let condition, let first, let second):
            try dialect.requireType(of: operand)
            text.append("CASE WHEN ")
            try write(condition.condition, to: &text, place.optional)
            text.append(" THEN ")
            try write(first, to: &text, place.optional)
            text.append(" ELSE ")
            try write(second, to: &text, place.optional)
            text.append(" END")
        case .cast(let operand, let kind):
            try dialect.writeCast(operand, kind, to: &text, place, &self)
        case .now: text.bind(SQLBinding(.date(.now)))
        case .hinted(let operand, let hint):
            switch hint {
            case .noIndex: text.append(dialect.withoutIndex)
            case .index(let name): indexName = name
            }
            try write(operand, to: &text, place)
        case .fetchCount(let fetch):
            text.append("(")
            text.append(try selection(of: fetch, .count))
            text.append(")")
        case .searchResult(let result, let index): try write(result, of: index, to: &text)
        case .aggregate(let statistic, let operand):
            let call = try dialect.call(of: statistic, operand)
            text.append(call.opening)
            try write(operand, to: &text, place.optional)
            text.append(call.closing)
        }
    }

    private mutating func writeChoice(
        _ index: Operand, _ operands: [Operand], to text: inout SQLText, _ place: Place
    ) throws(FetchError) {
        text.append("CASE ")
        try write(index, to: &text, place)
        for (position, operand) in operands.enumerated() {
            text.append(" WHEN \(position) THEN ")
            try write(operand, to: &text, place)
        }
        text.append(" END")
    }

    /// Writes the name as a text, not the number in the row, so that all operations on texts are
    /// possible.
    private mutating func writeEntityName(
        of path: ObjectPath, to text: inout SQLText
    ) throws(FetchError) {
        let form = dialect.chosenText
        text.append(form.opening)
        text.append("CASE ")
        try writeEntityNumber(of: path, to: &text)
        for index in model.entities[path.entityIndex].familyIndexes {
            text.append(" WHEN \(index + 1) THEN '\(model.entities[index].name)'")
        }
        text.append(" END")
        text.append(form.closing)
    }

    /// The alias of the table with the row of the object at the end of a path.
    private mutating func alias(
        _ level: Int, _ steps: ArraySlice<Property>, _ place: Place
    ) throws(FetchError) -> String {
        if let first = steps.first { try checkRelationship(first) }
        // A false term within EXISTS excludes a destination, not the object itself.
        let isInner = place.isRequired && level == scopes.count - 1
        let alias = scopes[level].alias(
            of: steps, layout, isInner: isInner, lastAlias: &lastAlias)
        return SQLTableScope.name(alias)
    }

    /// The primary key of the object at the end of a path, from the row that refers to it.
    mutating func foreignKey(
        _ path: ObjectPath, _ place: Place
    ) throws(FetchError) -> String {
        guard let last = path.steps.last else { return try primaryKey(of: path, place) }
        return "\(try alias(path.level, path.steps.dropLast(), place)).\(layout.column(of: last))"
    }

    /// The number of the concrete entity of the object at the end of a path.
    mutating func writeEntityNumber(
        of path: ObjectPath, to text: inout SQLText
    ) throws(FetchError) {
        guard let last = path.steps.last, let slot = last.entitySlot else {
            let column = try alias(path.level, path.steps[...], .optional) + ".Z_ENT"
            let family = model.entities[path.entityIndex].familyIndexes
            return text.append(layout.modelNumber(column, family))
        }
        let owner = model.entities[last.declaringEntityIndex]
        let column = layout.column(slot, of: owner)
        let name = "\(try alias(path.level, path.steps.dropLast(), .optional)).\(column)"
        text.append(layout.reading(name, slot, of: owner))
    }

    /// Whether it is the fetched object, in the statement's own SELECT.
    func isInStatement(_ path: ObjectPath) -> Bool {
        path.level == 0 && path.steps.isEmpty && scopes.count == 1
    }

    mutating func primaryKey(
        of path: ObjectPath, _ place: Place
    ) throws(FetchError) -> String {
        if path.steps.isEmpty { return scopes[path.level].primaryKey }
        return "\(try alias(path.level, path.steps[...], place)).Z_PK"
    }
}
