extension ConditionResolver {
    func operand(_ expression: ObjectExpression) throws(FetchError) -> Operand {
        switch expression {
        case .constant(let value): return .constant(value)
        case .evaluatedObject: return .object(ObjectPath(.root, entityIndex: entity.index))
        case .variable(let name):
            guard let operand = variables[name] else { throw .unboundVariable(name) }
            return operand
        case .keyPath(let text):
            let path = try keyPath(text)
            guard let operand = path.operand, path.collection == nil else {
                throw .toManyKeyNotAllowedHere(text, entity: entity.name)
            }
            return operand
        case .aggregate:
            throw .invalidComparison(
                expression.predicateFormat,
                advice: "a list stands only on the right of IN and BETWEEN.")
        case .function(let name, let arguments): return try function(name, arguments)
        }
    }

    private func function(
        _ name: String, _ arguments: [ObjectExpression]
    ) throws(FetchError) -> Operand {
        if let aggregate = Operand.Aggregate(rawValue: name) {
            return try self.aggregate(aggregate, arguments)
        }
        guard let function = Operand.Function(rawValue: name) else {
            throw .unsupported(feature: "The function '\(name)'")
        }
        let kinds = function.argumentKinds
        var operands: [Operand] = []
        for argument in arguments { operands.append(try operand(argument)) }
        let areFitting = zip(operands, kinds).allSatisfy { operand, kind in
            operand.kind?.isComparable(with: kind) ?? false
        }
        guard operands.count == kinds.count, areFitting else {
            throw .invalidArguments(
                function: name, expected: kinds.map(\.rawValue).joined(separator: " and "))
        }
        return .function(function, operands)
    }

    private func aggregate(
        _ aggregate: Operand.Aggregate, _ arguments: [ObjectExpression]
    ) throws(FetchError) -> Operand {
        guard arguments.count == 1 else {
            throw .invalidArguments(function: aggregate.rawValue, expected: "one argument")
        }
        if aggregate == .count, case .keyPath(let text) = arguments[0] {
            let path = try keyPath(text)
            if let collection = path.collection, path.isCollectionItself {
                return .count(collection)
            }
        }
        guard allowsAggregates else { throw .aggregateNotAllowedHere(aggregate.rawValue) }
        var inner = self
        inner.allowsAggregates = false
        let operand = try inner.operand(arguments[0])
        let needsNumber = aggregate == .sum || aggregate == .average
        guard !needsNumber || operand.kind == .number else {
            throw .invalidArguments(function: aggregate.rawValue, expected: "a number")
        }
        return .aggregate(aggregate, operand)
    }
}
