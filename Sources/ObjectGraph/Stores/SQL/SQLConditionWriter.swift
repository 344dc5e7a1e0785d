/// Writes conditions and operands as SQL on the table of an entity under the alias `t0` (spec §7.6).
///
/// Terms keep the order in which they were written. What SQLite cannot say itself goes to the functions of `QueryFunctions`.
struct SQLConditionWriter {
    let entity: Entity
    let model: ManagedObjectModel

    /// Whether the statement can join other tables, which an UPDATE cannot.
    let followsRelationships: Bool
    private(set) var root: SQLTableScope
    private var element: SQLTableScope?
    private var lastAlias = 0

    init(entity: Entity, model: ManagedObjectModel, followsRelationships: Bool = true) {
        self.entity = entity
        self.model = model
        self.followsRelationships = followsRelationships
        root = SQLTableScope(entity, alias: 0)
    }

    /// Where a term stands.
    struct Place {
        /// Whether no row is selected for which the term is not true, so that joins for it can be inner.
        var isRequired = true
        var isNegated = false

        static let required = Place()
        static let optional = Place(isRequired: false)
    }

    // MARK: - Conditions

    mutating func write(
        _ condition: Condition, to text: inout SQLText, _ place: Place = .required
    ) throws(FetchError) {
        switch condition {
        case .value(let value): text.append(value ? "1" : "0")
        case .and(let parts): try write(parts, " AND ", to: &text, place)
        case .or(let parts):
            let inner = Place(isRequired: false, isNegated: place.isNegated)
            try write(parts, " OR ", to: &text, inner)
        case .not(let part):
            text.append("NOT (")
            try write(part, to: &text, Place(isRequired: false, isNegated: !place.isNegated))
            text.append(")")
        case .isNull(let operand):
            try write(operand, to: &text, .optional)
            text.append(" IS NULL")
        case .isNotNull(let operand):
            try write(operand, to: &text, place)
            text.append(" IS NOT NULL")
        case .compare(let left, let relation, let right, let options):
            try writeComparison(left, relation, right, options, to: &text, place)
        case .between(let operand, let least, let greatest):
            try write(operand, to: &text, place)
            text.append(" BETWEEN ")
            try write(least, to: &text, place)
            text.append(" AND ")
            try write(greatest, to: &text, place)
        case .isIn(let operand, let values, let orNull, let options):
            try writeList(operand, values, orNull: orNull, options, to: &text, place)
        case .matches(let operand, let operation, let pattern, let options):
            try writeMatch(operand, operation, pattern, options, to: &text, place)
        case .quantified(let collection, let isAll, let part):
            try writeQuantified(collection, isAll: isAll, part, to: &text, place)
        }
    }

    private mutating func write(
        _ parts: [Condition], _ separator: String, to text: inout SQLText, _ place: Place
    ) throws(FetchError) {
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
        if options.isEmpty {
            try write(left, to: &text, place)
            text.append(relation.sql)
            try write(right, to: &text, place)
        } else {
            try writeCall("OGCompare", left, right, options, to: &text, place)
            text.append(relation.sql)
            text.append("0")
        }
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
            // A range can use an index. Negated it could not, and would leave nulls out where the function does not.
            if operation == .beginsWith, options.isEmpty, !place.isNegated {
                return try writePrefix(operand, prefix, to: &text, place)
            }
        }
        try writeCall(operation.function, operand, pattern, options, to: &text, place)
    }

    private mutating func writePrefix(
        _ operand: Operand, _ prefix: String, to text: inout SQLText, _ place: Place
    ) throws(FetchError) {
        let successor = prefix.successor
        // Binds tighter than an OR around it.
        text.append(successor == nil ? "" : "(")
        try write(operand, to: &text, place)
        text.append(" >= ")
        text.bind(.text(prefix))
        guard let successor else { return }
        text.append(" AND ")
        try write(operand, to: &text, place)
        text.append(" < ")
        text.bind(.text(successor))
        text.append(")")
    }

    // MARK: - To-many relationships

    private mutating func writeQuantified(
        _ collection: Condition.Collection, isAll: Bool, _ part: Condition,
        to text: inout SQLText, _ place: Place
    ) throws(FetchError) {
        let ownerPlace = isAll || place.isNegated ? Place.optional : place
        let scope = try self.scope(of: collection, ownerPlace)
        element = scope.element
        var inner = SQLText()
        // For ALL: no destination for which the condition is false or unknown.
        if isAll { inner.append("(") }
        let isNested = !isAll && part.isCompound
        if isNested { inner.append("(") }
        try write(part, to: &inner, isAll ? .optional : .required)
        if isNested { inner.append(")") }
        if isAll { inner.append(") IS NOT TRUE") }
        text.append(isAll ? "NOT EXISTS (SELECT 1 FROM " : "EXISTS (SELECT 1 FROM ")
        text.append(scope.table)
        element!.appendJoins(to: &text)
        element = nil
        text.append(" WHERE \(scope.link) AND ")
        text.append(inner)
        text.append(")")
    }

    /// The table that holds the destinations, or pairs with them, and the condition that ties its rows to the owner.
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
            let column = destination.columns[destination.properties[index].slot!]
            return (
                "\(destination.table) \(alias)", "\(alias).\(column) = \(owner)",
                SQLTableScope(destination, alias: lastAlias)
            )
        case .joinTable(let pairs):
            return (
                "\(pairs.table) \(alias)", "\(alias).\(pairs.sourceColumn) = \(owner)",
                SQLTableScope(destination, primaryKey: "\(alias).\(pairs.destinationColumn)")
            )
        case .foreignKey:
            preconditionFailure("a to-many relationship is kept at the other end")
        }
    }

    private func checkRelationship(_ property: Property) throws(FetchError) {
        guard followsRelationships else {
            throw .relationshipNotAllowedHere(property.name, entity: entity.name)
        }
    }

    // MARK: - Operands

    mutating func write(
        _ operand: Operand, to text: inout SQLText, _ place: Place
    ) throws(FetchError) {
        switch operand {
        case .constant(let value): text.bind(SQLBinding(value))
        case .attribute(let path, let property):
            guard let slot = property.slot else {
                throw .transientKeyNotAllowedHere(property.name, entity: entity.name)
            }
            text.append(try alias(path.start, path.steps[...], place))
            text.append(".")
            text.append(model.entities[property.declaringEntityIndex].columns[slot])
        case .object(let path): text.append(try foreignKey(path, place))
        case .count(let collection):
            // Zero for a missing owner, so that the row must stay.
            let scope = try self.scope(of: collection, .optional)
            text.append("(SELECT COUNT(*) FROM \(scope.table) WHERE \(scope.link))")
        case .function(let function, let arguments):
            try write(function, arguments, to: &text, place)
        case .aggregate(let aggregate, let operand):
            text.append(aggregate.sql)
            try write(operand, to: &text, .optional)
            text.append(")")
        }
    }

    private mutating func write(
        _ function: Operand.Function, _ arguments: [Operand], to text: inout SQLText,
        _ place: Place
    ) throws(FetchError) {
        let form = function.sql
        text.append(form.opening)
        try write(arguments[0], to: &text, place)
        if arguments.count > 1 {
            text.append(form.separator)
            try write(arguments[1], to: &text, place)
        }
        text.append(form.closing)
    }

    /// The alias of the table in which the object at the end of a path has its row.
    private mutating func alias(
        _ start: ObjectPath.Start, _ steps: ArraySlice<Property>, _ place: Place
    ) throws(FetchError) -> String {
        if let first = steps.first { try checkRelationship(first) }
        // A term within EXISTS that is not true costs a destination, not the object itself.
        let isInner = place.isRequired && (start == .element || element == nil)
        let alias =
            start == .root
            ? root.alias(of: steps, model: model, isInner: isInner, lastAlias: &lastAlias)
            : element!.alias(of: steps, model: model, isInner: isInner, lastAlias: &lastAlias)
        return SQLTableScope.name(alias)
    }

    /// The primary key of the object at the end of a path, as it stands in the row that refers to it.
    private mutating func foreignKey(
        _ path: ObjectPath, _ place: Place
    ) throws(FetchError) -> String {
        guard let last = path.steps.last else { return try primaryKey(of: path, place) }
        let column = model.entities[last.declaringEntityIndex].columns[last.slot!]
        return "\(try alias(path.start, path.steps.dropLast(), place)).\(column)"
    }

    /// The number of the concrete entity of the object at the end of a path.
    mutating func writeEntityNumber(
        of path: ObjectPath, to text: inout SQLText
    ) throws(FetchError) {
        guard let last = path.steps.last, let slot = last.entitySlot else {
            return text.append(try alias(path.start, path.steps[...], .optional) + ".Z_ENT")
        }
        let column = model.entities[last.declaringEntityIndex].columns[slot]
        text.append("\(try alias(path.start, path.steps.dropLast(), .optional)).\(column)")
    }

    private mutating func primaryKey(
        of path: ObjectPath, _ place: Place
    ) throws(FetchError) -> String {
        if path.steps.isEmpty { return path.start == .root ? root.primaryKey : element!.primaryKey }
        return "\(try alias(path.start, path.steps[...], place)).Z_PK"
    }
}

extension Condition {
    var isCompound: Bool {
        switch self {
        case .and, .or: true
        default: false
        }
    }
}
