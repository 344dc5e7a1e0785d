/// Objects cannot be decoded or encoded as the model says (spec §2.14).
///
/// It is the `underlyingError` of a `DecodingError` or `EncodingError`, and says what is wrong.
public struct ObjectCodingError: CodedError, Sendable, Hashable {
    public enum Reason: Sendable, Hashable {
        /// The decoder's `userInfo` has no context.
        case noContext
        /// The class has no entity of its own, and neither `userInfo` nor the data name one.
        case noEntity
        /// The model has no entity of this name.
        case unknownEntity
        /// The data name an entity, or an object that exists, that is not of the one expected.
        case unsuitableEntity(expected: String)
        /// The entity has no objects of its own, and the data name no subentity.
        case abstractEntity
        /// Objects of the entity are not of this class.
        case unsuitableClass(String)
        /// No property has the key.
        case unknownKey
        /// Several properties have the key, or one has the key `entity`.
        case ambiguousKey
        /// There is no value, and the model has none for a new object.
        case missingValue
        /// The value as text, and the type that the attribute takes.
        case unacceptableValue(String, expected: String)
        /// The transformer made no data of the value.
        case transformerFailed
        /// Unique values of one object belong to different objects.
        case severalObjects
        /// More objects within objects than this.
        case tooDeep(limit: Int)
        /// A depth to encode that is negative, or greater than the limit.
        case unsuitableDepth(Int, limit: Int)
        /// The object was deleted, or has left its context.
        case noObject
    }

    public let reason: Reason

    /// The name of the entity, or of the class where no entity is known.
    public let entity: String

    /// The keys and positions that lead to the place in the data; empty for the outermost value.
    public let codingPath: [String]

    public var code: Int { 134060 }

    init(_ reason: Reason, _ entity: String, _ path: [any CodingKey]) {
        self.reason = reason
        self.entity = entity
        codingPath = path.map { $0.intValue.map { "\($0)" } ?? $0.stringValue }
    }
}

extension ObjectCodingError {
    public var description: String {
        let place =
            codingPath.isEmpty ? entity : "\(entity) at \(codingPath.joined(separator: "."))"
        return "\(sentence) (\(place))"
    }

    private var sentence: String {
        switch reason {
        case .noContext:
            "The decoder has no context; set userInfo[.managedObjectContext]."
        case .noEntity:
            "No single entity has the class; set userInfo[.managedEntityName], or give each object a key 'entity'."
        case .unknownEntity: "The model has no entity of this name; correct the name."
        case .unsuitableEntity(let expected):
            "The entity is not \(expected) or one of its subentities; correct the key 'entity' or the unique values."
        case .abstractEntity:
            "The entity is abstract; name a subentity with the key 'entity'."
        case .unsuitableClass(let name):
            "The objects are not of the class \(name); decode the class that the entity has."
        case .unknownKey:
            "No property has this key; correct it, give a property this codingKey, or accept unknown keys."
        case .ambiguousKey:
            "Several properties have this key, or it is 'entity'; give each property a codingKey of its own."
        case .missingValue: "A value is missing that is not optional and has no default; add it."
        case .unacceptableValue(let value, let expected):
            "\(value) cannot be a value of type \(expected); correct it."
        case .transformerFailed:
            "The transformer makes no data of the value; correct the value or the transformer."
        case .severalObjects:
            "The unique values belong to different objects; correct them, or merge these objects."
        case .tooDeep(let limit):
            "More than \(limit) objects are within each other; refer to objects by their unique values."
        case .unsuitableDepth(let depth, let limit):
            "The depth \(depth) is not in 0...\(limit); correct userInfo[.relationshipDepth]."
        case .noObject: "The object was deleted or has left its context; fetch it again."
        }
    }
}

extension ObjectCodingError {
    /// The error as a decoder throws it.
    static func decoding(
        _ reason: Reason, _ entity: String, _ path: [any CodingKey]
    ) -> DecodingError {
        let error = ObjectCodingError(reason, entity, path)
        let context = DecodingError.Context(
            codingPath: path, debugDescription: "The data cannot be read as managed objects.",
            underlyingError: error)
        switch reason {
        case .missingValue: return .valueNotFound(Any.self, context)
        case .unacceptableValue: return .typeMismatch(Any.self, context)
        default: return .dataCorrupted(context)
        }
    }

    /// The error as an encoder throws it.
    static func encoding(
        _ reason: Reason, _ object: Any, _ entity: String, _ path: [any CodingKey]
    ) -> EncodingError {
        let error = ObjectCodingError(reason, entity, path)
        return .invalidValue(
            object,
            EncodingError.Context(
                codingPath: path, debugDescription: "The managed objects cannot be encoded.",
                underlyingError: error))
    }
}
