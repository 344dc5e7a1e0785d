extension ValidationRule {
    /// A rule given by a predicate. `SELF` is the value, and `length` the number of characters of a
    /// string.
    public init(_ predicate: ObjectPredicate, _ warning: Warning) {
        self.init(predicateFormat: predicate.predicateFormat, warning: warning) { type in
            try Self.test(predicate, of: type)
        }
    }

    /// A rule given by a predicate's format, which is parsed when the model is made.
    public init(_ format: String, _ warning: Warning) {
        self.init(predicateFormat: format, warning: warning) { type in
            try Self.test(ObjectPredicate(readOnce: format), of: type)
        }
    }

    private static func test(_ predicate: ObjectPredicate, of type: AttributeType) throws -> Test {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Value",
                attributes: [AttributeDescription(Self.key, type, isTransient: true)])
        ])
        let compiled = try CompiledPredicate(
            predicate.aboutValue, entity: model.entities[0], model: model, allowsBlocks: false)
        return Test(
            holds: { compiled.matches(ValueSubject(value: $0)) }, integers: predicate.integers)
    }

    fileprivate static let key = "value"
}

/// A single value, presented to a predicate as an object with this value as its only attribute.
private struct ValueSubject: PredicateSubject {
    let value: AttributeValue

    var objectID: ManagedObjectID {
        preconditionFailure("SELF stands for the value (see `aboutValue`), and blocks are refused.")
    }

    func value(of property: Property) -> AttributeValue { value }
    func destination(of property: Property) -> ValueSubject? { nil }
    func destinations(of property: Property) -> [ValueSubject] { [] }
}

extension ObjectPredicate {
    /// The integers that it lets through as `SELF`, if these are a range; otherwise nil.
    fileprivate var integers: ClosedRange<Int64>? {
        switch self {
        case .and(let parts): return .intersection(of: parts.map(\.integers))
        case .comparison(let comparison):
            guard comparison.left == .evaluatedObject, comparison.modifier == .direct,
                case .constant(.integer(let bound)) = comparison.right
            else { return nil }
            switch comparison.operator {
            case .greaterThanOrEqual: return bound ... .max
            case .lessThanOrEqual: return .min...bound
            case .greaterThan: return bound < .max ? (bound + 1) ... .max : nil
            case .lessThan: return bound > .min ? .min...(bound - 1) : nil
            case .equal: return bound...bound
            default: return nil
            }
        default: return nil
        }
    }

    fileprivate var aboutValue: ObjectPredicate {
        rewritten { part in
            switch part {
            case .evaluatedObject: .keyPath(ValidationRule.key)
            case .keyPath("length"): .function("length:", [.keyPath(ValidationRule.key)])
            // These keys do not exist: a value has no identity and no entity.
            case .keyPath(let path) where path.hasPrefix("objectID") || path.hasPrefix("entity"):
                .keyPath(ValidationRule.key + "." + path)
            default: nil
            }
        }
    }
}
