import Foundation

/// A value of an attribute of any type, for code that knows the type only at run time.
///
/// Used in batch requests, dictionary results, defaults, and constants in predicates. The integer
/// types share one case; their range is checked when a value is assigned to an attribute.
public enum AttributeValue: Sendable, Hashable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case double(Double)
    case decimal(Decimal)
    case string(String)
    case date(Date)
    case data(Data)
    case uuid(UUID)
    case uri(URL)
    case objectID(ManagedObjectID)
    case transformable(TransformableValue)
    /// The values of a composite attribute by the names of its elements. Elements without a value
    /// are left out, and a composite without values is `null`.
    case composite([String: AttributeValue])

    /// Whether the value is absent.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }
}

extension AttributeValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral
{
    public init(nilLiteral: ()) { self = .null }
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .double(value) }
    public init(stringLiteral value: String) { self = .string(value) }
}

extension AttributeValue {
    /// The integer value of an integer, of a Boolean or of a number without a fraction; nil for
    /// anything else.
    public var integer: Int64? {
        switch self {
        case .integer(let value): value
        case .boolean(let value): value ? 1 : 0
        case .double(let value): Int64(exactly: value)
        case .decimal(let value): Int64(exactly: NSDecimalNumber(decimal: value).doubleValue)
        default: nil
        }
    }

    /// The number in double precision. A date gives its seconds since 2001-01-01 UTC. Nil for
    /// anything else.
    public var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .boolean(let value): value ? 1 : 0
        case .double(let value): value
        case .decimal(let value): value.nearestDouble
        case .date(let value): value.timeIntervalSinceReferenceDate
        default: nil
        }
    }

    /// Whether a store returns the value as it was written. SQLite turns NaN into NULL. A
    /// transformer may have failed.
    var isStorable: Bool {
        switch self {
        case .double(let value): !value.isNaN
        case .date(let value): !value.timeIntervalSinceReferenceDate.isNaN
        case .decimal(let value): value.isStorable
        case .transformable(let value): value.storedData != nil
        case .composite(let values): values.values.allSatisfy(\.isStorable)
        default: true
        }
    }

    /// The text of a string or URI; nil for anything else.
    public var string: String? {
        switch self {
        case .string(let value): value
        case .uri(let value): value.absoluteString
        default: nil
        }
    }

    /// The value converted to the given type, if nothing is lost.
    ///
    /// - Returns: nil if the type does not accept the value: it is of another kind, or out of the
    ///   range of the integer.
    func converted(to type: AttributeType) -> AttributeValue? {
        switch (type, self) {
        case (_, .null), (.undefined, _): self
        case (.boolean, .boolean): self
        case (.boolean, .integer(let value)): value == 0 || value == 1 ? .boolean(value == 1) : nil
        case (.integer16, _), (.integer32, _), (.integer64, _):
            switch self {
            case .integer, .boolean, .double, .decimal:
                integer.flatMap { type.integerRange!.contains($0) ? .integer($0) : nil }
            default: nil
            }
        case (.double, .double): self
        case (.double, .integer), (.double, .decimal), (.double, .boolean): .double(double!)
        case (.float, .double(let value)): .double(Double(Float(value)))
        case (.float, .integer), (.float, .decimal), (.float, .boolean):
            .double(Double(Float(double!)))
        case (.decimal, .decimal): self
        case (.decimal, .integer(let value)): .decimal(Decimal(value))
        case (.decimal, .double(let value)): Decimal(shortest: value).map { .decimal($0) }
        case (.string, .string): self
        case (.date, .date): self
        case (.date, .double(let value)): .date(Date(timeIntervalSinceReferenceDate: value))
        case (.date, .integer(let value)):
            .date(Date(timeIntervalSinceReferenceDate: Double(value)))
        case (.binaryData, .data): self
        case (.uuid, .uuid): self
        case (.uri, .uri): self
        case (.uri, .string(let value)): URL(string: value).map { .uri($0) }
        case (.transformable, .transformable), (.objectID, .objectID): self
        default: nil
        }
    }
}

extension Decimal {
    /// Whether the value comes back from double precision.
    ///
    /// So does one that was made of a `Double`, as each literal in Swift is: 19.99 is
    /// 19.98999999999999488, whose last digits mean nothing.
    fileprivate var isStorable: Bool {
        if isNaN { return false }
        // Fast path: double precision keeps 15 digits, and these are far from the limits.
        if (-90...90).contains(exponent), significand.magnitude < Self.sixteenDigits { return true }
        let double = nearestDouble
        guard let shortest = Decimal(shortest: double) else { return false }
        return shortest == self || Decimal(double) == self
    }

    /// The smallest number of 16 digits.
    private static let sixteenDigits = Decimal(1_000_000_000_000_000 as Int64)

    /// The nearest double-precision value. Foundation's own conversion multiplies by powers of ten
    /// and rounds each time: on Linux it makes 23.419999999999998 of 23.42.
    fileprivate var nearestDouble: Double {
        Double("\(self)") ?? NSDecimalNumber(decimal: self).doubleValue
    }

    /// The decimal with the shortest digits that identify the double-precision value: 0.1 for 0.1.
    /// Nil beyond the range of decimals.
    init?(shortest value: Double) {
        guard value.isFinite, let decimal = Decimal(string: "\(value)"), !decimal.isNaN else {
            return nil
        }
        self = decimal
    }
}

extension AttributeValue {
    /// The value as text for a message. Foundation cannot describe a date that is NaN or very far
    /// away.
    var messageText: String {
        guard case .date(let date) = self else { return "\(self)" }
        let seconds = date.timeIntervalSinceReferenceDate
        return abs(seconds) < 1e11 ? "\(self)" : "date(\(seconds))"
    }
}
