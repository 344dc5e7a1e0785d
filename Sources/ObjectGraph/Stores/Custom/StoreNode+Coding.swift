import Foundation

// Nodes and metadata for stores that keep them through `Codable`. No class is ever decoded (spec
// §11.4).
extension StoreNode: Codable {
    private enum CodingKeys: String, CodingKey { case id, version, values, relationships }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try container.decode(StoreNodeID.self, forKey: .id),
            version: try container.decode(UInt32.self, forKey: .version),
            values: try container.decode([String: CodedValue].self, forKey: .values)
                .mapValues(\.value),
            relationships: try container.decode(
                [String: [StoreNodeID]].self, forKey: .relationships))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(version, forKey: .version)
        try container.encode(values.mapValues(CodedValue.init), forKey: .values)
        try container.encode(relationships, forKey: .relationships)
    }
}

extension StoreMetadata: Codable {
    private enum CodingKeys: String, CodingKey { case identifier, type, versionHashes, values }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            identifier: try container.decode(String.self, forKey: .identifier),
            type: try container.decode(
                PersistentStoreDescription.StoreType.self, forKey: .type),
            versionHashes: try container.decode([String: Data].self, forKey: .versionHashes)
                .mapValues { Array($0) },
            values: try container.decode([String: CodedValue].self, forKey: .values)
                .mapValues(\.value))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(identifier, forKey: .identifier)
        try container.encode(type, forKey: .type)
        try container.encode(versionHashes.mapValues { Data($0) }, forKey: .versionHashes)
        try container.encode(values.mapValues(CodedValue.init), forKey: .values)
    }
}

/// A value with its kind, such as `{"integer": 5}`.
private struct CodedValue: Codable {
    let value: AttributeValue

    private enum Kind: String, CodingKey {
        case boolean, integer, double, decimal, string, date, data, uuid, uri
    }

    init(_ value: AttributeValue) { self.value = value }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Kind.self)
        guard let kind = container.allKeys.first, container.allKeys.count == 1 else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "A value has one key, the name of its kind."))
        }
        func text<Value>(_ read: (String) -> Value?) throws -> Value {
            let text = try container.decode(String.self, forKey: kind)
            if let value = read(text) { return value }
            throw DecodingError.dataCorruptedError(
                forKey: kind, in: container, debugDescription: "'\(text)' is no \(kind.rawValue).")
        }
        value =
            switch kind {
            case .boolean: .boolean(try container.decode(Bool.self, forKey: kind))
            case .integer: .integer(try container.decode(Int64.self, forKey: kind))
            case .double: .double(try container.decode(Double.self, forKey: kind))
            case .decimal: .decimal(try text { Decimal(string: $0) })
            case .string: .string(try container.decode(String.self, forKey: kind))
            case .date:
                .date(
                    Date(
                        timeIntervalSinceReferenceDate: try container.decode(
                            Double.self, forKey: kind)))
            case .data: .data(try container.decode(Data.self, forKey: kind))
            case .uuid: .uuid(try text { UUID(uuidString: $0) })
            case .uri: .uri(try text { URL(string: $0) })
            }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Kind.self)
        switch value {
        case .boolean(let value): try container.encode(value, forKey: .boolean)
        case .integer(let value): try container.encode(value, forKey: .integer)
        case .double(let value): try container.encode(value, forKey: .double)
        case .decimal(let value): try container.encode("\(value)", forKey: .decimal)
        case .string(let value): try container.encode(value, forKey: .string)
        case .date(let value):
            try container.encode(value.timeIntervalSinceReferenceDate, forKey: .date)
        case .data(let value): try container.encode(value, forKey: .data)
        case .uuid(let value): try container.encode(value.uuidString, forKey: .uuid)
        case .uri(let value): try container.encode(value.absoluteString, forKey: .uri)
        case .null, .objectID, .transformable, .composite:
            throw EncodingError.invalidValue(
                value,
                .init(
                    codingPath: encoder.codingPath,
                    debugDescription: "A node has no value of this kind."))
        }
    }
}
