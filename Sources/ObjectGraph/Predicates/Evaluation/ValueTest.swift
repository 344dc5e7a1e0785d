/// A test of an attribute of the object itself. Most predicates consist of these.
///
/// A class, so that reading the property does not copy it.
final class AttributeTest: Sendable {
    let property: Property
    let test: ValueTest

    init(property: Property, test: ValueTest) {
        self.property = property
        self.test = test
    }
}

/// A test of one value against known values.
enum ValueTest: Sendable {
    case isNull
    case isNotNull
    case compare(Condition.Relation, AttributeValue, ObjectPredicate.Options)
    case between(AttributeValue, AttributeValue)
    case isIn(SortedValues, orNull: Bool)
    case matches(StringMatcher)

    @inline(__always)
    func holds(for value: AttributeValue) -> Bool {
        switch self {
        case .isNull: value.isAbsent
        case .isNotNull: !value.isAbsent
        case .compare(let relation, let other, let options):
            if let order = value.order(to: other, options) {
                relation.holds(for: order)
            } else {
                // Only nil equals nil.
                relation == .notEqual && value.isAbsent != other.isAbsent
                    || relation == .equal && value.isAbsent && other.isAbsent
            }
        case .between(let least, let greatest):
            (value.order(to: least).map { $0 >= 0 } ?? false)
                && (value.order(to: greatest).map { $0 <= 0 } ?? false)
        case .isIn(let values, let orNull):
            value.isAbsent ? orNull : values.contains(value)
        case .matches(let matcher):
            switch value {
            case .string(let text): matcher.matches(text)
            case .uri(let url): matcher.matches(url.absoluteString)
            default: false
            }
        }
    }
}

/// The values of an IN, for binary search.
struct SortedValues: Sendable {
    private let values: [AttributeValue]
    private let options: ObjectPredicate.Options

    /// Without NaN, which cannot be ordered and equals nothing.
    init(_ values: [AttributeValue], _ options: ObjectPredicate.Options) {
        self.values = values.filter { $0.double?.isNaN != true }
            .sorted { ($0.order(to: $1, options) ?? 0) < 0 }
        self.options = options
    }

    func contains(_ value: AttributeValue) -> Bool {
        var candidates = values[...]
        while !candidates.isEmpty {
            let middle = candidates.startIndex + candidates.count / 2
            guard let order = value.order(to: candidates[middle], options) else { return false }
            if order == 0 { return true }
            candidates = order < 0 ? candidates[..<middle] : candidates[(middle + 1)...]
        }
        return false
    }
}

extension AttributeValue {
    /// Checks only the case, while `isNull` compares whole values.
    @inline(__always)
    fileprivate var isAbsent: Bool {
        if case .null = self { true } else { false }
    }

    @inline(__always)
    func order(to other: AttributeValue, _ options: ObjectPredicate.Options) -> Int? {
        if options.isEmpty { return order(to: other) }
        guard let left = string, let right = other.string else { return nil }
        return left.withUTF8Bytes { left in
            right.withUTF8Bytes { StringComparison.folded(left, $0, options) }
        }
    }
}
