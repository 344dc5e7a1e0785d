import Foundation

/// Coded as the value that it is. Decoders such as JSON's show fewer types: there a date, data, URL
/// or UUID comes back as the text or number that it was written as, a set as an array, and a whole
/// real as an integer.
extension PropertyList: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if (try? decoder.unkeyedContainer()) != nil {
            self = .array(try container.decode([PropertyList].self))
        } else if (try? decoder.container(keyedBy: AnyKey.self)) != nil {
            self = .dictionary(try container.decode([String: PropertyList].self))
        } else {
            try self.init(single: container)
        }
    }

    private init(single container: any SingleValueDecodingContainer) throws {
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(UInt64.self) {
            self = .unsigned(value)
        } else if let value = try? container.decode(Double.self) {
            self = .real(value)
        } else {
            self = .string(try container.decode(String.self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .boolean(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .unsigned(let value): try container.encode(value)
        case .real(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .date(let value): try container.encode(value)
        case .data(let value): try container.encode(value)
        case .url(let value): try container.encode(value)
        case .uuid(let value): try container.encode(value)
        case .array(let values): try container.encode(values)
        case .set(let values): try container.encode(values)
        case .dictionary(let values): try container.encode(values)
        }
    }

    private struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
