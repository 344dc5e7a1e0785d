/// A condition on the values of an attribute, with the message or code for a violation (spec
/// §1.12).
///
///     AttributeDescription(
///         "title", .string,
///         validationRules: [
///             ValidationRule("length >= 3", .code(1670)),
///             ValidationRule("NOT SELF CONTAINS '\n'", .message("One line, please.")),
///         ])
public struct ValidationRule: Sendable {
    /// The message or code that reports a violation.
    public enum Warning: Sendable, Hashable {
        /// A message, reported with the code 1550.
        case message(String)
        /// A code, such as 1620 for a number that is too small (spec §5.6).
        case code(Int)
    }

    /// The condition as text. `SELF` is the value, and `length` the number of characters of a
    /// string.
    public let predicateFormat: String
    public let warning: Warning

    struct Test: Sendable {
        let holds: @Sendable (AttributeValue) -> Bool

        /// The integers for which it holds, if these are a range; otherwise nil.
        let integers: ClosedRange<Int64>?
    }

    /// Compiles the condition for values of a type; throws if it does not apply to them.
    let compile: @Sendable (AttributeType) throws -> Test

    init(
        predicateFormat: String, warning: Warning,
        compile: @escaping @Sendable (AttributeType) throws -> Test
    ) {
        self.predicateFormat = predicateFormat
        self.warning = warning
        self.compile = compile
    }
}

extension ValidationRule: Hashable {
    public static func == (first: ValidationRule, second: ValidationRule) -> Bool {
        first.predicateFormat == second.predicateFormat && first.warning == second.warning
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(predicateFormat)
        hasher.combine(warning)
    }
}

/// Data that few attributes have: compiled conditions on their values, and a transformer.
final class AttributeRules: Sendable {
    let transformer: ValueTransformer?
    private let rules: [ValidationRule]
    // Apart from the rules: a copy of a rule counts five references.
    private let tests: [ValidationRule.Test]

    /// The integers that break no rule, if these are a range; otherwise nil.
    private let validIntegers: ClosedRange<Int64>?

    /// - Throws: `ModelError.Reason` if a condition does not apply to values of the attribute.
    init(_ attribute: AttributeDescription) throws(ModelError.Reason) {
        transformer = attribute.effectiveTransformer
        rules = attribute.validationRules
        var tests: [ValidationRule.Test] = []
        for rule in rules {
            do {
                tests.append(try rule.compile(attribute.type))
            } catch {
                throw .invalidValidationRule(rule.predicateFormat, "\(error)")
            }
        }
        self.tests = tests
        validIntegers = .intersection(of: tests.map(\.integers))
    }

    /// The first rule that a value of the attribute breaks; nil if it breaks none.
    func ruleBroken(by value: AttributeValue) -> ValidationRule? {
        if case .integer(let number) = value, validIntegers?.contains(number) == true {
            return nil
        }
        return tests.firstIndex { !$0.holds(value) }.map { rules[$0] }
    }
}

extension ClosedRange<Int64> {
    /// The integers in all ranges; nil if there is none, or a range is missing.
    static func intersection(of ranges: [ClosedRange?]) -> ClosedRange? {
        var lower = Int64.min
        var upper = Int64.max
        for range in ranges {
            guard let range else { return nil }
            lower = Swift.max(lower, range.lowerBound)
            upper = Swift.min(upper, range.upperBound)
        }
        return lower <= upper ? lower...upper : nil
    }
}
