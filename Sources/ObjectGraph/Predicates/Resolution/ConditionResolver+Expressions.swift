extension ConditionResolver {
    /// Nested functions take little stack here, since the other cases have their own frame.
    func operand(_ expression: ObjectExpression) throws(FetchError) -> Operand {
        guard case .function(let name, let arguments) = expression,
            let function = Operand.Function(rawValue: name)
        else { return try otherOperand(expression) }
        return try checked(function, operands(arguments))
    }

    private func otherOperand(_ expression: ObjectExpression) throws(FetchError) -> Operand {
        switch expression {
        case .constant(let value): return .constant(value)
        case .variable(let name):
            if let operand = variables[name] { return operand }
        case .aggregate:
            throw .invalidComparison(
                expression.predicateFormat,
                advice: "a list can only be on the right of IN or BETWEEN.")
        case .function(let name, let arguments): return try function(name, arguments)
        case .conditional(let predicate, let first, let second):
            return try conditional(predicate, first, second, expression)
        case .element(.aggregate(let elements), let index):
            return try element(index, of: elements)
        case .fetch(let request, countOnly: true): return .fetchCount(try nestedFetch(request))
        case .fetch, .combined:
            throw .invalidComparison(
                expression.predicateFormat,
                advice: "a collection can only be on the right of IN or the left of CONTAINS.")
        case .keyPath, .evaluatedObject, .path, .element, .subquery: break
        }
        guard let path = try keyPath(expression) else {
            if case .variable(let name) = expression { throw .unboundVariable(name) }
            if case .path(let base, "length") = expression {
                return try checked(.length, [operand(base)])
            }
            throw .unsupported(feature: "A key path as in '\(expression.predicateFormat)'")
        }
        guard path.collection == nil else {
            throw .toManyKeyNotAllowedHere(expression.predicateFormat, entity: entity.name)
        }
        try requireColumn(of: path.operand)
        return path.operand
    }

    private func operands(_ expressions: [ObjectExpression]) throws(FetchError) -> [Operand] {
        var operands: [Operand] = []
        for expression in expressions { operands.append(try operand(expression)) }
        return operands
    }

    private func conditional(
        _ predicate: ObjectPredicate, _ first: ObjectExpression, _ second: ObjectExpression,
        _ whole: ObjectExpression
    ) throws(FetchError) -> Operand {
        let condition = try CompiledPredicate(self.condition(predicate))
        let (then, otherwise) = (try operand(first), try operand(second))
        if let kind = then.kind, let other = otherwise.kind, !kind.isComparable(with: other) {
            throw .invalidComparison(
                whole.predicateFormat, advice: "the two values are of different kinds.")
        }
        return .conditional(condition, then, otherwise)
    }

    private func element(
        _ index: ObjectExpression.ElementIndex, of elements: [ObjectExpression]
    ) throws(FetchError) -> Operand {
        let position: Int
        switch index {
        case .size: return .constant(.integer(Int64(elements.count)))
        case .first: position = 0
        case .last: position = elements.count - 1
        case .position(let expression):
            let operand = try self.index(expression)
            guard case .constant(let number) = operand else {
                return try choice(operand, operands(elements))
            }
            position = number.position ?? -1
        }
        guard elements.indices.contains(position) else { return .constant(.null) }
        return try operand(elements[position])
    }

    /// The expression between brackets.
    func index(_ expression: ObjectExpression) throws(FetchError) -> Operand {
        let operand = try operand(expression)
        guard operand.kind == .number || operand.isNull else {
            throw .invalidArguments(function: "[]", expected: "a number, FIRST, LAST or SIZE")
        }
        return operand
    }

    private func choice(
        _ index: Operand, _ elements: [Operand]
    ) throws(FetchError) -> Operand {
        let kinds = elements.compactMap(\.kind)
        guard let first = kinds.first else { return .constant(.null) }
        guard kinds.allSatisfy({ first.isComparable(with: $0) }) else {
            throw .invalidArguments(
                function: "[]",
                expected: "list elements of one kind, because the index is computed")
        }
        return .choice(index, elements)
    }

    // MARK: - Functions

    private func function(
        _ name: String, _ arguments: [ObjectExpression]
    ) throws(FetchError) -> Operand {
        if let statistic = Operand.Statistic(rawValue: name) {
            return try self.statistic(statistic, arguments)
        }
        if Operand.SearchResult.names.contains(name) {
            return try searchResult(name, arguments)
        }
        switch (name, arguments.count) {
        case ("now", 0): return .now
        case ("castObject:toType:", 2): return try cast(arguments[0], to: arguments[1])
        case (ObjectExpression.kindTest, 2): return try kindTest(arguments[0], arguments[1])
        case ("noindex:", 1): return .hinted(try operand(arguments[0]), .noIndex)
        case ("indexed:by:", 2):
            guard case .constant(.string(let index)) = arguments[1] else {
                throw .invalidArguments(
                    function: name, expected: "a value and the name of an index")
            }
            return .hinted(try operand(arguments[0]), .index(index))
        case ("objectFrom:withIndex:", 2):
            return try operand(.element(arguments[0], .position(arguments[1])))
        default: throw .unsupported(feature: "The function '\(name)'")
        }
    }

    private func checked(
        _ function: Operand.Function, _ operands: [Operand]
    ) throws(FetchError) -> Operand {
        let kinds = function.argumentKinds
        let areFitting = zip(operands, kinds).allSatisfy { operand, kind in
            operand.kind?.isComparable(with: kind) ?? operand.isNull
        }
        guard operands.count == kinds.count, areFitting else {
            throw .invalidArguments(
                function: function.rawValue,
                expected: kinds.isEmpty
                    ? "no argument" : kinds.map(\.rawValue).joined(separator: " and "))
        }
        return .function(function, operands)
    }

    /// A statistic over a list, a to-many relationship, or the rows of a group.
    private func statistic(
        _ statistic: Operand.Statistic, _ arguments: [ObjectExpression]
    ) throws(FetchError) -> Operand {
        let name = statistic.rawValue
        guard let first = arguments.first else {
            throw .invalidArguments(function: name, expected: "one argument or more")
        }
        // `sum:(1, 2)` is `sum:({1, 2})`.
        if arguments.count > 1 { return try self.statistic(statistic, ofList: arguments) }
        if case .aggregate(let elements) = first {
            return try self.statistic(statistic, ofList: elements)
        }
        if let path = try keyPath(first), path.collection != nil {
            let summary = try summary(statistic, path, name: name)
            guard groupsRows, level == 0 else { return summary }
            return try statisticOfGroup(statistic, summary, path)
        }
        guard allowsAggregates else { throw .aggregateNotAllowedHere(name) }
        var inner = self
        inner.allowsAggregates = false
        inner.groupsRows = false
        let operand = try inner.operand(first)
        guard !statistic.needsNumbers || operand.kind == .number else {
            throw .invalidArguments(function: name, expected: "a number")
        }
        return .aggregate(statistic, operand)
    }

    /// A statistic over the members of all rows of a group, from those of each row.
    private func statisticOfGroup(
        _ statistic: Operand.Statistic, _ summary: Operand, _ path: ResolvedKeyPath
    ) throws(FetchError) -> Operand {
        let name = statistic.rawValue
        switch statistic {
        case .count, .sum: return .aggregate(.sum, summary)
        case .minimum, .maximum: return .aggregate(statistic, summary)
        case .average:
            let parts: [Operand.Statistic] = [.sum, .count]
            let sums = try parts.map { part throws(FetchError) in
                Operand.aggregate(.sum, try self.summary(part, path, name: name))
            }
            return .function(.divide, sums)
        case .median, .mode, .deviation:
            throw .unsupported(feature: "'\(name)' of a relationship of the rows of a group")
        }
    }

    private func statistic(
        _ statistic: Operand.Statistic, ofList elements: [ObjectExpression]
    ) throws(FetchError) -> Operand {
        let operands = try operands(elements)
        if statistic.needsNumbers, operands.contains(where: { $0.kind != .number }) {
            throw .invalidArguments(function: statistic.rawValue, expected: "numbers")
        }
        return .listSummary(statistic, operands)
    }

    /// Whether an object is of an entity or class, or of a descendant. Several entities may share
    /// the class.
    private func kindTest(
        _ object: ObjectExpression, _ type: ObjectExpression
    ) throws(FetchError) -> Operand {
        guard let path = try keyPath(object), path.collection == nil, let objects = path.objects,
            case .constant(.string(let name)) = type
        else {
            throw .invalidArguments(
                function: ObjectExpression.kindTest,
                expected: "an object and the name of a class or entity")
        }
        let named = model.entities.filter { entity in
            let objectClass = entity.description.managedObjectClass.map { "\($0)" }
            return entity.name == name || objectClass == name
        }
        guard !named.isEmpty else { throw .unknownEntity(name) }
        let names = Set(named.flatMap(\.familyIndexes)).sorted()
            .map { AttributeValue.string(model.entities[$0].name) }
        return .conditional(
            try CompiledPredicate(.isIn(.entityName(objects), names, orNull: false, [])),
            .constant(.boolean(true)), .constant(.boolean(false)))
    }

    private func cast(
        _ value: ObjectExpression, to type: ObjectExpression
    ) throws(FetchError) -> Operand {
        let kinds: [String: ValueKind] = [
            "NSNumber": .number, "NSDecimalNumber": .number, "NSDate": .date, "NSString": .string,
        ]
        let operand = try operand(value)
        func isConvertible(_ source: ValueKind, to kind: ValueKind) -> Bool {
            switch source {
            case .number: true
            case .date: kind != .string
            case .string: kind != .date
            default: false
            }
        }
        guard case .constant(.string(let name)) = type, let kind = kinds[name],
            operand.kind.map({ isConvertible($0, to: kind) }) ?? operand.isNull
        else {
            throw .invalidArguments(
                function: "CAST",
                expected: "a number, string or date and \"NSNumber\", \"NSString\" or \"NSDate\"")
        }
        return .cast(operand, kind)
    }

    // MARK: - Fetches

    func nestedFetch(_ request: FetchRequest) throws(FetchError) -> Condition.NestedFetch {
        guard let entity = model.entity(named: request.entityName) else {
            throw .unknownEntity(request.entityName)
        }
        guard request.propertiesToFetch.count <= 1 else {
            throw .invalidArguments(
                function: "FETCH", expected: "a request with at most one property to fetch")
        }
        return Condition.NestedFetch(
            request: request, entity: entity, property: request.propertiesToFetch.first)
    }
}
