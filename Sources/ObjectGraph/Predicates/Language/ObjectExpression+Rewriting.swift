// Predicates and expressions with some parts replaced.

extension ObjectExpression {
    /// The expression with some parts replaced, the outermost first. Replacements are not searched
    /// again.
    ///
    /// An expression with too many levels to be evaluated is returned unchanged.
    ///
    /// - Parameter change: Returns the replacement of a part, or nil to continue with its own
    ///   parts.
    func rewritten(_ change: (ObjectExpression) -> ObjectExpression?) -> ObjectExpression {
        hasTooManyLevels ? self : rewritingParts(change)
    }

    fileprivate func rewritingParts(
        _ change: (ObjectExpression) -> ObjectExpression?
    ) -> ObjectExpression {
        if let changed = change(self) { return changed }
        switch self {
        case .constant, .keyPath, .evaluatedObject, .variable: return self
        case .aggregate(let elements):
            return .aggregate(elements.map { $0.rewritingParts(change) })
        case .function(let name, let arguments):
            return .function(name, arguments.map { $0.rewritingParts(change) })
        case .path(let base, let path): return .path(base.rewritingParts(change), path)
        case .element(let base, let index):
            return .element(base.rewritingParts(change), index.rewritingParts(change))
        case .subquery(let collection, let variable, let predicate):
            return .subquery(
                collection.rewritingParts(change), variable: variable,
                predicate.rewritingParts(change))
        case .conditional(let predicate, let first, let second):
            return .conditional(
                predicate.rewritingParts(change), first.rewritingParts(change),
                second.rewritingParts(change))
        case .combined(let first, let operation, let second):
            return .combined(
                first.rewritingParts(change), operation, second.rewritingParts(change))
        case .fetch(var request, let countOnly):
            request.predicate = request.predicate?.rewritingParts(change)
            return .fetch(request, countOnly: countOnly)
        }
    }
}

extension ObjectExpression.ElementIndex {
    fileprivate func rewritingParts(
        _ change: (ObjectExpression) -> ObjectExpression?
    ) -> Self {
        if case .position(let position) = self {
            return .position(position.rewritingParts(change))
        }
        return self
    }
}

extension ObjectPredicate {
    /// The predicate with parts of its expressions replaced; see `ObjectExpression.rewritten`.
    func rewritten(_ change: (ObjectExpression) -> ObjectExpression?) -> ObjectPredicate {
        hasTooManyLevels ? self : rewritingParts(change)
    }

    fileprivate func rewritingParts(
        _ change: (ObjectExpression) -> ObjectExpression?
    ) -> ObjectPredicate {
        switch self {
        case .value, .block: return self
        case .and(let parts): return .and(parts.map { $0.rewritingParts(change) })
        case .or(let parts): return .or(parts.map { $0.rewritingParts(change) })
        case .not(let part): return .not(part.rewritingParts(change))
        case .comparison(var comparison):
            comparison.left = comparison.left.rewritingParts(change)
            comparison.right = comparison.right.rewritingParts(change)
            return .comparison(comparison)
        }
    }

    /// Visits every expression of the predicate, parents before their parts.
    func forEachExpression(_ body: (ObjectExpression) -> Void) {
        _ = rewritten {
            body($0)
            return nil
        }
    }
}

extension ObjectExpression {
    func forEachExpression(_ body: (ObjectExpression) -> Void) {
        _ = rewritten {
            body($0)
            return nil
        }
    }
}

// MARK: - Variables

extension ObjectPredicate {
    /// The predicate with each `$name` replaced by the value for that name.
    ///
    /// Some variables remain: those without a value, those that a SUBQUERY binds, and all variables
    /// of a predicate that is too deep to be evaluated.
    public func withSubstitutionVariables(
        _ values: [String: any PredicateArgument]
    ) -> ObjectPredicate {
        rewritten { $0.substitution(values) }
    }

    /// The names of the variables without a value, in their order, as often as they occur.
    public var variables: [String] {
        var names: [String] = []
        _ = rewritten { $0.collectVariables(into: &names) }
        return names
    }
}

extension ObjectExpression {
    /// The expression with each `$name` replaced by the value for that name; see `ObjectPredicate`.
    public func withSubstitutionVariables(
        _ values: [String: any PredicateArgument]
    ) -> ObjectExpression {
        rewritten { $0.substitution(values) }
    }

    fileprivate func substitution(_ values: [String: any PredicateArgument]) -> ObjectExpression? {
        switch self {
        case .variable(let name): return values[name]?.predicateExpression
        case .subquery(let collection, let variable, let predicate):
            let outer = values.filter { !$0.key.isVariable(variable) }
            return .subquery(
                collection.withSubstitutionVariables(values), variable: variable,
                predicate.withSubstitutionVariables(outer))
        default: return nil
        }
    }

    /// Adds the variables of the expression to a list. Returns the expression if its parts need no
    /// visit.
    fileprivate func collectVariables(into names: inout [String]) -> ObjectExpression? {
        switch self {
        case .variable(let name):
            names.append(name)
            return self
        case .subquery(let collection, let variable, let predicate):
            _ = collection.rewritten { $0.collectVariables(into: &names) }
            names += predicate.variables.filter { !$0.isVariable(variable) }
            return self
        default: return nil
        }
    }
}

extension String {
    /// Whether this is the variable, or a key path that starts at it.
    fileprivate func isVariable(_ name: String) -> Bool { self == name || hasPrefix(name + ".") }
}
