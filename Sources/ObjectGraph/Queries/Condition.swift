/// A predicate with every key looked up in the model and every constant converted to the type it is compared with.
///
/// Both evaluators work from it, the one in memory and the one that writes SQL, so they cannot differ in what they accept.
indirect enum Condition: Sendable {
    case value(Bool)
    /// At least two.
    case and([Condition])
    /// At least two.
    case or([Condition])
    case not(Condition)
    case compare(Operand, Relation, Operand, ObjectPredicate.Options)
    case isNull(Operand)
    case isNotNull(Operand)
    case between(Operand, Operand, Operand)

    /// Without nulls among the values; `orNull` says that there was one.
    case isIn(Operand, [AttributeValue], orNull: Bool, ObjectPredicate.Options)
    case matches(Operand, StringMatcher.Operation, pattern: Operand, ObjectPredicate.Options)

    /// Whether the condition holds for at least one destination, or for all of them.
    case quantified(Collection, isAll: Bool, Condition)

    enum Relation: Sendable, Hashable {
        case less, lessOrEqual, greater, greaterOrEqual, equal, notEqual
    }

    /// The destinations of a to-many relationship of the object at `owner`.
    struct Collection: Sendable {
        let owner: ObjectPath
        let property: Property
    }
}

/// An object reached from the fetched object, or from the destination that ANY or ALL is looking at.
struct ObjectPath: Sendable {
    enum Start: Sendable, Hashable { case root, element }

    let start: Start

    /// The entity of the object reached.
    private(set) var entityIndex: Int

    /// To-one relationships, in the order in which they are followed.
    private(set) var steps: [Property] = []

    init(_ start: Start, entityIndex: Int) {
        self.start = start
        self.entityIndex = entityIndex
    }

    mutating func follow(_ toOne: Property) {
        steps.append(toOne)
        entityIndex = toOne.relationship!.destinationIndex
    }
}

/// A side of a comparison.
indirect enum Operand: Sendable {
    case constant(AttributeValue)
    case attribute(ObjectPath, Property)

    /// The identity of an object.
    case object(ObjectPath)

    /// The number of destinations of a to-many relationship; 0 where there is no owner.
    case count(Condition.Collection)
    case function(Function, [Operand])

    /// Over the rows of a group; only in dictionary fetches.
    case aggregate(Aggregate, Operand)

    enum Function: String, Sendable, Hashable {
        case add = "add:to:"
        case subtract = "from:subtract:"
        case multiply = "multiply:by:"
        case divide = "divide:by:"
        case absolute = "abs:"
        case lowercase = "lowercase:"
        case uppercase = "uppercase:"
        case length = "length:"
        case canonical = "canonical:"

        var argumentKinds: [ValueKind] {
            switch self {
            case .add, .subtract, .multiply, .divide: [.number, .number]
            case .absolute: [.number]
            case .lowercase, .uppercase, .length, .canonical: [.string]
            }
        }

        var resultKind: ValueKind {
            switch self {
            case .lowercase, .uppercase, .canonical: .string
            default: .number
            }
        }
    }

    enum Aggregate: String, Sendable, Hashable {
        case sum = "sum:"
        case count = "count:"
        case minimum = "min:"
        case maximum = "max:"
        case average = "average:"
    }

    /// What the value is; nil for the constant null.
    var kind: ValueKind? {
        switch self {
        case .constant(let value): ValueKind(value)
        case .attribute(_, let property): ValueKind(property.attributeType!)
        case .object: .object
        case .count: .number
        case .function(let function, _): function.resultKind
        case .aggregate(.minimum, let operand), .aggregate(.maximum, let operand): operand.kind
        case .aggregate: .number
        }
    }
}

/// Values that can be compared with each other.
enum ValueKind: String, Sendable, Hashable {
    case number = "a number"
    case string = "a string"
    case date = "a date"
    case data = "data"
    case uuid = "a UUID"
    case object = "an object"
    /// Neither compared nor sorted by, but may be nil.
    case opaque = "a transformable value"

    init(_ type: AttributeType) {
        self =
            switch type {
            case .integer16, .integer32, .integer64, .decimal, .double, .float, .boolean: .number
            case .string, .uri: .string
            case .date: .date
            case .binaryData: .data
            case .uuid: .uuid
            case .objectID: .object
            case .transformable, .undefined: .opaque
            }
    }

    init?(_ value: AttributeValue) {
        switch value {
        case .null: return nil
        case .boolean, .integer, .double, .decimal: self = .number
        case .string, .uri: self = .string
        case .date: self = .date
        case .data: self = .data
        case .uuid: self = .uuid
        case .objectID: self = .object
        case .transformable: self = .opaque
        }
    }

    /// Dates are numbers of seconds.
    func isComparable(with other: ValueKind) -> Bool {
        (self == other && self != .opaque) || (self == .number && other == .date)
            || (self == .date && other == .number)
    }
}
