/// A condition on the values of an attribute, and what is said when it does not hold (spec §1.12).
///
///     AttributeDescription(
///         "title", .string,
///         validationRules: [
///             ValidationRule(try ObjectPredicate("length >= 3"), .code(1670)),
///             ValidationRule(try ObjectPredicate("NOT SELF CONTAINS '\n'"), .message("One line, please.")),
///         ])
public struct ValidationRule: Sendable {
    /// What a broken rule is reported with.
    public enum Warning: Sendable, Hashable {
        /// A sentence, under the code 1550.
        case message(String)
        /// A code, such as 1620 for a number that is too small (spec §5.6).
        case code(Int)
    }

    /// The condition as text, with `SELF` for the value and `length` for the number of characters of a string.
    public let predicateFormat: String
    public let warning: Warning

    typealias Test = @Sendable (AttributeValue) -> Bool

    /// Makes the condition ready for values of a type; throws if it cannot be asked about them.
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

/// What a few attributes have beside their type: the conditions on their values, ready to be asked, and their transformer.
final class AttributeRules: Sendable {
    let transformer: ValueTransformer?
    let validations: [(rule: ValidationRule, test: ValidationRule.Test)]

    /// - Throws: `ModelError.Reason` if a condition cannot be asked about values of the attribute.
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
