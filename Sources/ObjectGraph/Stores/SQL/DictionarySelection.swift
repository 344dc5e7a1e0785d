/// The columns, groups and condition on groups of a dictionary fetch (spec §3.7).
struct DictionarySelection {
    struct Fetched {
        let property: FetchedProperty
        let operand: Operand
    }

    private let request: FetchRequest
    private let resolver: ConditionResolver
    let fetched: [Fetched]
    let groups: [Operand]
    let columns: [DictionaryColumn]

    init(
        _ request: FetchRequest, entity: Entity, model: ManagedObjectModel
    ) throws(FetchError) {
        var resolver = ConditionResolver(entity: entity, model: model)
        resolver.allowsTransients = false
        var groups: [Operand] = []
        for keyPath in request.propertiesToGroupBy {
            groups.append(try resolver.operand(.keyPath(keyPath)))
        }
        resolver.allowsAggregates = true
        var fetched: [Fetched] = []
        for property in request.fetchedProperties(of: entity) {
            let operand = try resolver.operand(property.expression)
            guard property.resultType.map(operand.canCome(as:)) ?? true else {
                throw .invalidComparison(
                    property.name,
                    advice: "an objectID is the result of an object, and of nothing else.")
            }
            fetched.append(Fetched(property: property, operand: operand))
        }
        for entry in fetched { resolver.variables[entry.property.name] = entry.operand }
        self.request = request
        self.resolver = resolver
        self.fetched = fetched
        self.groups = groups
        columns = Self.columns(fetched)
        try checkGrouping()
    }

    private static func columns(_ fetched: [Fetched]) -> [DictionaryColumn] {
        var position: Int32 = 0
        return fetched.map { entry in
            let type = entry.property.resultType
            let decoding =
                type == .objectID || type == nil ? entry.operand.decoding : .attribute(type!)
            defer { position += decoding.columnCount }
            return DictionaryColumn(
                name: entry.property.name, position: position, decoding: decoding)
        }
    }

    /// With groups, or with an aggregate among the columns, every column must be one of either.
    private func checkGrouping() throws(FetchError) {
        guard !groups.isEmpty || fetched.contains(where: \.operand.hasAggregate) else {
            guard request.havingPredicate == nil else {
                throw .invalidComparison(
                    request.havingPredicate!.predicateFormat,
                    advice: "havingPredicate needs propertiesToGroupBy.")
            }
            return
        }
        for entry in fetched
        where !entry.property.expression.isGrouped(by: request.propertiesToGroupBy) {
            throw .notGrouped(entry.property.name)
        }
        guard request.havingPredicate == nil || !groups.isEmpty else {
            throw .invalidComparison(
                request.havingPredicate!.predicateFormat,
                advice: "havingPredicate needs propertiesToGroupBy.")
        }
    }

    func writeColumns(
        to text: inout SQLText, _ writer: inout SQLConditionWriter
    ) throws(FetchError) {
        text.append(request.returnsDistinctResults ? "SELECT DISTINCT " : "SELECT ")
        for (index, entry) in fetched.enumerated() {
            if index > 0 { text.append(", ") }
            try writer.write(entry.operand, to: &text, .optional)
            if case .objectIDWithEntity = columns[index].decoding,
                case .object(let path) = entry.operand
            {
                text.append(", ")
                try writer.writeEntityNumber(of: path, to: &text)
            }
        }
    }

    func writeGrouping(
        to text: inout SQLText, _ writer: inout SQLConditionWriter
    ) throws(FetchError) {
        for (position, group) in groups.enumerated() {
            text.append(position == 0 ? " GROUP BY " : ", ")
            try writer.write(group, to: &text, .optional)
        }
        guard let having = try having() else { return }
        text.append(" HAVING ")
        try writer.write(having, to: &text, .optional)
    }

    /// The condition on groups; nil if there is none.
    func having() throws(FetchError) -> Condition? {
        guard let predicate = request.havingPredicate else { return nil }
        return try resolver.condition(predicate)
    }

    /// A sort key may be the name of an expression that is fetched; nil for key paths.
    func sortOperand(_ key: SortKey) throws(FetchError) -> Operand? {
        if let entry = fetched.first(where: { $0.property.name == key.keyPath }) {
            return entry.operand
        }
        guard groups.isEmpty || request.propertiesToGroupBy.contains(key.keyPath) else {
            throw .notGrouped(key.keyPath)
        }
        return nil
    }
}

extension FetchRequest {
    /// The columns asked for, or all persistent attributes.
    fileprivate func fetchedProperties(of entity: Entity) -> [FetchedProperty] {
        guard propertiesToFetch.isEmpty else { return propertiesToFetch }
        return entity.properties.filter {
            $0.attributeType != nil && !$0.isTransient && !$0.isHidden
        }
        .map { FetchedProperty(name: $0.name, expression: .keyPath($0.name)) }
    }
}

extension ObjectExpression {
    /// Whether all rows of a group give the same value.
    fileprivate func isGrouped(by keyPaths: [String]) -> Bool {
        switch self {
        case .constant: true
        case .keyPath(let path): keyPaths.contains(path)
        case .aggregate(let elements): elements.allSatisfy { $0.isGrouped(by: keyPaths) }
        case .function(let name, let arguments):
            Operand.Statistic(rawValue: name) != nil
                || arguments.allSatisfy { $0.isGrouped(by: keyPaths) }
        case .conditional(let predicate, let first, let second):
            predicate.isGrouped(by: keyPaths) && first.isGrouped(by: keyPaths)
                && second.isGrouped(by: keyPaths)
        case .fetch: true
        case .evaluatedObject, .variable, .path, .element, .subquery, .combined: false
        }
    }
}

extension ObjectPredicate {
    fileprivate func isGrouped(by keyPaths: [String]) -> Bool {
        switch self {
        case .value: true
        case .block: false
        case .not(let part): part.isGrouped(by: keyPaths)
        case .and(let parts), .or(let parts): parts.allSatisfy { $0.isGrouped(by: keyPaths) }
        case .comparison(let comparison):
            comparison.modifier == .direct && comparison.left.isGrouped(by: keyPaths)
                && comparison.right.isGrouped(by: keyPaths)
        }
    }
}

extension Operand {
    var hasAggregate: Bool {
        switch self {
        case .aggregate: true
        case .function(_, let operands), .listSummary(_, let operands):
            operands.contains(where: \.hasAggregate)
        case .conditional(let condition, let first, let second):
            condition.condition.hasAggregate || first.hasAggregate || second.hasAggregate
        case .cast(let operand, _), .hinted(let operand, _): operand.hasAggregate
        case .choice(let index, let operands):
            index.hasAggregate || operands.contains(where: \.hasAggregate)
        default: false
        }
    }

    /// Whether values of the operand can come as this type. Other conversions depend on the value.
    fileprivate func canCome(as type: AttributeType) -> Bool {
        (type == .objectID) == (kind == .object)
    }

    fileprivate var decoding: DictionaryColumn.Decoding {
        switch self {
        case .attribute(_, let property): .attribute(property.attributeType!)
        case .aggregate(.minimum, let operand), .aggregate(.maximum, let operand):
            operand.decoding
        case .aggregate(.sum, .attribute(_, let property))
        where property.attributeType!.integerRange != nil: .attribute(.integer64)
        case .aggregate(.sum, _), .aggregate(.average, _): .attribute(.double)
        case .aggregate(.count, _), .count: .attribute(.integer64)
        case .object(let path): .object(path)
        case .hinted(let operand, _): operand.decoding
        case .cast(_, .date): .attribute(.date)
        default:
            switch kind {
            case .string: .attribute(.string)
            case .date: .attribute(.date)
            case .data: .attribute(.binaryData)
            case .uuid: .attribute(.uuid)
            case .number, .object, .opaque, nil: .number
            }
        }
    }
}

extension Condition {
    fileprivate var hasAggregate: Bool {
        switch self {
        case .value, .block, .quantified: false
        case .and(let parts), .or(let parts): parts.contains(where: \.hasAggregate)
        case .not(let part): part.hasAggregate
        case .compare(let left, _, let right, _), .matches(let left, _, let right, _):
            left.hasAggregate || right.hasAggregate
        case .between(let operand, let least, let greatest):
            operand.hasAggregate || least.hasAggregate || greatest.hasAggregate
        case .isNull(let operand), .isNotNull(let operand), .isIn(let operand, _, _, _),
            .isFetched(let operand, _, _):
            operand.hasAggregate
        }
    }
}

extension DictionaryColumn.Decoding {
    /// To-one relationships name the entity only where the destination has several.
    fileprivate static func object(_ path: ObjectPath) -> Self {
        if let last = path.steps.last, last.entitySlot == nil {
            return .objectID(entityIndex: path.entityIndex)
        }
        return .objectIDWithEntity(entityIndex: path.entityIndex)
    }
}
