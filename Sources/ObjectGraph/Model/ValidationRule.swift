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

    typealias Test = @Sendable (AttributeValue) -> Bool

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
    let validations: [(rule: ValidationRule, test: ValidationRule.Test)]

    /// - Throws: `ModelError.Reason` if a condition does not apply to values of the attribute.
    init(_ attribute: AttributeDescription) throws(ModelError.Reason) {
        transformer = attribute.effectiveTransformer
        var validations: [(rule: ValidationRule, test: ValidationRule.Test)] = []
        for rule in attribute.validationRules {
            do {
                validations.append((rule, try rule.compile(attribute.type)))
            } catch {
                throw .invalidValidationRule(rule.predicateFormat, "\(error)")
            }
        }
        self.validations = validations
    }
}
