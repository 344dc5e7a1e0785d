/// Converts predicates and expressions to conditions and operands on an entity of a model.
struct ConditionResolver {
    let entity: Entity
    let model: ManagedObjectModel

    /// The values of `$name`: the named expressions of a dictionary fetch.
    var variables: [String: Operand] = [:]

    /// The current objects of the surrounding SUBQUERY terms, by the names of their variables.
    var objects: [String: ObjectPath] = [:]

    /// The number of collections around the current term.
    var level = 0
    var allowsAggregates = false

    /// Whether a statistic over a relationship is one over the members of all rows of a group.
    var groupsRows = false

    /// Whether attributes that are not stored may be used.
    var allowsTransients = true

    /// Whether blocks may be used; they need an object.
    var allowsBlocks = true

    /// Whether searches may be used; SQLite must be able to look into a full-text index.
    var allowsSearches = true

    /// Whether the rank and snippets of a search may be used: in sort keys and fetched properties
    /// of a SQL statement.
    var allowsSearchResults = false

    /// Notes the entities to which key paths lead, for a store that reads their rows first; nil if
    /// that is not needed.
    var reached: ReachedEntities?

    init(entity: Entity, model: ManagedObjectModel) {
        self.entity = entity
        self.model = model
    }

    func condition(_ predicate: ObjectPredicate) throws(FetchError) -> Condition {
        switch predicate {
        case .value(let value): return .value(value)
        case .not(let predicate): return .not(try condition(predicate))
        case .comparison(let comparison): return try condition(comparison)
        case .block(let block):
            guard allowsBlocks else {
                throw .unsupported(feature: "A block in a validation rule")
            }
            return .block(block, entity)
        // A compound without parts becomes a value, and one with one part becomes that part.
        case .and(let parts):
            let conditions = try conditions(merging(parts, .notEqual))
            return conditions.count > 1 ? .and(conditions) : conditions.first ?? .value(true)
        case .or(let parts):
            let conditions = try conditions(merging(parts, .equal))
            return conditions.count > 1 ? .or(conditions) : conditions.first ?? .value(false)
        }
    }

    private func conditions(_ parts: [ObjectPredicate]) throws(FetchError) -> [Condition] {
        var conditions: [Condition] = []
        conditions.reserveCapacity(parts.count)
        for part in parts { conditions.append(try condition(part)) }
        return conditions
    }

    // MARK: - Comparisons

    private func condition(
        _ comparison: ObjectPredicate.Comparison
    ) throws(FetchError) -> Condition {
        if comparison.operator == .search { return try search(comparison) }
        if comparison.modifier != .direct { return try quantified(comparison) }
        if let equality = try listEquality(comparison) { return equality }
        if let membership = try membership(comparison) { return membership }
        if let absence = try absence(comparison) { return absence }
        return try condition(comparison, left: operand(comparison.left))
    }

    func condition(
        _ comparison: ObjectPredicate.Comparison, left: Operand
    ) throws(FetchError) -> Condition {
        switch comparison.operator {
        case .lessThan: return try compare(comparison, left, .less)
        case .lessThanOrEqual: return try compare(comparison, left, .lessOrEqual)
        case .greaterThan: return try compare(comparison, left, .greater)
        case .greaterThanOrEqual: return try compare(comparison, left, .greaterOrEqual)
        case .equal: return try compare(comparison, left, .equal)
        case .notEqual: return try compare(comparison, left, .notEqual)
        case .between: return try between(comparison, left)
        case .in: return try isIn(comparison, left)
        case .beginsWith: return try matches(comparison, left, .beginsWith)
        case .endsWith: return try matches(comparison, left, .endsWith)
        case .contains: return try matches(comparison, left, .contains)
        case .like: return try matches(comparison, left, .like)
        case .matches: return try matches(comparison, left, .matches)
        case .search: return try search(comparison)
        }
    }

    private func compare(
        _ comparison: ObjectPredicate.Comparison, _ left: Operand, _ relation: Condition.Relation
    ) throws(FetchError) -> Condition {
        try compare(comparison, left, relation, right: operand(comparison.right))
    }

    private func compare(
        _ comparison: ObjectPredicate.Comparison, _ left: Operand, _ relation: Condition.Relation,
        right: Operand
    ) throws(FetchError) -> Condition {
        let isNullOnTheLeft = left.isNull
        if isNullOnTheLeft || right.isNull {
            let other = isNullOnTheLeft ? right : left
            switch relation {
            case .equal: return other.isNull ? .value(true) : .isNull(other)
            case .notEqual: return other.isNull ? .value(false) : .isNotNull(other)
            // Nothing is less or greater than nil.
            default: return .value(false)
            }
        }
        if let existence = Condition.existence(left, relation, right) { return existence }
        let (first, second) = try fitted(left, right, comparison)
        return .compare(first, relation, second, try textOptions(comparison, first))
    }

    private func between(
        _ comparison: ObjectPredicate.Comparison, _ left: Operand
    ) throws(FetchError) -> Condition {
        guard case .aggregate(let bounds) = comparison.right, bounds.count == 2 else {
            throw .invalidComparison(
                comparison.predicateFormat, advice: "BETWEEN takes two values, {least, greatest}.")
        }
        let (least, greatest) = (try operand(bounds[0]), try operand(bounds[1]))
        guard !left.isNull, !least.isNull, !greatest.isNull else { return .value(false) }
        let (value, low) = try fitted(left, least, comparison)
        let (_, high) = try fitted(left, greatest, comparison)
        let options = try textOptions(comparison, value)
        guard !options.isEmpty else { return .between(value, low, high) }
        return .and([
            .compare(value, .greaterOrEqual, low, options),
            .compare(value, .lessOrEqual, high, options),
        ])
    }

    private func isIn(
        _ comparison: ObjectPredicate.Comparison, _ left: Operand
    ) throws(FetchError) -> Condition {
        if case .fetch(let request, countOnly: false) = comparison.right {
            return try isFetched(comparison, left, request)
        }
        guard case .aggregate(let elements) = comparison.right else {
            // Between strings, IN tests whether the right side contains the left one (spec §7.3).
            let container = try operand(comparison.right)
            guard container.kind == .string, left.kind == .string else {
                throw .invalidComparison(
                    comparison.predicateFormat,
                    advice: "IN takes a list of values or a to-many key path on its right.")
            }
            return .matches(container, .contains, pattern: left, comparison.options.effective)
        }
        var values: [AttributeValue] = []
        values.reserveCapacity(elements.count)
        var hasNull = false
        var others: [Condition] = []
        for element in elements {
            switch try operand(element) {
            case .constant(.null): hasNull = true
            case .constant(let value):
                values.append(
                    try fit(value, to: left, comparison.left, for: comparison.operator))
            case let other:
                others.append(try compare(comparison, left, .equal, right: other))
            }
        }
        let list = Condition.isIn(
            left, values, orNull: hasNull, try textOptions(comparison, left))
        if others.isEmpty { return list }
        let parts = values.isEmpty && !hasNull ? others : [list] + others
        return parts.count > 1 ? .or(parts) : parts[0]
    }

    private func isFetched(
        _ comparison: ObjectPredicate.Comparison, _ left: Operand, _ request: FetchRequest
    ) throws(FetchError) -> Condition {
        let fetch = try nestedFetch(request)
        var inner = ConditionResolver(entity: fetch.entity, model: model)
        inner.allowsAggregates = true
        let value = try inner.operand(fetch.property?.expression ?? .evaluatedObject)
        guard let kind = left.kind, let other = value.kind, kind.isComparable(with: other) else {
            throw .invalidComparison(
                comparison.predicateFormat, advice: "the fetched values are of another kind.")
        }
        return .isFetched(left, by: fetch, try textOptions(comparison, left))
    }

    private func matches(
        _ comparison: ObjectPredicate.Comparison, _ left: Operand,
        _ operation: StringMatcher.Operation
    ) throws(FetchError) -> Condition {
        let pattern = try operand(comparison.right)
        for side in [left, pattern] where side.kind != .string {
            throw .invalidComparison(
                comparison.predicateFormat,
                advice: "\(comparison.operator.symbol) takes a string on both sides.")
        }
        return .matches(left, operation, pattern: pattern, comparison.options.effective)
    }

    /// Both sides. A constant is converted to the type of the other side.
    private func fitted(
        _ left: Operand, _ right: Operand, _ comparison: ObjectPredicate.Comparison
    ) throws(FetchError) -> (Operand, Operand) {
        let operation = comparison.operator
        switch (left, right) {
        case (_, .constant(let value)):
            return (left, .constant(try fit(value, to: left, comparison.left, for: operation)))
        case (.constant(let value), _):
            return (.constant(try fit(value, to: right, comparison.right, for: operation)), right)
        default:
            guard let kind = left.kind, let other = right.kind, kind.isComparable(with: other)
            else {
                throw .invalidComparison(
                    comparison.predicateFormat, advice: "the two sides are of different kinds.")
            }
            return (left, right)
        }
    }

    private func textOptions(
        _ comparison: ObjectPredicate.Comparison, _ operand: Operand
    ) throws(FetchError) -> ObjectPredicate.Options {
        guard comparison.options.isEmpty || operand.kind == .string else {
            throw .invalidComparison(
                comparison.predicateFormat, advice: "options apply to strings only.")
        }
        return comparison.options.effective
    }

    /// The constant, converted to the type of the operand's values.
    ///
    /// - Parameter expression: The source of the operand, for the error.
    private func fit(
        _ constant: AttributeValue, to operand: Operand, _ expression: ObjectExpression,
        for operation: ObjectPredicate.Operator
    ) throws(FetchError) -> AttributeValue {
        let value = operand.kind.map { constant.read(as: $0, for: operation) } ?? constant
        func mismatch(_ key: String, _ expected: String) -> FetchError {
            .typeMismatch(key: key, expected: expected, value: constant)
        }
        switch operand {
        case .hinted(let operand, _):
            return try fit(constant, to: operand, expression, for: operation)
        case .attribute(_, let property):
            let type = property.attributeType!
            if let fitted = value.comparable(with: type) { return fitted }
            throw mismatch(property.name, "of type \(type)")
        default:
            guard let kind = operand.kind else { return value }
            guard let other = ValueKind(value), kind.isComparable(with: other) else {
                throw mismatch(expression.predicateFormat, kind.rawValue)
            }
            guard case .object(let path) = operand, case .objectID(let id) = value else {
                return value
            }
            // Primary keys are unique only among the descendants of one root entity.
            let destination = model.entities[path.entityIndex]
            let root = model.entities[destination.rootIndex]
            if id.scope.rootEntityName == root.name { return value }
            throw mismatch(expression.predicateFormat, "an object of \(destination.name)")
        }
    }
}

extension AttributeValue {
    /// The value converted to the kind it is compared with, as SQLite's type affinity does. A text
    /// with a number becomes that number. A whole number becomes a text for `==`, `!=` and IN.
    /// Other values stay unchanged.
    fileprivate func read(
        as kind: ValueKind, for operation: ObjectPredicate.Operator
    ) -> AttributeValue {
        switch (kind, self, operation) {
        case (.number, .string, _):
            let number = cast(to: .number)
            return number.double?.isFinite == true ? number : self
        case (.string, .integer(let value), .equal), (.string, .integer(let value), .notEqual),
            (.string, .integer(let value), .in):
            return .string(String(value))
        default: return self
        }
    }

    /// The value for comparison with an attribute of this type. A number keeps its fraction, even
    /// if the type has none.
    fileprivate func comparable(with type: AttributeType) -> AttributeValue? {
        switch (type, self) {
        case (.integer16, _), (.integer32, _), (.integer64, _):
            switch self {
            case .integer: return self
            case .boolean, .double, .decimal:
                return integer.map { .integer($0) } ?? double.map { .double($0) }
            default: return nil
            }
        // Compared in double precision, which covers the range of all numbers.
        case (.decimal, .integer), (.decimal, .double), (.decimal, .decimal): return self
        case (.string, .uri), (.uri, .string): return string.map { .string($0) }
        case (.transformable, _), (.undefined, _): return nil
        default: return converted(to: type)
        }
    }
}

extension ObjectPredicate.Options {
    /// `[n]` promises strings that can be compared byte by byte, so the other letters are ignored.
    var effective: Self { contains(.normalized) ? [] : self }
}
