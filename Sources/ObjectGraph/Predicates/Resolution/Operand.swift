/// A side of a comparison.
indirect enum Operand: Sendable {
    case constant(AttributeValue)
    case attribute(ObjectPath, Property)

    /// The identity of an object.
    case object(ObjectPath)

    /// The name of an object's concrete entity.
    case entityName(ObjectPath)

    /// The number of objects of a collection; 0 without an owner.
    case count(Condition.Collection)

    /// A statistic over the values of an operand for each object of a collection, without nils.
    case summary(Statistic, Condition.Collection, Operand)

    /// The value of an operand for one object of an ordered collection; null beyond the end. In
    /// memory only.
    case element(Condition.Collection, Position, Operand)

    /// A statistic over a list; null if one of its values is null.
    case listSummary(Statistic, [Operand])
    case function(Function, [Operand])

    /// The first value if the condition holds, otherwise the second.
    case conditional(CompiledPredicate, Operand, Operand)

    /// One of several values, selected by its position; null beyond the end.
    case choice(Operand, [Operand])
    case cast(Operand, ValueKind)

    /// The time of the evaluation. In SQL, the time at which the statement is built.
    case now

    /// The value itself. SQL must use no index for it, or the given one.
    case hinted(Operand, IndexHint)

    /// The number of results of a fetch. Used in SQL; in memory the number has replaced it.
    case fetchCount(Condition.NestedFetch)

    /// A statistic over the rows of a group; only in dictionary fetches.
    case aggregate(Statistic, Operand)

    /// The rank or a snippet of a search that the predicate requires; only in SQL.
    case searchResult(SearchResult, of: FullTextIndex)

    enum Position: Sendable {
        case first, last
        case index(Operand)
    }

    enum IndexHint: Sendable, Hashable {
        case noIndex
        case index(String)
    }

    enum Statistic: String, Sendable, Hashable, CaseIterable {
        case sum = "sum:"
        case count = "count:"
        case minimum = "min:"
        case maximum = "max:"
        case average = "average:"
        case median = "median:"
        case mode = "mode:"
        case deviation = "stddev:"

        /// The statistic of a collection operator in a key path.
        init?(collectionOperator: String) {
            switch collectionOperator {
            case "@sum": self = .sum
            case "@min": self = .minimum
            case "@max": self = .maximum
            case "@avg": self = .average
            default: return nil
            }
        }

        var needsNumbers: Bool {
            switch self {
            case .sum, .average, .median, .deviation: true
            case .count, .minimum, .maximum, .mode: false
            }
        }

        /// The kind of the result over values of a kind.
        func kind(of values: ValueKind?) -> ValueKind? {
            switch self {
            case .minimum, .maximum, .mode: values
            case .sum, .count, .average, .median, .deviation: .number
            }
        }
    }

    /// The kind of the value; nil for the constant null.
    var kind: ValueKind? {
        switch self {
        case .constant(let value): ValueKind(value)
        case .attribute(_, let property): ValueKind(property.attributeType!)
        case .object: .object
        case .entityName: .string
        case .count, .fetchCount, .searchResult(.rank, _): .number
        case .searchResult(.snippet, _): .string
        case .function(let function, _): function.resultKind
        case .element(_, _, let operand), .hinted(let operand, _): operand.kind
        case .conditional(_, let first, let second): first.kind ?? second.kind
        case .cast(_, let kind): kind
        case .now: .date
        case .summary(let statistic, _, let operand), .aggregate(let statistic, let operand):
            statistic.kind(of: operand.kind)
        case .choice(_, let operands): operands.lazy.compactMap(\.kind).first
        case .listSummary(let statistic, let operands):
            statistic.kind(of: operands.lazy.compactMap(\.kind).first)
        }
    }

    var isNull: Bool {
        if case .constant(.null) = self { true } else { false }
    }
}

/// Values of one kind can be compared with each other.
enum ValueKind: String, Sendable, Hashable {
    case number = "a number"
    case string = "a string"
    case date = "a date"
    case data = "data"
    case uuid = "a UUID"
    case object = "an object"
    /// Can be compared with nil only, and not sorted by.
    case opaque = "a transformable or composite value"

    init(_ type: AttributeType) {
        self =
            switch type {
            case .integer16, .integer32, .integer64, .decimal, .double, .float, .boolean: .number
            case .string, .uri: .string
            case .date: .date
            case .binaryData: .data
            case .uuid: .uuid
            case .objectID: .object
            case .transformable, .composite, .undefined: .opaque
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
        case .transformable, .composite: self = .opaque
        }
    }

    /// Dates and numbers are comparable: a date is a number of seconds.
    func isComparable(with other: ValueKind) -> Bool {
        (self == other && self != .opaque) || (self == .number && other == .date)
            || (self == .date && other == .number)
    }
}
