// The limit of nesting. The stack of SQLite's parser has 100 entries, and each entry counts 3 here.
// A level without an entry counts 1. The rest of the statement needs at most 17 entries. The same
// limit keeps recursion in memory far from the end of a thread's stack.

extension ObjectPredicate {
    /// The maximum depth of a predicate, in SQL and in memory: the sum of the costs on the path to
    /// its innermost term.
    ///
    /// - NOT costs 6. AND and OR cost 9, and 9 more each time the number of parts doubles beyond
    ///   32.
    /// - A comparison costs 6, a comparison of strings 18, ANY and ALL 33, and IN and CONTAINS of a
    ///   relationship 39.
    /// - SUBQUERY costs 30, TERNARY 15, a fetch 60, and a test of the class 45.
    /// - A function costs 15. An operator of arithmetic costs 9, or 1 to 3 on its left side. A key
    ///   path within them costs 3.
    /// - A computed index costs 18, and anything else 1.
    ///
    /// A deeper one is refused with `FetchError.tooDeep` where it is used. Swift itself releases such
    /// a tree level by level on the stack, so some ten thousand levels end the program. `&&` and `||`
    /// add no levels.
    public static let maximumDepth = 250

    /// Whether the predicate has too many levels to be printed or rewritten. Each level counts as
    /// 1.
    var hasTooManyLevels: Bool { !fits(Self.maximumDepth, .level) }

    /// - Throws: `FetchError.tooDeep`.
    func checkDepth() throws(FetchError) {
        guard fits(Self.maximumDepth, .entry) else { throw .tooDeep(limit: Self.maximumDepth) }
    }

    /// Whether the predicate is at most this deep. Stops at the limit.
    fileprivate func fits(_ depth: Int, _ measure: DepthMeasure) -> Bool {
        guard depth > 0 else { return false }
        switch self {
        case .value, .block: return true
        case .and(let parts), .or(let parts):
            let inner = measure.cost(parts.count > 1 ? 9 * (1 + Self.halvings(parts.count)) : 1)
            return parts.allSatisfy { $0.fits(depth - inner, measure) }
        case .not(let part): return part.fits(depth - measure.cost(6), measure)
        case .comparison(let comparison): return comparison.fits(depth, measure.inCondition)
        }
    }

    /// How often a list of terms is halved until SQLite gets the terms side by side.
    private static func halvings(_ count: Int) -> Int {
        var (count, halvings) = (count, 0)
        while count > longestChain {
            count = (count + 1) / 2
            halvings += 1
        }
        return halvings
    }

    /// The most terms that SQL gets side by side.
    static let longestChain = 32
}

extension ObjectPredicate.Comparison {
    fileprivate func fits(_ depth: Int, _ measure: DepthMeasure) -> Bool {
        var (onLeft, onRight): (Int, Int) =
            switch `operator` {
            case .in: (39, 15)
            case .contains: (18, 39)
            case .search: (39, 18)
            case .beginsWith, .endsWith, .like, .matches: (18, 18)
            case .between: (1, 12)
            default: options.isEmpty ? (1, 6) : (18, 18)
            }
        if modifier != .direct { (onLeft, onRight) = (onLeft + 33, onRight + 33) }
        return left.fits(depth - measure.cost(onLeft), measure)
            && right.fits(depth - measure.cost(onRight), measure)
    }
}

extension ObjectExpression {
    var hasTooManyLevels: Bool { !fits(ObjectPredicate.maximumDepth, .level) }

    /// - Throws: `FetchError.tooDeep`.
    func checkDepth() throws(FetchError) {
        let limit = ObjectPredicate.maximumDepth
        guard fits(limit, .entry) else { throw .tooDeep(limit: limit) }
    }

    fileprivate func fits(_ depth: Int, _ measure: DepthMeasure) -> Bool {
        guard depth > 0 else { return false }
        switch self {
        case .constant, .evaluatedObject: return true
        case .keyPath(let path), .variable(let path):
            return depth > (path.asksMore ? measure.cost(30) - 1 : measure.costOfKeyPath)
        case .aggregate(let elements):
            return elements.allSatisfy { $0.fits(depth - measure.cost(1), measure) }
        case .function(let name, let arguments):
            return Self.fits(name, arguments, depth, measure.inComputation)
        case .path(let base, _): return base.fits(depth - measure.cost(1), measure)
        case .element(let base, let index):
            guard case .position(let position) = index else {
                return base.fits(depth - measure.cost(18), measure)
            }
            return base.fits(depth - measure.cost(18), measure)
                && position.fits(depth - measure.cost(3), measure)
        case .subquery(let collection, _, let predicate):
            return collection.fits(depth - measure.cost(1), measure)
                && predicate.fits(depth - measure.cost(30), measure)
        case .conditional(let predicate, let first, let second):
            return predicate.fits(depth - measure.cost(9), measure)
                && first.fits(depth - measure.cost(15), measure)
                && second.fits(depth - measure.cost(15), measure)
        case .combined(let first, _, let second):
            return first.fits(depth - measure.cost(15), measure)
                && second.fits(depth - measure.cost(15), measure)
        case .fetch(let request, _): return request.fits(depth - measure.cost(60), measure)
        }
    }

    private static func fits(
        _ name: String, _ arguments: [ObjectExpression], _ depth: Int, _ measure: DepthMeasure
    ) -> Bool {
        guard let first = arguments.first else { return true }
        let others = arguments.dropFirst()
        if let rank = name.chainRank {
            let isChained =
                if case .function(let inner, _) = first { inner.chainRank == rank } else { false }
            return first.fits(depth - measure.cost(isChained ? 1 : 3), measure)
                && others.allSatisfy { $0.fits(depth - measure.cost(9), measure) }
        }
        if name == "noindex:" { return first.fits(depth - measure.cost(3), measure) }
        // A CASE whose condition is an entity name, which is itself a CASE.
        if name == kindTest { return first.fits(depth - measure.cost(45), measure) }
        if Operand.Statistic(rawValue: name) != nil, arguments.count == 1 {
            let isList = if case .aggregate = first { true } else { false }
            return first.fits(depth - measure.cost(isList ? 15 : 30), measure)
        }
        return first.fits(depth - measure.cost(9), measure)
            && others.allSatisfy { $0.fits(depth - measure.cost(15), measure) }
    }
}

extension FetchRequest {
    /// Whether all parts of a nested SELECT are at most this deep.
    fileprivate func fits(_ depth: Int, _ measure: DepthMeasure) -> Bool {
        depth > 0 && predicate?.fits(depth, measure) != false
            && havingPredicate?.fits(depth, measure) != false
            && sortKeys.allSatisfy { $0.expression.fits(depth, measure) }
            && propertiesToFetch.allSatisfy { $0.expression.fits(depth, measure) }
    }
}

/// The unit that is added up on the path to the innermost term.
private enum DepthMeasure {
    /// Each level counts 1.
    case level
    /// The stack entries of SQLite's parser that a level takes.
    case entry
    /// The same within a function or operator, which converts a decimal or a date to a real number.
    case entryInComputation

    func cost(_ entries: Int) -> Int { self == .level ? 1 : entries }

    var costOfKeyPath: Int { self == .entryInComputation ? 3 : 0 }
    var inComputation: Self { self == .level ? .level : .entryInComputation }
    var inCondition: Self { self == .level ? .level : .entry }
}

extension String {
    /// Whether the key path ends with a key that takes its own SELECT or CASE.
    fileprivate var asksMore: Bool {
        utf8.contains(UInt8(ascii: "@")) || hasSuffix("entity") || hasSuffix("entity.name")
    }

    fileprivate var chainRank: Int? { Operand.Function(rawValue: self)?.chainRank }
}
