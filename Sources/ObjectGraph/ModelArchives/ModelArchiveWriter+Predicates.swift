// Predicates, expressions and requests.
extension ModelArchiveWriter {
    /// The index of a reference to a predicate; nil for what no archive can hold.
    ///
    /// A predicate with forms whose objects are not known is written as its format.
    mutating func predicate(_ predicate: ObjectPredicate) -> Int? {
        guard (try? predicate.checkDepth()) != nil else { return nil }
        if let node = node(predicate) { return node }
        let format = predicate.predicateFormat
        // Blocks and object identifiers print for people only.
        guard (try? ObjectPredicate(readOnce: format)) == predicate else { return nil }
        return archive.text(format)
    }

    private mutating func node(_ predicate: ObjectPredicate) -> Int? {
        switch predicate {
        case .value(let value): archive.node(value ? "NSTruePredicate" : "NSFalsePredicate")
        case .not(let part): compound(0, [part])
        case .and(let parts): compound(1, parts)
        case .or(let parts): compound(2, parts)
        case .comparison(let comparison): node(comparison)
        case .block: nil
        }
    }

    private mutating func compound(_ type: Int, _ parts: [ObjectPredicate]) -> Int? {
        let nodes = parts.compactMap { node($0) }
        guard nodes.count == parts.count else { return nil }
        return archive.node(
            "NSCompoundPredicate",
            [("NSCompoundPredicateType", integer(type)), ("NSSubpredicates", archive.list(nodes))])
    }

    private mutating func node(_ comparison: ObjectPredicate.Comparison) -> Int? {
        guard let left = node(comparison.left), let right = node(comparison.right) else {
            return nil
        }
        let (type, options) = (comparison.operator.rawValue, comparison.options.rawValue)
        var fields = [
            ("NSOperatorType", integer(type)),
            ("NSModifier", integer(comparison.modifier.rawValue)),
        ]
        let className: String
        switch comparison.operator {
        case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
            className = "NSComparisonPredicateOperator"
            fields += [("NSVariant", integer(type)), ("NSOptions", integer(options))]
        case .equal, .notEqual:
            className = "NSEqualityPredicateOperator"
            fields += [
                ("NSNegate", boolean(comparison.operator == .notEqual)),
                ("NSOptions", integer(options)),
            ]
        case .contains:
            className = "NSInPredicateOperator"
            fields.append(("NSFlags", integer(options)))
        case .matches, .like, .beginsWith, .endsWith, .in, .between, .search: return nil
        }
        return archive.node(
            "NSComparisonPredicate",
            [
                ("NSLeftExpression", left), ("NSRightExpression", right),
                ("NSPredicateOperator", archive.node(className, fields)),
            ])
    }

    // MARK: - Expressions

    /// The index of a reference to the expression of a derived attribute, in the form of its text:
    /// a function or a key path.
    mutating func derivation(_ text: String) -> Int {
        let parts = text.split(separator: "(", maxSplits: 1)
        guard parts.count == 2 else { return node(.keyPath(text)) ?? archive.null() }
        let path = parts[1].dropLast()
        let arguments: [ObjectExpression] = path.isEmpty ? [] : [.keyPath(String(path))]
        return node(.function(String(parts[0]), arguments)) ?? archive.null()
    }

    /// The numbers of the kinds of expressions.
    private enum Kind {
        static let constant = 0
        static let evaluatedObject = 1
        static let variable = 2
        static let keyPath = 3
        static let function = 4
        static let keyPathSpecifier = 10
    }

    private mutating func node(_ expression: ObjectExpression) -> Int? {
        switch expression {
        case .constant(.null):
            return self.expression(
                "NSConstantValueExpression", Kind.constant,
                [("NSConstantValueClassName", archive.null())])
        case .constant(.transformable): return nil
        case .constant(let value):
            guard let value = self.value(value) else { return nil }
            return self.expression(
                "NSConstantValueExpression", Kind.constant, [("NSConstantValue", value)])
        case .evaluatedObject: return self.expression("NSSelfExpression", Kind.evaluatedObject)
        case .variable(let name): return variable(name)
        case .keyPath(let path):
            return keyPath(path, Kind.keyPath, from: node(.evaluatedObject))
        case .function(let name, let arguments): return function(name, arguments)
        case .aggregate, .path, .element, .subquery, .conditional, .combined, .fetch: return nil
        }
    }

    private mutating func expression(
        _ className: String, _ kind: Int, _ fields: [(String, Int)] = []
    ) -> Int {
        archive.node(className, [("NSExpressionType", integer(kind))] + fields)
    }

    /// A variable, or a key path from one.
    private mutating func variable(_ name: String) -> Int? {
        let keys = name.split(separator: ".", maxSplits: 1)
        guard let first = keys.first, first.isPredicateKey else { return nil }
        let variable = expression(
            "NSVariableExpression", Kind.variable, [("NSVariable", archive.text(String(first)))])
        return keys.count == 1 ? variable : keyPath(String(keys[1]), Kind.function, from: variable)
    }

    private mutating func keyPath(_ path: String, _ kind: Int, from operand: Int?) -> Int? {
        guard let operand, path.isPredicateKeyPath else { return nil }
        let isKey = kind == Kind.keyPath && !path.contains(".")
        let specifier = expression(
            "NSKeyPathSpecifierExpression", Kind.keyPathSpecifier,
            [("NSKeyPath", archive.text(path))])
        return expression(
            "NSKeyPathExpression", kind,
            [
                ("NSOperand", operand),
                ("NSSelectorName", archive.text(isKey ? "valueForKey:" : "valueForKeyPath:")),
                ("NSArguments", archive.list([specifier])),
            ])
    }

    /// A built-in function, which Core Data sends to a class of its own.
    private mutating func function(_ name: String, _ arguments: [ObjectExpression]) -> Int? {
        let nodes = arguments.compactMap { node($0) }
        guard nodes.count == arguments.count else { return nil }
        let target = expression(
            "NSConstantValueExpression", Kind.constant,
            [("NSConstantValueClassName", archive.text("_NSPredicateUtilities"))])
        return expression(
            "NSFunctionExpression", Kind.function,
            [
                ("NSOperand", target), ("NSSelectorName", archive.text(name)),
                ("NSArguments", archive.list(nodes)),
            ])
    }

    // MARK: - Requests

    /// The index of a reference to a request; nil for what no archive can hold.
    mutating func request(_ request: FetchRequest) -> Int? {
        let sortKeys = request.sortKeys.compactMap { sortKey($0) }
        var condition = archive.null()
        if let predicate = request.predicate {
            guard let node = self.predicate(predicate) else { return nil }
            condition = node
        }
        guard sortKeys.count == request.sortKeys.count, request.hasOnlyArchivedParts else {
            return nil
        }
        let paths = request.relationshipKeyPathsForPrefetching
        return archive.node(
            "NSFetchRequest",
            [
                ("NSEntity", reference(toEntity: request.entityName)), ("NSPredicate", condition),
                ("NSSortDescriptors", sortKeys.isEmpty ? archive.null() : archive.list(sortKeys)),
                ("NSFetchLimit", integer(request.fetchLimit)),
                ("NSFetchOffset", integer(request.fetchOffset)),
                ("NSBatchSize", integer(request.fetchBatchSize)), ("NSResultType", integer(0)),
                ("NSHasFetchRequestFlags", boolean(true)),
                ("NSFetchRequestFlags", integer(request.archivedFlags.rawValue)),
                (
                    "NSRelationshipKeyPathsForPrefetching",
                    paths.isEmpty ? archive.null() : archive.list(paths.map { archive.text($0) })
                ),
            ])
    }

    private mutating func sortKey(_ key: SortKey) -> Int? {
        guard case .keyPath(let path) = key.expression else { return nil }
        return archive.node(
            "NSSortDescriptor",
            [
                ("NSKey", archive.text(path)), ("NSAscending", boolean(key.isAscending)),
                ("NSSelector", text(ModelArchiveReader.selectors[key.comparison])),
            ])
    }
}

extension FetchRequest {
    fileprivate var archivedFlags: ModelArchiveReader.RequestFlags {
        let flags: [(ModelArchiveReader.RequestFlags, Bool)] = [
            (.returnsDistinctResults, returnsDistinctResults),
            (.includesSubentities, includesSubentities),
            (.includesPropertyValues, includesPropertyValues),
            (.returnsObjectsAsFaults, returnsObjectsAsFaults),
            (.includesPendingChanges, includesPendingChanges),
        ]
        return flags.reduce(into: []) { if $1.1 { $0.insert($1.0) } }
    }

    /// Whether everything else has the value of a new request.
    fileprivate var hasOnlyArchivedParts: Bool {
        !shouldRefreshRefetchedObjects && affectedStores == nil && propertiesToFetch.isEmpty
            && propertiesToGroupBy.isEmpty && havingPredicate == nil
    }
}
