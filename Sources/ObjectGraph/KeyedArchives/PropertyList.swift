import Foundation

/// A string, number, Boolean, date, data, URL or UUID, or a collection of these.
///
/// It is the value of a transformable attribute without a named transformer.
///
///     let journey: PropertyList = ["title": "Home", "stops": ["Kraków", "Lviv"], "rating": 4.5]
public enum PropertyList: Hashable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    /// An integer above `Int64.max`; smaller ones are `integer`.
    case unsigned(UInt64)
    case real(Double)
    case string(String)
    case date(Date)
    case data(Data)
    case url(URL)
    case uuid(UUID)
    case array([PropertyList])
    case set(Set<PropertyList>)
    case dictionary([String: PropertyList])

    /// The maximum number of nested collections, including the outermost.
    static let maximumDepth = 250

    /// The property list of a Swift value.
    ///
    /// Accepts `Bool`, integers of up to 64 bits, `Double`, `Float`, `String`, `Date`, `Data`,
    /// `URL`, `UUID`, `PropertyList`, optionals of these, `NSNumber` and `NSNull`. Also accepts
    /// arrays, sets and dictionaries of them, including `[Any]` and `[String: Any]`.
    ///
    /// - Returns: nil for any other type, for a dictionary with keys that are not strings, and for
    ///   more than 250 levels of nested collections.
    public init?(_ value: Any) { self.init(value, depth: 0) }

    private init?(_ value: Any, depth: Int) {
        func elements(_ values: [Any]) -> [PropertyList]? {
            guard depth < Self.maximumDepth else { return nil }
            var elements: [PropertyList] = []
            elements.reserveCapacity(values.count)
            for value in values {
                guard let element = PropertyList(value, depth: depth + 1) else { return nil }
                elements.append(element)
            }
            return elements
        }
        switch value {
        case let value as any PropertyListConvertible: self = value.propertyList
        case is NSNull: self = .null
        // Only instances of classes: a cast would bridge structs such as Decimal to a number.
        case let number as NSNumber where type(of: value) is AnyClass: self.init(number: number)
        case let hashable as AnyHashable where type(of: value) == AnyHashable.self:
            self.init(hashable.base, depth: depth)
        case let values as [Any]:
            guard let elements = elements(values) else { return nil }
            self = .array(elements)
        case let values as Set<AnyHashable>:
            guard let elements = elements(values.map(\.base)) else { return nil }
            self = .set(Set(elements))
        case let values as [String: Any]:
            guard let elements = elements(values.map(\.value)) else { return nil }
            self = .dictionary(
                Dictionary(zip(values.map(\.key), elements), uniquingKeysWith: { $1 }))
        default: return nil
        }
    }

    private init?(number: NSNumber) {
        guard !(number is NSDecimalNumber) else { return nil }
        // On Linux only these two objects are Booleans.
        if number === NSNumber(value: true) || number === NSNumber(value: false) {
            self = .boolean(number.boolValue)
            return
        }
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "d"), UInt8(ascii: "f"): self = .real(number.doubleValue)
        case UInt8(ascii: "Q"): self = number.uint64Value.propertyList
        default: self = .integer(number.int64Value)
        }
    }

    /// The value as a Swift type; null becomes `NSNull`. Collections contain `AnyHashable`, so they
    /// can be cast: `value as? [String: Int]`.
    var swiftValue: AnyHashable {
        switch self {
        case .null: NSNull()
        case .boolean(let value): value
        case .integer(let value): Int(value)
        case .unsigned(let value): value
        case .real(let value): value
        case .string(let value): value
        case .date(let value): value
        case .data(let value): value
        case .url(let value): value
        case .uuid(let value): value
        case .array(let values): values.map(\.swiftValue)
        case .set(let values): Set(values.map(\.swiftValue))
        case .dictionary(let values): values.mapValues(\.swiftValue)
        }
    }
}

extension PropertyList: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(nilLiteral: ()) { self = .null }
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .real(value) }
    public init(stringLiteral value: String) { self = .string(value) }
    public init(arrayLiteral elements: PropertyList...) { self = .array(elements) }

    /// If a key occurs more than once, its last value is used.
    public init(dictionaryLiteral elements: (String, PropertyList)...) {
        self = .dictionary(Dictionary(elements, uniquingKeysWith: { $1 }))
    }
}
