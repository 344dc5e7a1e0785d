/// The expression of a derived attribute (spec §1.4): how its value follows from other properties,
/// one relationship away at most.
///
/// The keys are those of the text; the check of a model (`ModelAssembly`) makes sure that they are
/// there.
enum Derivation: Sendable, Hashable {
    /// The time at which the row was last written.
    case now
    /// A copy of an attribute of the object, or of the object at the other end of a to-one
    /// relationship.
    case value(relationship: String?, attribute: String, Folding?)
    /// A number of the members of a to-many relationship. Only a count has no attribute.
    case summary(Summary, relationship: String, attribute: String?)

    /// The conversion of a copied text.
    enum Folding: String, Sendable, Hashable {
        case canonical, lowercase, uppercase
    }

    enum Summary: String, Sendable, Hashable {
        case count, sum, min, max
    }

    /// The expression in a text such as `books.@count`, `count:(books)`, `books.price.@sum`,
    /// `sum:(books.price)`, `author.name`, `canonical:(title)` or `now()`.
    ///
    /// - Returns: Nil for any other text.
    init?(_ text: String) {
        if text == "now()" {
            self = .now
        } else if let parts = text.partsOfCall {
            self.init(function: parts.function, keys: parts.argument.keys)
        } else {
            // `@sum` is before its attribute or after it.
            let operators = text.keys.dropFirst().filter { $0.first == "@" }
            let function = operators.first.map { String($0.dropFirst()) }
            guard function.flatMap(Folding.init) == nil, operators.count <= 1 else { return nil }
            self.init(function: function, keys: text.keys.filter { !operators.contains($0) })
        }
    }

    private init?(function: String?, keys: [String]) {
        guard let last = keys.last, keys.count <= 2, keys.allSatisfy(ModelAssembly.isName) else {
            return nil
        }
        let summary = function.flatMap(Summary.init)
        let folding = function.flatMap(Folding.init)
        switch (summary, keys.count) {
        case (.count?, 1): self = .summary(.count, relationship: last, attribute: nil)
        case (.count?, _): return nil
        case (let summary?, 2): self = .summary(summary, relationship: keys[0], attribute: last)
        case (nil, _) where function == nil || folding != nil:
            self = .value(relationship: keys.count == 2 ? keys[0] : nil, attribute: last, folding)
        default: return nil
        }
    }

    /// The first key of the expression, which is a relationship if another key follows.
    var relationship: String? {
        switch self {
        case .now: nil
        case .value(let relationship, _, _): relationship
        case .summary(_, let relationship, _): relationship
        }
    }

    var attribute: String? {
        switch self {
        case .now: nil
        case .value(_, let attribute, _): attribute
        case .summary(_, _, let attribute): attribute
        }
    }
}

extension Derivation: CustomStringConvertible {
    /// One of the texts for the expression, the same for all that mean it.
    var description: String {
        let keys = [relationship, attribute].compactMap(\.self).joined(separator: ".")
        return switch self {
        case .now: "now()"
        case .value(_, _, nil): keys
        case .value(_, _, let folding?): "\(folding.rawValue):(\(keys))"
        case .summary(let summary, _, _): "\(summary.rawValue):(\(keys))"
        }
    }
}

extension String {
    /// Of `sum:(books.price)`: `sum` and `books.price`.
    fileprivate var partsOfCall: (function: String, argument: String)? {
        guard let colon = firstIndex(of: ":"), last == ")" else { return nil }
        let rest = self[index(after: colon)...]
        guard rest.first == "(" else { return nil }
        return (String(self[..<colon]), String(rest.dropFirst().dropLast()))
    }

    fileprivate var keys: [String] {
        split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }
}
