/// A property that prevents an object from being saved.
public struct ValidationError: Error, Sendable {
    public enum Reason: Sendable, Hashable {
        /// A mandatory property is nil (1570).
        case missingMandatoryProperty
        /// A to-many relationship has too few objects (1580).
        case tooFewObjects(minCount: Int, count: Int)
        /// A to-many relationship has too many objects (1590).
        case tooManyObjects(maxCount: Int, count: Int)
        /// A deny rule prevents the deletion of the object while it has destinations (1600).
        case deniedDelete(count: Int)
        /// An integer is out of the range of its type (1610, 1620).
        case integerOutOfRange(Int64, AttributeType)
        /// A condition of the model does not hold (the code of its warning, or 1550).
        case brokenRule(ValidationRule.Warning, predicate: String)
        /// A transformer could not make data of the value (1550).
        case untransformable(String)
        /// A value that a store would not return unchanged: NaN, or a decimal near the limits of
        /// its type (1550).
        case unstorable
        /// A relationship leads to another store (133010).
        case externalRelationship
        /// Thrown by a subclass or validator (1550).
        case custom(String)
    }

    public let objectID: ManagedObjectID

    /// The wrong property; nil for the object as a whole.
    public let key: String?
    public let reason: Reason

    /// The wrong value, of an attribute that has one.
    public let value: AttributeValue?

    /// The error that a subclass or validator has thrown, if it is of another type; otherwise nil.
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

    /// The format of the condition that does not hold; nil for any other reason.
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
    /// Whether a subclass or validator gave the reason, rather than the model.
    var isCustom: Bool {
        if case .custom = self { true } else { false }
    }

    /// Whether a store cannot keep the value.
    var isOfStorage: Bool {
        switch self {
        case .integerOutOfRange, .untransformable, .unstorable: true
        default: false
        }
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
            "\(place) does not satisfy '\(predicate)' (\(code))."
        case .untransformable(let text):
            "\(place) cannot be stored, because its transformer failed: \(text)"
        case .unstorable:
            "\(place) is \(value?.messageText ?? "a value"), which a store cannot keep; give it a number that its type can hold, or nil. A decimal keeps 15 digits: round it."
        case .externalRelationship:
            "\(place) refers to an object of another store; refer to objects of the same store only."
        case .custom(let text): "\(place): \(text)"
        }
    }
}

/// Several validation errors of one object (Core Data's 1560), thrown by `validateForInsert` and
/// the like.
///
/// An override throws its own error together with those of `super`:
///
///     override func validateForInsert() throws {
///         try ValidationErrors.collecting(on: self) {
///             try super.validateForInsert()
///         } and: {
///             if end < start {
///                 throw ValidationError(self, key: "end", .custom("It ends before it starts."))
///             }
///         }
///     }
public struct ValidationErrors: Error, Sendable {
    public let errors: [ValidationError]

    public init(_ errors: [ValidationError]) { self.errors = errors }

    /// Runs both checks and throws the errors of both.
    public static func collecting(
        on object: ManagedObject, _ first: () throws -> Void, and second: () throws -> Void
    ) throws {
        var errors: [ValidationError] = []
        do { try first() } catch { errors += list(of: error, object, key: nil) }
        do { try second() } catch { errors += list(of: error, object, key: nil) }
        try throwIfAny(errors)
    }

    /// Throws a single error as it is, several as `ValidationErrors`.
    static func throwIfAny(_ errors: [ValidationError]) throws {
        if errors.count > 1 { throw ValidationErrors(errors) }
        if let error = errors.first { throw error }
    }

    /// The single errors in an error that a check has thrown. Another error becomes a custom one,
    /// with the error as its underlying error.
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
