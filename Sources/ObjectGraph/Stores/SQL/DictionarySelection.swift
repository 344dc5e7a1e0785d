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

    var isDistinct: Bool { request.returnsDistinctResults }

    init(
        _ request: FetchRequest, entity: Entity, model: ManagedObjectModel,
        allowsSearchResults: Bool = false, reached: ReachedEntities? = nil
    ) throws(FetchError) {
        var resolver = ConditionResolver(entity: entity, model: model)
        resolver.allowsTransients = false
        resolver.reached = reached
        var groups: [Operand] = []
        for keyPath in request.propertiesToGroupBy {
            groups.append(try resolver.operand(.keyPath(keyPath)))
        }
        resolver.allowsAggregates = true
        resolver.groupsRows = !groups.isEmpty
        resolver.allowsSearchResults = allowsSearchResults
        var fetched: [Fetched] = []
        for property in request.fetchedProperties(of: entity) {
            let operand = try resolver.operand(property.expression)
            try Self.checkKind(of: operand, property)
            fetched.append(Fetched(property: property, operand: operand))
        }
        resolver.allowsSearchResults = false
        for entry in fetched { resolver.variables[entry.property.name] = entry.operand }
        self.request = request
        self.resolver = resolver
        self.fetched = fetched
        self.groups = groups
        columns = Self.columns(fetched)
        try checkGrouping()
    }

    /// Only key paths lead to objects with a known entity.
    private static func checkKind(
        of operand: Operand, _ property: FetchedProperty
    ) throws(FetchError) {
        let isKeyPath = if case .object = operand.withoutHints { true } else { false }
        guard isKeyPath || operand.kind != .object else {
            throw .invalidComparison(
                property.name, advice: "only SELF or a key path gives an object.")
        }
        guard let type = property.resultType, (type == .objectID) != isKeyPath else { return }
        throw .invalidComparison(
            property.name,
            advice:
                "the expression gives a value; resultType .objectID needs an object, and an object needs .objectID."
        )
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

    /// With groups or an aggregate, every column must be grouped or an aggregate.
    private func checkGrouping() throws(FetchError) {
        let groupBy = request.propertiesToGroupBy
        guard !groups.isEmpty || fetched.contains(where: \.operand.hasAggregate) else {
            guard request.havingPredicate == nil else {
                throw .invalidComparison(
                    request.havingPredicate!.predicateFormat,
                    advice: "havingPredicate needs propertiesToGroupBy.")
            }
            return
        }
        for entry in fetched
        where !entry.property.expression.isGrouped(by: groupBy, resolver) {
            throw .notGrouped(entry.property.name)
        }
        guard request.havingPredicate == nil || !groups.isEmpty else {
            throw .invalidComparison(
                request.havingPredicate!.predicateFormat,
                advice: "havingPredicate needs propertiesToGroupBy.")
        }
    }

    /// - Parameter withEntities: Whether the entity number follows the key of an object.
    func writeColumns(
        withEntities: Bool, to text: inout SQLText, _ writer: inout SQLConditionWriter
    ) throws(FetchError) {
        text.append(request.returnsDistinctResults ? "SELECT DISTINCT " : "SELECT ")
        for (index, entry) in fetched.enumerated() {
            if index > 0 { text.append(", ") }
            let decoding = columns[index].decoding
            let cast = try writer.dialect.cast(entry.operand, to: decoding)
            text.append(cast.opening)
            var place = SQLConditionWriter.Place.result
            // Its value is read with the type that SQLite gives it.
            place.isInComputation = decoding == .number
            try writer.write(entry.operand, to: &text, place)
            text.append(cast.closing)
            if withEntities, case .objectIDWithEntity = decoding,
                case .object(let path) = entry.operand.withoutHints
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
            try writer.write(group, to: &text, .result)
            try writer.dialect.writeRest(of: group, to: &text, &writer)
        }
        guard let having = try having() else { return }
        text.append(" HAVING ")
        try writer.write(having, to: &text, .result)
    }

    /// The position of a sort key in the select list, from 1; nil if it is not fetched.
    func number(of key: SortKey) -> Int32? {
        fetched.firstIndex { $0.property.name == key.keyPath }.map { columns[$0].position + 1 }
    }

    /// SQL for the order of results that are equal but for it: that of their rows, or of the
    /// columns if they have none; nil if there is one result.
    var lastKey: String? {
        if isDistinct {
            return columns.flatMap { column in
                (1...column.decoding.columnCount).map { "\(column.position + $0)" }
            }.joined(separator: ", ")
        }
        if !groups.isEmpty { return "MIN(t0.Z_PK)" }
        return fetched.contains { $0.operand.hasAggregate } ? nil : "t0.Z_PK"
    }

    /// The condition on groups; nil if there is none.
    func having() throws(FetchError) -> Condition? {
        guard let predicate = request.havingPredicate else { return nil }
        return try resolver.condition(predicate)
    }

    /// The operand of a sort key that names a fetched expression; nil for key paths.
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
    /// The requested columns, or all persistent attributes, elements of composite ones by key path.
    fileprivate func fetchedProperties(of entity: Entity) -> [FetchedProperty] {
        guard propertiesToFetch.isEmpty else { return propertiesToFetch }
        return entity.properties.filter {
            $0.attributeType != nil && $0.slot != nil && !$0.isPlace
        }
        .map { FetchedProperty(name: $0.name, expression: .keyPath($0.name)) }
    }
}

extension ObjectExpression {
    /// Whether all rows of a group have the same value.
    fileprivate func isGrouped(by keyPaths: [String], _ resolver: ConditionResolver) -> Bool {
        func areGrouped(_ expressions: [ObjectExpression]) -> Bool {
            expressions.allSatisfy { $0.isGrouped(by: keyPaths, resolver) }
        }
        switch self {
        case .constant, .fetch: return true
        case .keyPath(let path): return keyPaths.contains(path)
        case .aggregate(let elements): return areGrouped(elements)
        case .function(let name, _) where Operand.SearchResult.names.contains(name): return false
        case .function(_, let arguments):
            return isAggregateOfRows(resolver) || areGrouped(arguments)
        case .conditional(let predicate, let first, let second):
            return predicate.isGrouped(by: keyPaths, resolver) && areGrouped([first, second])
        case .element(.aggregate(let elements), let index):
            if case .position(let position) = index {
                return areGrouped(elements + [position])
            }
            return areGrouped(elements)
        case .evaluatedObject, .variable, .path, .element, .subquery, .combined: return false
        }
    }

    /// Whether it is a statistic over the rows of a group, not over a list or a to-many
    /// relationship.
    private func isAggregateOfRows(_ resolver: ConditionResolver) -> Bool {
        guard case .function(let name, let arguments) = self, arguments.count == 1,
            Operand.Statistic(rawValue: name) != nil
        else { return false }
        if case .aggregate = arguments[0] { return false }
        // Most are of an attribute, which needs no resolved key path.
        if case .keyPath(let key) = arguments[0],
            let property = resolver.entity.property(named: key), property.relationship == nil
        {
            return true
        }
        return resolver.groupsRows || (try? resolver.keyPath(arguments[0]))?.collection == nil
    }
}

extension ObjectPredicate {
    fileprivate func isGrouped(by keyPaths: [String], _ resolver: ConditionResolver) -> Bool {
        switch self {
        case .value: true
        case .block: false
        case .not(let part): part.isGrouped(by: keyPaths, resolver)
        case .and(let parts), .or(let parts):
            parts.allSatisfy { $0.isGrouped(by: keyPaths, resolver) }
        case .comparison(let comparison):
            comparison.modifier == .direct && comparison.left.isGrouped(by: keyPaths, resolver)
                && comparison.right.isGrouped(by: keyPaths, resolver)
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

    /// The operand without its index hints.
    fileprivate var withoutHints: Operand {
        if case .hinted(let operand, _) = self { operand.withoutHints } else { self }
    }

    fileprivate var decoding: DictionaryColumn.Decoding {
        switch self {
        case .attribute(_, let property): .attribute(property.attributeType!)
        case .aggregate(.minimum, let operand), .aggregate(.maximum, let operand):
            operand.decoding
        case .aggregate(.sum, .attribute(_, let property))
        where property.attributeType!.integerRange != nil: .attribute(.integer64)
        case .aggregate(.sum, .count), .aggregate(.sum, .summary(.count, _, _)):
            .attribute(.integer64)
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
        case .value, .block, .quantified, .search: false
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
    /// Rows store the entity of a to-one destination only if there are several.
    static func object(_ path: ObjectPath) -> Self {
        if let last = path.steps.last, last.entitySlot == nil {
            return .objectID(entityIndex: path.entityIndex)
        }
        return .objectIDWithEntity(entityIndex: path.entityIndex)
    }
}
