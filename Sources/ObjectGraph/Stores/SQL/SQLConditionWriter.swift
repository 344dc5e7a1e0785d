import Foundation

/// Writes conditions and operands as SQL on the table of an entity under the alias `t0` (spec
/// §7.6).
///
/// Terms keep the order of the predicate. `QueryFunctions` has functions for what SQLite cannot
/// express itself. What PostgreSQL cannot express with the same meaning throws
/// `FetchError.inMemoryOnly`.
struct SQLConditionWriter {
    let entity: Entity
    let layout: StoreLayout
    var model: ManagedObjectModel { layout.model }
    var dialect: SQLDialect { layout.dialect }

    /// Whether the statement can join other tables, which an UPDATE cannot.
    let followsRelationships: Bool

    /// The nested SELECTs, by the level of their objects; the first one is the statement's own.
    private var scopes: [SQLTableScope]
    private var lastAlias = 0

    /// Whether the operand being written is part of a computation, in which the type of a number
    /// matters: columns of decimals and dates store whole numbers as integers. A comparison needs
    /// no conversion, so that an index can serve it.
    private var isInComputation = false

    /// The index that the predicate asks for; see `indexed:by:`.
    private(set) var indexName: String?

    /// The full-text index that the statement joins, and those whose ranks and snippets it asks
    /// for.
    var joined: FullTextTable?
    var reported: [String] = []

    init(entity: Entity, layout: StoreLayout, followsRelationships: Bool = true) {
        self.entity = entity
        self.layout = layout
        self.followsRelationships = followsRelationships
        scopes = [SQLTableScope(entity, alias: 0)]
    }

    /// The tables of the statement itself.
    var root: SQLTableScope { scopes[0] }

    /// The position of a term in the condition.
    struct Place {
        /// Whether a row is selected only if the term is true, so that joins for it can be inner.
        var isRequired = true
        var isNegated = false

        static let required = Place()
        static let optional = Place(isRequired: false)
    }

    // MARK: - Conditions

    mutating func write(
        _ condition: Condition, to text: inout SQLText, _ place: Place = .required
    ) throws(FetchError) {
        let wasInComputation = isInComputation
        isInComputation = false
        defer { isInComputation = wasInComputation }
        switch condition {
        case .value(let value): text.append(dialect.truth(value))
        case .and(let parts): try write(parts[...], " AND ", to: &text, place)
        case .or(let parts):
            let inner = Place(isRequired: false, isNegated: place.isNegated)
            try write(parts[...], " OR ", to: &text, inner)
        case .not(let part):
            text.append("NOT (")
            try write(part, to: &text, Place(isRequired: false, isNegated: !place.isNegated))
            text.append(")")
        case .isNull(let operand):
            try writeForNullTest(operand, to: &text, .optional)
            text.append(" IS NULL")
        case .isNotNull(let operand):
            try writeForNullTest(operand, to: &text, place)
            text.append(" IS NOT NULL")
        case .compare(let left, let relation, let right, let options):
            try writeComparison(left, relation, right, options, to: &text, place)
        case .between(let operand, let least, let greatest):
            try writeBetween(operand, least, greatest, to: &text, place)
        case .isIn(let operand, let values, let orNull, let options):
            try writeList(operand, values, orNull: orNull, options, to: &text, place)
        case .matches(let operand, let operation, let pattern, let options):
            try writeMatch(operand, operation, pattern, options, to: &text, place)
        case .isFetched(let operand, let fetch, let options):
            try writeMembership(operand, fetch, options, to: &text, place)
        case .search(let search): try write(search, to: &text, place)
        case .quantified(let collection, let isAll, let part):
            try writeQuantified(collection, isAll: isAll, part, to: &text, place)
        case .block: throw .inMemoryOnly(feature: "A block")
        }
    }

    /// SQLite nests a chain of terms to a depth of at most 1,000 (SQLITE_LIMIT_EXPR_DEPTH), the
    /// first terms deepest. A longer chain is halved, so that the number of terms has no such
    /// limit.
    private static let longestChain = ObjectPredicate.longestChain

    private mutating func write(
        _ parts: ArraySlice<Condition>, _ separator: String, to text: inout SQLText,
        _ place: Place
    ) throws(FetchError) {
        if parts.count > Self.longestChain {
            let middle = parts.startIndex + parts.count / 2
            text.append("(")
            try write(parts[..<middle], separator, to: &text, place)
            text.append(")\(separator)(")
            try write(parts[middle...], separator, to: &text, place)
            text.append(")")
            return
        }
        for (position, part) in parts.enumerated() {
            if position > 0 { text.append(separator) }
            let isNested = part.isCompound
            if isNested { text.append("(") }
            try write(part, to: &text, place)
            if isNested { text.append(")") }
        }
    }

    private mutating func writeComparison(
        _ left: Operand, _ relation: Condition.Relation, _ right: Operand,
        _ options: ObjectPredicate.Options, to text: inout SQLText, _ place: Place
    ) throws(FetchError) {
        if dialect == .postgreSQL {
            try requirePlain(options)
            let sides = try comparable(left, right)
            try writeOrdered(sides.left, relation, sides.right, to: &text, place)
        } else if options.isEmpty {
            try write(left, to: &text, place)
            text.append(relation.sql)
            try write(right, to: &text, place)
        } else if case .constant(let value) = right, let string = value.string,
            isIndexed(left, options)
        {
            try writeFolded(left, options, to: &text, place)
            text.append(relation.sql)
            text.bind(.text(StringFolding.fold(string, options)))
        } else {
            try writeCall("OGCompare", left, right, options, to: &text, place)
            text.append(relation.sql)
            text.append("0")
        }
    }

    private mutating func writeBetween(
        _ operand: Operand, _ least: Operand, _ greatest: Operand, to text: inout SQLText,
        _ place: Place
    ) throws(FetchError) {
        var (least, greatest) = (least, greatest)
        var order = ""
        if dialect == .postgreSQL {
            if case .constant = operand {
                // Each bound may need the constant in another form.
                text.append("(")
                try writeComparison(operand, .greaterOrEqual, least, [], to: &text, place)
                text.append(" AND ")
                try writeComparison(operand, .lessOrEqual, greatest, [], to: &text, place)
                return text.append(")")
            }
            least = try comparable(operand, least).right
            greatest = try comparable(operand, greatest).right
            order = binaryOrder(operand, least, greatest)
        }
        try write(operand, to: &text, place)
        text.append("\(order) BETWEEN ")
        try write(least, to: &text, place)
        text.append(" AND ")
        try write(greatest, to: &text, place)
    }

    private mutating func writeCall(
        _ function: String, _ left: Operand, _ right: Operand, _ options: ObjectPredicate.Options,
        to text: inout SQLText, _ place: Place
    ) throws(FetchError) {
        text.append(function)
        text.append("(")
        try write(left, to: &text, place)
        text.append(", ")
        try write(right, to: &text, place)
        text.append(", \(options.rawValue))")
    }

    private mutating func writeMatch(
        _ operand: Operand, _ operation: StringMatcher.Operation, _ pattern: Operand,
        _ options: ObjectPredicate.Options, to text: inout SQLText, _ place: Place
    ) throws(FetchError) {
        if case .constant(.string(let prefix)) = pattern {
            if operation == .matches { _ = try StringMatcher(operation, prefix, options) }
            // A range can use an index. A negated one cannot, and would exclude nulls, which the
            // function does not. An empty prefix goes to the function, because no text begins with
            // it.
            if operation == .beginsWith, !place.isNegated,
                options.isEmpty ? allowsRange(operand) : isIndexed(operand, options)
            {
                let prefix = options.isEmpty ? prefix : StringFolding.fold(prefix, options)
                if !prefix.isEmpty {
                    return try writeRange(of: prefix, operand, options, to: &text, place)
                }
            }
        }
        if dialect == .postgreSQL {
            try requirePlain(options)
            try writePlainMatch(operand, operation, pattern, to: &text, place)
        } else {
            try writeCall(operation.function, operand, pattern, options, to: &text, place)
        }
    }

    /// The texts that begin with a prefix. The prefix is already folded.
    private mutating func writeRange(
        of prefix: String, _ operand: Operand, _ options: ObjectPredicate.Options,
        to text: inout SQLText, _ place: Place
    ) throws(FetchError) {
        let successor = prefix.successor
        // The parentheses separate the range from an OR around it.
        text.append(successor == nil ? "" : "(")
        try writeFolded(operand, options, to: &text, place)
        text.append(" >= ")
        text.bind(.text(prefix))
        guard let successor else { return }
        text.append(" AND ")
        try writeFolded(operand, options, to: &text, place)
        text.append(" < ")
        text.bind(.text(successor))
        text.append(")")
    }

    /// Writes the operand, folded as the options say; this is also the expression of a folded index
    /// of the model.
    mutating func writeFolded(
        _ operand: Operand, _ options: ObjectPredicate.Options, to text: inout SQLText,
        _ place: Place
    ) throws(FetchError) {
        if options.isEmpty { return try write(operand, to: &text, place) }
        text.append("OGFold(")
        try write(operand, to: &text, place)
        text.append(", \(options.rawValue))")
    }

    /// Whether the model has an index of the attribute with this folding.
    private func isIndexed(_ operand: Operand, _ options: ObjectPredicate.Options) -> Bool {
        guard dialect == .sqlite, case .attribute(let path, let property) = operand else {
            return false
        }
        let entity = model.entities[path.entityIndex]
        return model.entities[entity.rootIndex].familyIndexes.contains { index in
            model.entities[index].description.indexes.contains {
                $0.elements[0].property == property.name
                    && $0.elements[0].folding.options == options
            }
        }
    }

    // MARK: - To-many relationships

    private mutating func writeQuantified(
        _ collection: Condition.Collection, isAll: Bool, _ part: Condition,
        to text: inout SQLText, _ place: Place
    ) throws(FetchError) {
        let ownerPlace = isAll || place.isNegated ? Place.optional : place
        text.append(isAll ? "NOT EXISTS (" : "EXISTS (")
        try writeSelect(of: collection, to: &text, ownerPlace) {
            (writer, _, condition) throws(FetchError) in
            if case .value(true) = part, !isAll { return "1" }
            condition.append(" AND ")
            // For ALL: no destination for which the condition is false or unknown.
            let needsParentheses = isAll || part.isCompound
            if needsParentheses { condition.append("(") }
            try writer.write(part, to: &condition, isAll ? .optional : .required)
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
            try write(filter, to: &condition, .required)
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
            return (
                "\(pairs.name) \(alias)", "\(alias).\(pairs.sourceColumn) = \(owner)",
                SQLTableScope(destination, primaryKey: "\(alias).\(pairs.destinationColumn)")
            )
        case .foreignKey:
            preconditionFailure("a to-many relationship is kept at the other end")
        }
    }

    /// Writes the number of objects of a collection, or a statistic of their values.
    private mutating func write(
        _ statistic: Operand.Statistic, _ collection: Condition.Collection, _ operand: Operand?,
        to text: inout SQLText
    ) throws(FetchError) {
        let call = try call(of: statistic, operand)
        text.append("(")
        // A missing owner gives zero or nil, so its row must stay.
        try writeSelect(of: collection, to: &text, .optional) {
            (writer, selected, _) throws(FetchError) in
            guard let operand else { return "COUNT(*)" }
            selected.append(call.opening)
            try writer.write(operand, to: &selected, .optional)
            return call.closing
        }
        text.append(")")
    }

    private func checkRelationship(_ property: Property) throws(FetchError) {
        guard followsRelationships else {
            throw .relationshipNotAllowedHere(property.name, entity: entity.name)
        }
    }

    // MARK: - Operands

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
    private mutating func writeForNullTest(
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
            if layout.isPlain {
                text.append(table)
                text.append(".")
                text.append(layout.column(of: property))
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

    private mutating func primaryKey(
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

extension Condition {
    fileprivate var isTrue: Bool {
        if case .value(true) = self { true } else { false }
    }

    var isCompound: Bool {
        switch self {
        case .and, .or: true
        default: false
        }
    }
}
