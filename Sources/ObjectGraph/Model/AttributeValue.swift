import Foundation

/// A value of an attribute, of any type, for use where the type is known only at run time.
///
/// Dictionaries of batch requests and dictionary results, defaults, and constants in predicates are made of these. The
/// integer types share one case; their width is checked when a value is assigned to an attribute.
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
    /// The integer, also of a Boolean or of a number without fraction; nil for anything else.
    public var integer: Int64? {
        switch self {
        case .integer(let value): value
        case .boolean(let value): value ? 1 : 0
        case .double(let value): Int64(exactly: value)
        case .decimal(let value): Int64(exactly: NSDecimalNumber(decimal: value).doubleValue)
        default: nil
        }
    }

    /// The number as a double-precision value; dates count as seconds since 2001-01-01 UTC; nil for anything else.
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

    /// Whether a store gives the value back. SQLite turns NaN into NULL, and a decimal is stored in double precision, from
    /// which the greatest and the least do not come back. A transformer may have failed.
    var isStorable: Bool {
        switch self {
        case .double(let value): !value.isNaN
        case .date(let value): !value.timeIntervalSinceReferenceDate.isNaN
        case .decimal(let value):
            // With at most 38 digits these are far from all limits, and need not be written out.
            !value.isNaN
                && ((-90...90).contains(value.exponent) || Decimal(shortest: double!) != nil)
        case .transformable(let value): value.storedData != nil
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

    /// The value as one of the given type, converted where nothing is lost.
    ///
    /// - Returns: nil if the value is not acceptable to the type: of another kind, or out of the range of the integer.
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
    /// The double-precision value nearest to it. Foundation multiplies by powers of ten, which beyond 10²² are not exact.
    fileprivate var nearestDouble: Double {
        if !(-22...22).contains(exponent), let value = Double("\(self)") { return value }
        return NSDecimalNumber(decimal: self).doubleValue
    }

    /// The decimal with the digits that identify the double-precision value, 0.1 for 0.1; nil beyond the range of decimals.
    init?(shortest value: Double) {
        guard value.isFinite, let decimal = Decimal(string: "\(value)"), !decimal.isNaN else {
            return nil
        }
        self = decimal
    }
}

extension AttributeValue {
    /// The value in a message. Foundation cannot describe a date that is NaN or very far away.
    var messageText: String {
        guard case .date(let date) = self else { return "\(self)" }
        let seconds = date.timeIntervalSinceReferenceDate
        return abs(seconds) < 1e11 ? "\(self)" : "date(\(seconds))"
    }
}
