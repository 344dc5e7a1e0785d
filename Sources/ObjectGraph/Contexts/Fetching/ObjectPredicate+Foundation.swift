import Foundation

/// A class of objects whose properties can be used in Foundation's `#Predicate`.
///
/// Swift has no names for computed properties at run time, so the class has to say which property a
/// key path is.
public protocol PredicateProperties: ManagedObject {
    /// The names of the entity's properties by the key paths of the class, as in
    /// `[\Flight.distance: "distance"]`.
    static var propertyNames: [AnyKeyPath: String] { get }
}

/// A part of Foundation's predicate that has no counterpart here.
public struct PredicateConversionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The type of the part or its key path.
    public let part: String

    public var description: String {
        "\(part) cannot be converted to a predicate on objects; add the key path to propertyNames, or write the predicate as a format."
    }
}

extension ObjectPredicate {
    /// Converts Foundation's predicate on objects of a class.
    ///
    ///     try ObjectPredicate(
    ///         #Predicate<Flight> { $0.distance > 1000 && $0.airline?.name == "United" })
    ///
    /// Comparisons, logic, arithmetic, `contains`, `starts(with:)`, ranges, `??`, `?.`, `?:`,
    /// `count` and `isEmpty` are accepted, and `contains(where:)`, `allSatisfy` and `filter` on
    /// to-many relationships.
    /// - Throws: `PredicateConversionError` for anything else.
    public init<Object: PredicateProperties>(_ predicate: Foundation.Predicate<Object>) throws {
        var conversion = PredicateConversion()
        conversion.meanings[predicate.variable.key] = .evaluatedObject
        self = try conversion.predicate(predicate.expression)
    }
}

/// The meanings of a predicate's variables, while it is converted.
private struct PredicateConversion {
    enum Part {
        case predicate(ObjectPredicate)
        case expression(ObjectExpression)
    }

    var meanings: [PredicateExpressions.VariableID: ObjectExpression] = [:]
    private var variableCount = 0

    func part(_ expression: Any) throws -> Part {
        guard let convertible = expression as? any PredicateConvertible else {
            throw PredicateConversionError(part: "\(type(of: expression))")
        }
        return try convertible.part(self)
    }

    /// Converts a Boolean value to a predicate where a predicate is needed; `value` does the
    /// reverse.
    func predicate(_ expression: Any) throws -> ObjectPredicate {
        switch try part(expression) {
        case .predicate(let predicate): return predicate
        case .expression(.constant(.boolean(let value))): return .value(value)
        case .expression(let value):
            return .comparison(.init(value, .equal, .constant(.boolean(true))))
        }
    }

    func value(_ expression: Any) throws -> ObjectExpression {
        switch try part(expression) {
        case .expression(let value): value
        case .predicate(let predicate):
            .conditional(predicate, .constant(.boolean(true)), .constant(.boolean(false)))
        }
    }

    /// `SUBQUERY` over the sequence, with the test for its elements.
    func subquery(
        _ sequence: Any, _ variable: PredicateExpressions.VariableID, _ test: Any
    ) throws -> ObjectExpression {
        var inner = self
        inner.variableCount += 1
        let name = "v\(inner.variableCount)"
        inner.meanings[variable] = .variable(name)
        return .subquery(try value(sequence), variable: name, try inner.predicate(test))
    }

    func comparison(
        _ left: Any, _ operation: ObjectPredicate.Operator, _ right: Any,
        options: ObjectPredicate.Options = []
    ) throws -> Part {
        .predicate(
            .comparison(.init(try value(left), operation, try value(right), options: options)))
    }

    func function(_ name: String, _ arguments: Any...) throws -> Part {
        .expression(.function(name, try arguments.map(value)))
    }
}

extension ObjectExpression {
    /// Appends a key to the path that the expression is, or begins a path at its value.
    fileprivate func appending(_ key: String) -> ObjectExpression {
        switch self {
        case .evaluatedObject: .keyPath(key)
        case .keyPath(let path): .keyPath(path + "." + key)
        case .variable(let name): .variable(name + "." + key)
        default: .path(self, key)
        }
    }
}

private protocol PredicateConvertible {
    func part(_ conversion: PredicateConversion) throws -> PredicateConversion.Part
}

// MARK: - Values and paths

extension PredicateExpressions.Variable: PredicateConvertible {
    fileprivate func part(_ conversion: PredicateConversion) throws -> PredicateConversion.Part {
        guard let meaning = conversion.meanings[key] else {
            throw PredicateConversionError(part: "\(Self.self)")
        }
        return .expression(meaning)
    }
}

extension PredicateExpressions.KeyPath: PredicateConvertible {
    fileprivate func part(_ conversion: PredicateConversion) throws -> PredicateConversion.Part {
        let base = try conversion.value(root)
        if let owner = Root.Output.self as? any PredicateProperties.Type,
            let name = owner.propertyNames[keyPath]
        {
            return .expression(base.appending(name))
        }
        let isText = Root.Output.self == String.self
        let count =
            isText ? ObjectExpression.function("length:", [base]) : base.appending("@count")
        switch kind {
        case .collectionCount: return .expression(count)
        case .collectionIsEmpty:
            return .predicate(.comparison(.init(count, .equal, .constant(.integer(0)))))
        default: throw PredicateConversionError(part: "\(keyPath)")
        }
    }
}

extension PredicateExpressions.Value: PredicateConvertible {
    fileprivate func part(_ conversion: PredicateConversion) throws -> PredicateConversion.Part {
        guard let content = unwrapped(value) else { return .expression(.constant(.null)) }
        guard let argument = content as? any PredicateArgument else {
            throw PredicateConversionError(part: "\(Output.self)")
        }
        return .expression(argument.predicateExpression)
    }
}

private protocol OptionalContent { var content: Any? { get } }
extension Optional: OptionalContent {
    fileprivate var content: Any? { self.map { $0 } }
}

/// The value within any number of optionals; nil if one of them is.
private func unwrapped(_ value: Any) -> Any? {
    guard let optional = value as? any OptionalContent else { return value }
    return optional.content.flatMap(unwrapped)
}

extension PredicateExpressions.NilLiteral: PredicateConvertible {
    fileprivate func part(_ conversion: PredicateConversion) throws -> PredicateConversion.Part {
        .expression(.constant(.null))
    }
}

extension PredicateExpressions.OptionalFlatMap: PredicateConvertible {
    fileprivate func part(_ conversion: PredicateConversion) throws -> PredicateConversion.Part {
        var inner = conversion
        inner.meanings[variable.key] = try conversion.value(wrapped)
        return try inner.part(transform)
    }
}

extension PredicateExpressions.ForcedUnwrap: PredicateConvertible {
    fileprivate func part(_ conversion: PredicateConversion) throws -> PredicateConversion.Part {
        try conversion.part(inner)
    }
}

extension PredicateExpressions.NilCoalesce: PredicateConvertible {
    fileprivate func part(_ conversion: PredicateConversion) throws -> PredicateConversion.Part {
        let value = try conversion.value(lhs)
        let isNil = ObjectPredicate.comparison(.init(value, .equal, .constant(.null)))
        return .expression(.conditional(isNil, try conversion.value(rhs), value))
    }
}

extension PredicateExpressions.Conditional: PredicateConvertible {
    fileprivate func part(_ conversion: PredicateConversion) throws -> PredicateConversion.Part {
        .expression(
            .conditional(
                try conversion.predicate(test), try conversion.value(trueBranch),
                try conversion.value(falseBranch)))
    }
}

// MARK: - Logic and comparisons

extension PredicateExpressions.Conjunction: PredicateConvertible {
    fileprivate func part(_ conversion: PredicateConversion) throws -> PredicateConversion.Part {
        .predicate(.and([try conversion.predicate(lhs), try conversion.predicate(rhs)]))
    }
}

extension PredicateExpressions.Disjunction: PredicateConvertible {
    fileprivate func part(_ conversion: PredicateConversion) throws -> PredicateConversion.Part {
        .predicate(.or([try conversion.predicate(lhs), try conversion.predicate(rhs)]))
    }
}

extension PredicateExpressions.Negation: PredicateConvertible {
    fileprivate func part(_ conversion: PredicateConversion) throws -> PredicateConversion.Part {
        .predicate(.not(try conversion.predicate(wrapped)))
    }
}

extension PredicateExpressions.Equal: PredicateConvertible {
    fileprivate func part(_ conversion: PredicateConversion) throws -> PredicateConversion.Part {
        try conversion.comparison(lhs, .equal, rhs)
    }
}

extension PredicateExpressions.NotEqual: PredicateConvertible {
    fileprivate func part(_ conversion: PredicateConversion) throws -> PredicateConversion.Part {
        try conversion.comparison(lhs, .notEqual, rhs)
    }
}

extension PredicateExpressions.Comparison: PredicateConvertible {
    fileprivate func part(_ conversion: PredicateConversion) throws -> PredicateConversion.Part {
        let operation: ObjectPredicate.Operator =
            switch op {
            case .lessThan: .lessThan
            case .lessThanOrEqual: .lessThanOrEqual
            case .greaterThan: .greaterThan
            case .greaterThanOrEqual: .greaterThanOrEqual
            @unknown default: throw PredicateConversionError(part: "\(op)")
            }
        return try conversion.comparison(lhs, operation, rhs)
    }
}

extension PredicateExpressions.ClosedRange: PredicateConvertible {
    fileprivate func part(_ conversion: PredicateConversion) throws -> PredicateConversion.Part {
        .expression(.aggregate([try conversion.value(lower), try conversion.value(upper)]))
    }
}

extension PredicateExpressions.RangeExpressionContains: PredicateConvertible {
    fileprivate func part(_ conversion: PredicateConversion) throws -> PredicateConversion.Part {
        if let range = range as? any PredicateConvertible,
            case .expression(.aggregate(let bounds)) = try range.part(conversion)
        {
            let value = try conversion.value(element)
            return .predicate(.comparison(.init(value, .between, .aggregate(bounds))))
        }
        throw PredicateConversionError(part: "\(RangeExpression.self)")
    }
}

// MARK: - Arithmetic

extension PredicateExpressions.Arithmetic: PredicateConvertible {
    fileprivate func part(_ conversion: PredicateConversion) throws -> PredicateConversion.Part {
        switch op {
        case .add: try conversion.function("add:to:", lhs, rhs)
        case .subtract: try conversion.function("from:subtract:", lhs, rhs)
        case .multiply: try conversion.function("multiply:by:", lhs, rhs)
        @unknown default: throw PredicateConversionError(part: "\(op)")
        }
    }
}

extension PredicateExpressions.FloatDivision: PredicateConvertible {
    fileprivate func part(_ conversion: PredicateConversion) throws -> PredicateConversion.Part {
        try conversion.function("divide:by:", lhs, rhs)
    }
}

extension PredicateExpressions.IntDivision: PredicateConvertible {
    fileprivate func part(_ conversion: PredicateConversion) throws -> PredicateConversion.Part {
        try conversion.function("divide:by:", lhs, rhs)
    }
}

extension PredicateExpressions.IntRemainder: PredicateConvertible {
    fileprivate func part(_ conversion: PredicateConversion) throws -> PredicateConversion.Part {
        try conversion.function("modulus:by:", lhs, rhs)
    }
}

extension PredicateExpressions.UnaryMinus: PredicateConvertible {
    fileprivate func part(_ conversion: PredicateConversion) throws -> PredicateConversion.Part {
        .expression(
            .function("from:subtract:", [.constant(.integer(0)), try conversion.value(wrapped)]))
    }
}

// MARK: - Strings and collections

extension PredicateExpressions.SequenceContains: PredicateConvertible {
    fileprivate func part(_ conversion: PredicateConversion) throws -> PredicateConversion.Part {
        try conversion.comparison(element, .in, sequence)
    }
}

extension PredicateExpressions.CollectionContainsCollection: PredicateConvertible {
    fileprivate func part(_ conversion: PredicateConversion) throws -> PredicateConversion.Part {
        try conversion.comparison(base, .contains, other)
    }
}

extension PredicateExpressions.SequenceStartsWith: PredicateConvertible {
    fileprivate func part(_ conversion: PredicateConversion) throws -> PredicateConversion.Part {
        try conversion.comparison(base, .beginsWith, prefix)
    }
}

extension PredicateExpressions.SequenceContainsWhere: PredicateConvertible {
    fileprivate func part(_ conversion: PredicateConversion) throws -> PredicateConversion.Part {
        let found = try conversion.subquery(sequence, variable.key, test)
        return .predicate(
            .comparison(.init(.path(found, "@count"), .greaterThan, .constant(.integer(0)))))
    }
}

extension PredicateExpressions.SequenceAllSatisfy: PredicateConvertible {
    fileprivate func part(_ conversion: PredicateConversion) throws -> PredicateConversion.Part {
        guard
            case .subquery(let sequence, let variable, let predicate) = try conversion.subquery(
                sequence, variable.key, test)
        else { throw PredicateConversionError(part: "\(Self.self)") }
        let others = ObjectExpression.subquery(sequence, variable: variable, .not(predicate))
        return .predicate(
            .comparison(.init(.path(others, "@count"), .equal, .constant(.integer(0)))))
    }
}

extension PredicateExpressions.Filter: PredicateConvertible {
    fileprivate func part(_ conversion: PredicateConversion) throws -> PredicateConversion.Part {
        .expression(try conversion.subquery(sequence, variable.key, filter))
    }
}
