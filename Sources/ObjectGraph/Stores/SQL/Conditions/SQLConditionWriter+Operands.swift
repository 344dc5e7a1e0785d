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
            try write(function, arguments, to: &text, place)
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
                isInComputation && dialect == .sqlite && property.attributeType!.isKeptAsNumeric
            if isReal { text.append("(") }
            let table = try alias(path.level, path.steps[...], place)
            if layout.isPlain || !folding.isEmpty {
                text.append(table)
                text.append(".")
                text.append(column(of: property))
            } else {
                let owner = model.entities[property.declaringEntityIndex]
                text.append(
                    layout.reading("\(table).\(layout.column(of: property))", slot, of: owner))
            }
            if isReal { text.append(" + 0.0)") }
        case .object(let path): text.append(try foreignKey(path, place))
        case .entityName(let path): try writeEntityName(of: path, to: &text)
        case .choice(let index, let operands):
            try requireType(of: operand)
            try writeChoice(index, operands, to: &text)
        case .count(let collection): try write(.count, collection, nil, to: &text)
        case .summary(let statistic, let collection, let operand):
            try write(statistic, collection, operand, to: &text)
        case .element: throw .inMemoryOnly(feature: "An index into a relationship")
        case .listSummary(let statistic, let operands):
            try write(statistic, operands, to: &text)
        case .function: break
        case .conditional(let condition, let first, let second):
            try requireType(of: operand)
            text.append("CASE WHEN ")
            try write(condition.condition, to: &text, .optional)
            text.append(" THEN ")
            try write(first, to: &text, .optional)
            text.append(" ELSE ")
            try write(second, to: &text, .optional)
            text.append(" END")
        case .cast(let operand, let kind): try writeCast(operand, kind, to: &text, place)
        case .now: text.bind(SQLBinding(.date(.now)))
        case .hinted(let operand, let hint):
            switch hint {
            case .noIndex: if dialect == .sqlite { text.append("+") }
            case .index(let name): indexName = name
            }
            try write(operand, to: &text, place)
        case .fetchCount(let fetch):
            text.append("(")
            text.append(try selection(of: fetch, .count))
            text.append(")")
        case .searchResult(let result, let index): try write(result, of: index, to: &text)
        case .aggregate(let statistic, let operand):
            let call = try call(of: statistic, operand)
            text.append(call.opening)
            try write(operand, to: &text, .optional)
            text.append(call.closing)
        }
    }

    /// Writes an operand whose value is read with the type that SQLite gives it.
    mutating func writeNumber(
        _ operand: Operand, to text: inout SQLText, _ place: Place
    ) throws(FetchError) {
        isInComputation = true
        defer { isInComputation = false }
        try write(operand, to: &text, place)
    }

    private mutating func writeCast(
        _ operand: Operand, _ kind: ValueKind, to text: inout SQLText, _ place: Place
    ) throws(FetchError) {
        if dialect == .postgreSQL {
            return try writePostgreSQLCast(operand, kind, to: &text, place)
        }
        let wasInComputation = isInComputation
        defer { isInComputation = wasInComputation }
        let (opening, closing): (String, String)
        switch (operand.kind, kind) {
        case (_, .string):
            // The text of the decimal 2 is "2.0".
            isInComputation = true
            (opening, closing) = ("OGText(", ")")
        case (.string, _): (opening, closing) = ("OGNumber(", ")")
        case (_, .date) where isInComputation:
            // Dates are real numbers of seconds.
            isInComputation = false
            (opening, closing) = ("CAST(", " AS REAL)")
        default: (opening, closing) = ("", "")
        }
        text.append(opening)
        try write(operand, to: &text, place)
        text.append(closing)
    }

    /// Writes a statistic over a list.
    private mutating func write(
        _ statistic: Operand.Statistic, _ operands: [Operand], to text: inout SQLText
    ) throws(FetchError) {
        if dialect == .postgreSQL {
            return try writePostgreSQLList(statistic, operands, to: &text)
        }
        let form = try statistic.sqlOfList(count: operands.count)
        text.append(form.opening)
        for (position, operand) in operands.enumerated() {
            if position > 0 { text.append(form.separator) }
            try write(operand, to: &text, .optional)
        }
        text.append(form.closing)
    }

    /// - Parameter isChained: Whether it is the left operand of an operator of the same rank.
    ///   Parentheses would then only take places on the parser's stack.
    private mutating func write(
        _ function: Operand.Function, _ arguments: [Operand], isChained: Bool = false,
        to text: inout SQLText, _ place: Place
    ) throws(FetchError) {
        if dialect == .postgreSQL {
            return try writePostgreSQL(function, arguments, to: &text, place)
        }
        let form = try function.sqlForm()
        let wasInComputation = isInComputation
        isInComputation = true
        defer { isInComputation = wasInComputation }
        if !isChained { text.append(form.opening) }
        for (position, argument) in arguments.enumerated() {
            if position > 0 { text.append(form.separator) }
            if position == 0, let rank = function.chainRank,
                case .function(let inner, let operands) = argument, inner.chainRank == rank
            {
                try write(inner, operands, isChained: true, to: &text, place)
            } else {
                try write(argument, to: &text, place)
            }
        }
        if !isChained { text.append(form.closing) }
    }

    private mutating func writeChoice(
        _ index: Operand, _ operands: [Operand], to text: inout SQLText
    ) throws(FetchError) {
        text.append("CASE ")
        try write(index, to: &text, .optional)
        for (position, operand) in operands.enumerated() {
            text.append(" WHEN \(position) THEN ")
            try write(operand, to: &text, .optional)
        }
        text.append(" END")
    }

    /// Writes the name as a text, not the number in the row, so that all operations on texts are
    /// possible.
    private mutating func writeEntityName(
        of path: ObjectPath, to text: inout SQLText
    ) throws(FetchError) {
        if dialect == .postgreSQL { text.append("(") }
        text.append("CASE ")
        try writeEntityNumber(of: path, to: &text)
        for index in model.entities[path.entityIndex].familyIndexes {
            text.append(" WHEN \(index + 1) THEN '\(model.entities[index].name)'")
        }
        text.append(" END")
        if dialect == .postgreSQL { text.append("\(Self.binaryCollation))") }
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

extension AttributeType {
    /// Whether SQLite stores a whole number of this type as an integer.
    fileprivate var isKeptAsNumeric: Bool { self == .decimal || self == .date }
}
