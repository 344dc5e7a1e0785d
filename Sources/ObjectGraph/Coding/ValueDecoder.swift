import Foundation

/// Decodes the value of an attribute as the Swift type of its attribute type, so that the decoder's
/// strategies apply.
struct ValueDecoder {
    private let entity: Entity
    private let coded: EntityCoding.CodedProperty
    private let container: KeyedDecodingContainer<ObjectCodingKey>
    private let refusesUnknownKeys: Bool

    private var property: Property { coded.property }
    private var key: ObjectCodingKey { coded.key }

    init(
        _ entity: Entity, _ coded: EntityCoding.CodedProperty,
        _ container: KeyedDecodingContainer<ObjectCodingKey>, refusesUnknownKeys: Bool
    ) {
        self.entity = entity
        self.coded = coded
        self.container = container
        self.refusesUnknownKeys = refusesUnknownKeys
    }

    func value() throws -> AttributeValue {
        let value = try decoded()
        guard !value.isNull || property.isOptional else {
            throw ObjectCodingError.decoding(.missingValue, entity.name, path)
        }
        return value
    }

    private var path: [any CodingKey] { container.codingPath + [key] }

    private func decoded() throws -> AttributeValue {
        if coded.isByHand {
            let value = try entity.objectClass.decodeValue(
                forKey: property.name, from: container.superDecoder(forKey: key))
            return try accepted(value)
        }
        if try container.decodeNil(forKey: key) { return .null }
        switch property.attributeType! {
        case .integer16, .integer32, .integer64: return try accepted(decode(Int64.self))
        case .boolean: return .boolean(try decode(Bool.self))
        case .double: return .double(try decode(Double.self))
        case .float: return .double(Double(try decode(Float.self)))
        case .decimal: return .decimal(try decode(Decimal.self))
        case .string: return .string(try decode(String.self))
        case .date: return .date(try decode(Date.self))
        case .binaryData: return .data(try decode(Data.self))
        case .uuid: return .uuid(try decode(UUID.self))
        case .uri: return .uri(try decode(URL.self))
        case .transformable: return try transformable(property.rules!.transformer!)
        case .composite: return try composite()
        case .undefined, .objectID: return .null
        }
    }

    /// The value of a composite attribute. Elements without a key in it become nil.
    private func composite() throws -> AttributeValue {
        let nested = try container.nestedContainer(keyedBy: ObjectCodingKey.self, forKey: key)
        let known = Set(coded.elements.map(\.key.stringValue))
        if refusesUnknownKeys,
            let unknown = nested.allKeys.filter({ !known.contains($0.stringValue) })
                .min(by: { $0.stringValue < $1.stringValue })
        {
            throw ObjectCodingError.decoding(.unknownKey, entity.name, path + [unknown])
        }
        var values: [String: AttributeValue] = [:]
        for element in coded.elements where nested.contains(element.key) {
            values[element.name] = try ValueDecoder(
                entity, element, nested, refusesUnknownKeys: refusesUnknownKeys
            ).value()
        }
        return AttributeValue(elements: values)
    }

    private func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        do {
            return try container.decode(type, forKey: key)
        } catch let error as DecodingError {
            throw error.completing(path)
        } catch {
            // JSONDecoder's error of a number that does not fit has no path.
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: path, debugDescription: "The value cannot be read as \(type).",
                    underlyingError: error))
        }
    }

    private func transformable(_ transformer: ValueTransformer) throws -> AttributeValue {
        guard let type = transformer.codableType else {
            let data = try decode(Data.self)
            do {
                return .transformable(try transformer.value(from: data))
            } catch {
                throw unacceptable(data)
            }
        }
        return try accepted(decode(type))
    }

    private func accepted(_ value: Any?) throws -> AttributeValue {
        guard let value else { return .null }
        guard let accepted = property.attributeValue(of: value) else { throw unacceptable(value) }
        return accepted
    }

    private func unacceptable(_ value: Any) -> DecodingError {
        ObjectCodingError.decoding(
            .unacceptableValue("\(value)", expected: "\(property.attributeType!)"), entity.name,
            path)
    }
}

extension DecodingError {
    /// The error with the path of a value. JSONDecoder's error of a date that is no ISO 8601 text
    /// has only the path of the object around.
    fileprivate func completing(_ path: [any CodingKey]) -> DecodingError {
        func complete(_ context: Context) -> Context {
            guard context.codingPath.count < path.count else { return context }
            return Context(
                codingPath: path, debugDescription: context.debugDescription,
                underlyingError: context.underlyingError)
        }
        switch self {
        case .dataCorrupted(let context): return .dataCorrupted(complete(context))
        case .typeMismatch(let type, let context): return .typeMismatch(type, complete(context))
        case .valueNotFound(let type, let context): return .valueNotFound(type, complete(context))
        // The path leads to the object that lacks the key.
        case .keyNotFound: return self
        @unknown default: return self
        }
    }
}
