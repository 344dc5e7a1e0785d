/// A property that keeps an object from being saved.
public struct ValidationError: Error, Sendable {
    public enum Reason: Sendable, Hashable {
        /// A mandatory property is nil (1570).
        case missingMandatoryProperty
        /// A to-many relationship has too few objects (1580).
        case tooFewObjects(minCount: Int, count: Int)
        /// A to-many relationship has too many objects (1590).
        case tooManyObjects(maxCount: Int, count: Int)
        /// A deny rule keeps the object from being deleted while it has destinations (1600).
        case deniedDelete(count: Int)
        /// An integer is beyond its type (1610, 1620).
        case integerOutOfRange(Int64, AttributeType)
        /// A condition of the model does not hold (the code of its warning, or 1550).
        case brokenRule(ValidationRule.Warning, predicate: String)
        /// A transformer could make no data of the value (1550).
        case untransformable(String)
        /// A store would not give the value back: NaN, or a decimal near the limits of its type (1550).
        case unstorable
        /// A relationship leads into another store (133010).
        case externalRelationship
        /// What a subclass or validator says (1550).
        case custom(String)
    }

    public let objectID: ManagedObjectID

    /// The property at fault; nil if it is the object as a whole.
    public let key: String?
    public let reason: Reason

    /// The value at fault, of an attribute that has one.
    public let value: AttributeValue?

    /// The error of its own that a subclass or validator has thrown; nil for any other reason.
    public let underlyingError: (any Error)?

    public init(
        _ object: ManagedObject, key: String?, _ reason: Reason, value: AttributeValue? = nil,
        underlyingError: (any Error)? = nil
    ) {
        objectID = object.objectID
        self.key = key
        self.reason = reason
        self.value = value
        self.underlyingError = underlyingError
    }

    /// The format of the condition that does not hold; nil if it is something else that is wrong.
    public var predicateFormat: String? {
        if case .brokenRule(_, let predicate) = reason { predicate } else { nil }
    }

    /// Core Data's number for the error (spec §5.6).
    public var code: Int {
        switch reason {
        case .missingMandatoryProperty: 1570
        case .tooFewObjects: 1580
        case .tooManyObjects: 1590
        case .deniedDelete: 1600
        case .integerOutOfRange(let value, _): value > 0 ? 1610 : 1620
        case .brokenRule(.code(let code), _): code
        case .brokenRule(.message, _), .untransformable, .unstorable: 1550
        case .custom: (underlyingError as? any CodedError)?.code ?? 1550
        case .externalRelationship: 133010
        }
    }
}

extension ValidationError.Reason {
    /// Whether it is not one that the model gives.
    var isCustom: Bool {
        if case .custom = self { true } else { false }
    }
}

extension ValidationError: CustomStringConvertible {
    public var description: String {
        let place = "\(objectID.entityName)\(key.map { ".\($0)" } ?? "")"
        return switch reason {
        case .missingMandatoryProperty: "\(place) is mandatory and has no value."
        case .tooFewObjects(let minCount, let count):
            "\(place) has \(count) objects and needs at least \(minCount)."
        case .tooManyObjects(let maxCount, let count):
            "\(place) has \(count) objects and may have at most \(maxCount)."
        case .deniedDelete(let count):
            "The object cannot be deleted while \(place) has \(count) objects; delete or move them first."
        case .integerOutOfRange(let value, let type):
            "\(place) is \(value), which \(type) cannot hold."
        case .brokenRule(.message(let text), _): "\(place): \(text)"
        case .brokenRule(.code(let code), let predicate):
            "\(place) is not as '\(predicate)' demands (\(code))."
        case .untransformable(let text):
            "\(place) cannot be stored, since its transformer failed: \(text)"
        case .unstorable:
            "\(place) is \(value?.messageText ?? "a value"), which a store cannot keep; give it a number within the range of its type, or nil."
        case .externalRelationship: "\(place) leads into another store, which is not possible."
        case .custom(let text): "\(place): \(text)"
        }
    }
}

/// Several things that are wrong with one object (Core Data's 1560); thrown by `validateForInsert` and its kin.
///
/// An override that finds something wrong throws its own error beside those of `super`:
///
///     override func validateForInsert() throws {
///         try ValidationErrors.collecting(on: self) {
///             try super.validateForInsert()
///         } and: {
///             if end < start { throw ValidationError(self, key: "end", .custom("It ends before it starts.")) }
///         }
///     }
public struct ValidationErrors: Error, Sendable {
    public let errors: [ValidationError]

    public init(_ errors: [ValidationError]) { self.errors = errors }

    /// Runs both checks and throws what they throw, together.
    public static func collecting(
        on object: ManagedObject, _ first: () throws -> Void, and second: () throws -> Void
    ) throws {
        var errors: [ValidationError] = []
        do { try first() } catch { errors += list(of: error, object, key: nil) }
        do { try second() } catch { errors += list(of: error, object, key: nil) }
        try throwIfAny(errors)
    }

    /// Throws one error as it is, several together.
    static func throwIfAny(_ errors: [ValidationError]) throws {
        if errors.count > 1 { throw ValidationErrors(errors) }
        if let error = errors.first { throw error }
    }

    /// The single errors in what a check has thrown; any other error is the underlying one of a custom error.
    static func list(
        of error: any Error, _ object: ManagedObject, key: String?
    ) -> [ValidationError] {
        switch error {
        case let error as ValidationError: [error]
        case let errors as ValidationErrors: errors.errors
        default:
            [
                ValidationError(object, key: key, .custom("\(error)"), underlyingError: error)
            ]
        }
    }
}

extension ValidationErrors: CustomStringConvertible {
    public var description: String { errors.map(\.description).joined(separator: " ") }
}
