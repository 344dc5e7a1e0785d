import Foundation

extension ObjectPredicate {
    /// Reads a predicate format.
    ///
    ///     try ObjectPredicate("distance > %d AND airline.name BEGINSWITH[c] %@", 1000, "united")
    ///
    /// The placeholders are:
    ///
    /// - `%@`: any value, including nil;
    /// - `%K`: a key path;
    /// - `%d %i %u %x %ld %lu %lld`: an integer;
    /// - `%f %lf %g %e`: a number;
    /// - `%s %c`: a string;
    /// - `%K` and `%@` after a dot: further keys.
    ///
    /// In quotes nothing is replaced, except that `%%` is a percent sign. The escapes `\\`, `\"`,
    /// `\'`, `\n`, `\r`, `\t` and `\uXXXX` stand for their characters; a backslash before any other
    /// character stands for itself.
    ///
    /// A format may have 1,000,000 bytes, 25 nested terms in brackets and 100 operators of
    /// arithmetic. Source: spec §7.1.
    ///
    /// - Throws: `PredicateFormatError` with the column, what was expected there and what was
    ///   found.
    public init(
        _ format: String, _ arguments: (any PredicateArgument)?...
    ) throws(PredicateFormatError) {
        try self.init(format, arguments: arguments)
    }

    /// Reads a predicate format; see `init(_:_:)`.
    public init(
        _ format: String, arguments: [(any PredicateArgument)?]
    ) throws(PredicateFormatError) {
        self = try PredicateFormatCache.shared.predicate(format, arguments)
    }

    /// Reads a format that is read once, such as one in a model. It is not kept.
    init(readOnce format: String) throws(PredicateFormatError) {
        self = try PredicateParser.parse(format, []).predicate
    }

    /// The predicate as text. Parsing the text gives an equal predicate, except for these:
    ///
    /// - Object identifiers, transformable values, blocks and fetches print for people only.
    /// - A compound predicate with one part prints as that part; one without parts prints as its
    ///   value.
    /// - NaN prints as NULL.
    /// - A key must consist of letters, digits and underscores.
    /// - A predicate made in code may be nested more deeply than a format may be.
    /// - A predicate of more than `maximumDepth` levels prints as an ellipsis.
    public var predicateFormat: String {
        if hasTooManyLevels { return "…" }
        var format = ""
        append(to: &format)
        return format
    }

    func append(to format: inout String) {
        switch self {
        case .block: format += "BLOCKPREDICATE()"
        case .value(let value): format += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .comparison(let comparison): comparison.append(to: &format)
        case .not(let predicate):
            format += "NOT "
            predicate.append(to: &format, inParentheses: predicate.isCompound)
        case .and(let parts), .or(let parts):
            guard parts.count > 1 else {
                let isAnd = if case .and = self { true } else { false }
                return (parts.first ?? .value(isAnd)).append(to: &format)
            }
            appendParts(parts, to: &format)
        }
    }

    private func append(to format: inout String, inParentheses: Bool) {
        if inParentheses { format += "(" }
        append(to: &format)
        if inParentheses { format += ")" }
    }

    /// AND binds tighter than OR. A compound within one of the same kind keeps its parentheses, so
    /// that parsing keeps them separate.
    private func appendParts(_ parts: [ObjectPredicate], to format: inout String) {
        let isAnd = if case .and = self { true } else { false }
        for (position, part) in parts.enumerated() {
            if position > 0 { format += isAnd ? " AND " : " OR " }
            let isConjunction = if case .and = part { true } else { false }
            part.append(to: &format, inParentheses: part.isCompound && (isAnd || !isConjunction))
        }
    }

    private var isCompound: Bool {
        switch self {
        case .and(let parts), .or(let parts): parts.count > 1 || parts.first?.isCompound == true
        case .not, .comparison, .value, .block: false
        }
    }
}

extension ObjectPredicate: CustomStringConvertible {
    public var description: String { predicateFormat }
}

extension ObjectPredicate.Comparison {
    /// The comparison as text.
    public var predicateFormat: String { ObjectPredicate.comparison(self).predicateFormat }

    fileprivate func append(to format: inout String) {
        if case .function(ObjectExpression.kindTest, let sides) = left, sides.count == 2,
            self == .init(left, .equal, .constant(.boolean(true)))
        {
            sides[0].append(to: &format)
            format += " \(ObjectExpression.kindTest) "
            return sides[1].append(to: &format)
        }
        switch modifier {
        case .direct: break
        case .any: format += "ANY "
        case .all: format += "ALL "
        }
        left.append(to: &format)
        format += " \(`operator`.symbol)"
        if !options.isEmpty {
            let letters = ObjectPredicate.Options.letters.filter { options.contains($0.1) }
            format += "[\(String(letters.map(\.0)))]"
        }
        format += " "
        right.append(to: &format)
    }
}

extension ObjectPredicate.Operator {
    /// The canonical spelling.
    var symbol: String {
        switch self {
        case .lessThan: "<"
        case .lessThanOrEqual: "<="
        case .greaterThan: ">"
        case .greaterThanOrEqual: ">="
        case .equal: "=="
        case .notEqual: "!="
        case .matches: "MATCHES"
        case .like: "LIKE"
        case .beginsWith: "BEGINSWITH"
        case .endsWith: "ENDSWITH"
        case .in: "IN"
        case .contains: "CONTAINS"
        case .between: "BETWEEN"
        case .search: "SEARCH"
        }
    }
}
