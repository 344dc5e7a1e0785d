// How deep terms and expressions may be within each other. The stack of SQLite's parser has 100
// entries. A parser stack entry counts 3; a level without one counts 1. The rest of the statement
// needs at most 17 entries. The same limit keeps recursion in memory far from the end of a thread's
// stack.

extension ObjectPredicate {
    /// The greatest depth of a predicate, in SQL and in memory: what is on the way to its innermost term, added up.
    ///
    /// NOT counts 6, AND and OR 9, and 9 more each time that the number of their parts doubles beyond
    /// 32. A comparison counts 6, one of strings 18, ANY and ALL 33, IN and CONTAINS of a relationship
    /// 39, SUBQUERY 30, TERNARY 15, a function 15, an operator of arithmetic 9, or 1 to 3 on its left
    /// side, and a key path within them 3. A test of the class counts 45, a computed index 18, a fetch
    /// 60, and anything else 1.
    public static let maximumDepth = 250

    /// Whether there are so many levels, each counted as 1, that the predicate is neither printed nor rewritten.
    var hasTooManyLevels: Bool { !fits(Self.maximumDepth, .level) }

    /// - Throws: `FetchError.tooDeep`.
    func checkDepth() throws(FetchError) {
        guard fits(Self.maximumDepth, .entry) else { throw .tooDeep(limit: Self.maximumDepth) }
    }

    /// Whether the predicate is no deeper than that; looks at no more of it.
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

    /// How often many terms are halved until SQLite is given them beside each other.
    private static func halvings(_ count: Int) -> Int {
        var (count, halvings) = (count, 0)
        while count > longestChain {
            count = (count + 1) / 2
            halvings += 1
        }
        return halvings
    }

    /// As many terms as SQL gets beside each other.
    static let longestChain = 32
}

extension ObjectPredicate.Comparison {
    fileprivate func fits(_ depth: Int, _ measure: DepthMeasure) -> Bool {
        var (onLeft, onRight): (Int, Int) =
            switch `operator` {
            case .in: (39, 15)
            case .contains: (18, 39)
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
        // A CASE whose condition is an entity name, which is a CASE itself.
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
    /// Whether all that a SELECT within another one says is no deeper than that.
    fileprivate func fits(_ depth: Int, _ measure: DepthMeasure) -> Bool {
        depth > 0 && predicate?.fits(depth, measure) != false
            && havingPredicate?.fits(depth, measure) != false
            && sortKeys.allSatisfy { $0.expression.fits(depth, measure) }
            && propertiesToFetch.allSatisfy { $0.expression.fits(depth, measure) }
    }
}

/// What is added up on the way to the innermost term.
private enum DepthMeasure {
    /// Each level as 1.
    case level
    /// The entries of the stack of SQLite's parser that a level takes.
    case entry
    /// The same within a function or operator, in which a decimal or a date is made a real number.
    case entryInComputation

    func cost(_ entries: Int) -> Int { self == .level ? 1 : entries }

    var costOfKeyPath: Int { self == .entryInComputation ? 3 : 0 }
    var inComputation: Self { self == .level ? .level : .entryInComputation }
    var inCondition: Self { self == .level ? .level : .entry }
}

extension String {
    /// Whether a key path ends with something that takes a SELECT or CASE of its own.
    fileprivate var asksMore: Bool {
        utf8.contains(UInt8(ascii: "@")) || hasSuffix("entity") || hasSuffix("entity.name")
    }

    fileprivate var chainRank: Int? { Operand.Function(rawValue: self)?.chainRank }
}
