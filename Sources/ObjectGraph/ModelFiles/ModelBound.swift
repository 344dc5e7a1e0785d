/// A condition on the values of an attribute that a model file can express, with Core Data's code
/// for its violation (spec §1.12).
enum ModelBound: Hashable {
    /// The least number or date.
    case minimum(AttributeValue)
    /// The greatest number or date.
    case maximum(AttributeValue)
    /// The least number of characters of a string.
    case minimumLength(Int)
    /// The greatest number of characters of a string.
    case maximumLength(Int)
    /// The regular expression that the whole string must match.
    case pattern(String)

    var rule: ValidationRule {
        let (comparison, code): (ObjectPredicate.Comparison, Int) =
            switch self {
            case .minimum(let value):
                (.init(.evaluatedObject, .greaterThanOrEqual, .constant(value)), minimumCode(value))
            case .maximum(let value):
                (.init(.evaluatedObject, .lessThanOrEqual, .constant(value)), maximumCode(value))
            case .minimumLength(let count):
                (.init(Self.length, .greaterThanOrEqual, .constant(.integer(Int64(count)))), 1670)
            case .maximumLength(let count):
                (.init(Self.length, .lessThanOrEqual, .constant(.integer(Int64(count)))), 1660)
            case .pattern(let text):
                (.init(.evaluatedObject, .matches, .constant(.string(text))), 1680)
            }
        return ValidationRule(.comparison(comparison), .code(code))
    }

    private static let length = ObjectExpression.keyPath("length")

    private func minimumCode(_ value: AttributeValue) -> Int {
        if case .date = value { 1640 } else { 1620 }
    }

    private func maximumCode(_ value: AttributeValue) -> Int {
        if case .date = value { 1630 } else { 1610 }
    }

    /// The bound that the rule expresses; nil if there is none.
    init?(_ rule: ValidationRule) {
        guard
            case .comparison(let comparison)? = try? ObjectPredicate(readOnce: rule.predicateFormat),
            case .constant(let value) = comparison.right
        else { return nil }
        let isLength = comparison.left == Self.length
        switch comparison.operator {
        case .greaterThanOrEqual:
            self = isLength ? .minimumLength(Int(value.integer ?? 0)) : .minimum(value)
        case .lessThanOrEqual:
            self = isLength ? .maximumLength(Int(value.integer ?? 0)) : .maximum(value)
        case .matches: self = .pattern(value.string ?? "")
        default: return nil
        }
        // The same text and code: nothing of the rule is lost.
        guard self.rule == rule else { return nil }
    }
}
