import Foundation
import ObjectGraph

/// The value of an attribute in the sample data. It differs from object to object where the type
/// has so many values.
struct SampleValue {
    private let attribute: AttributeDescription
    private let entity: String

    /// From 0.
    private let number: Int

    /// Different for each attribute, object and seed.
    private let digits: UInt64

    /// The size of a value that is stored in a file of its own.
    static let largeByteCount = 2048

    init(of attribute: AttributeDescription, in entity: String, number: Int, seed: UInt64) {
        self.attribute = attribute
        self.entity = entity
        self.number = number
        digits = Self.mixed("\(seed) \(entity) \(attribute.name) \(number)")
    }

    /// The n-th candidate, from 0; nil if there are no more. Later ones suit rules that the first
    /// ones break.
    func candidate(_ position: Int) -> AttributeValue? {
        let values = candidates
        // In a conditional expression, nil would be the value null.
        guard position < values.count else { return nil }
        return values[position]
    }

    private var small: Int { Int(digits % 20) * 1000 + number + 2 }

    private var candidates: [AttributeValue] {
        switch attribute.type {
        case .integer16, .integer32, .integer64:
            integers.map { .integer(Int64($0)) }
        case .boolean: [.boolean(number.isMultiple(of: 2)), true, false]
        case .double, .float: integers.map { .double(Double($0) + 0.125) } + [.double(0.5)]
        case .decimal: integers.map { .decimal(Decimal($0) + Decimal(25) / 100) }
        case .string: texts.map { .string($0) }
        case .date:
            [Double(digits % 700_000_000), 1, -Double(digits % 700_000_000)].map {
                .date(Date(timeIntervalSinceReferenceDate: $0))
            }
        case .binaryData: [.data(bytes(byteCount)), .data(bytes(4)), .data(bytes(1))]
        case .uuid: [.uuid(uuid)]
        case .uri: URL(string: "https://example.com/\(entity)/\(number)").map { [.uri($0)] } ?? []
        case .transformable:
            // The values of other transformers are not known.
            attribute.transformer ?? .propertyList == .propertyList
                ? [ValueTransformer.propertyList.attributeValue(of: ["number": number])]
                    .compactMap(\.self)
                : []
        case .composite: composites
        case .undefined, .objectID: []
        }
    }

    private var integers: [Int] { [small, number + 1, number, 0, -number - 1, 100 + number, 1000] }

    private var texts: [String] {
        [
            "\(entity) \(attribute.name) \(number) é \(digits % 10_000)", "\(number)", "a\(number)",
            "A\(number)", "a", "", "user\(number)@example.com", "https://example.com/\(number)",
            "2020-01-0\(number % 9 + 1)", "abcdefgh\(number)",
        ]
    }

    private var byteCount: Int {
        attribute.allowsExternalStorage && number == 0 ? Self.largeByteCount : 12
    }

    private func bytes(_ count: Int) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: digits >> UInt64($0 % 8 * 8)) })
    }

    private var uuid: UUID {
        let bytes = bytes(8) + Data((0..<8).map { UInt8(truncatingIfNeeded: number + $0) })
        return UUID(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
    }

    private var composites: [AttributeValue] {
        var values: [String: AttributeValue] = [:]
        for element in attribute.elements {
            let value = SampleValue(
                of: element, in: "\(entity) \(attribute.name)", number: number, seed: digits)
            values[element.name] = value.candidate(0)
        }
        return values.isEmpty ? [] : [.composite(values)]
    }

    /// FNV-1a: `Hasher` gives other numbers in each process.
    private static func mixed(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
}
