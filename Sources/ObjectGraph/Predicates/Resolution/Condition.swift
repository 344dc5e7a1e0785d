/// A predicate with each key looked up in the model and each constant converted to the type it is
/// compared with.
///
/// Both evaluators use it, the one in memory and the one that writes SQL, so they accept the same
/// predicates.
indirect enum Condition: Sendable {
    case value(Bool)
    /// At least two parts.
    case and([Condition])
    /// At least two parts.
    case or([Condition])
    case not(Condition)
    case compare(Operand, Relation, Operand, ObjectPredicate.Options)
    case isNull(Operand)
    case isNotNull(Operand)
    case between(Operand, Operand, Operand)

    /// The values contain no nulls; `orNull` says that there was one.
    case isIn(Operand, [AttributeValue], orNull: Bool, ObjectPredicate.Options)
    case isFetched(Operand, by: NestedFetch, ObjectPredicate.Options)
    case matches(Operand, StringMatcher.Operation, pattern: Operand, ObjectPredicate.Options)

    case search(TextSearch)

    /// Whether the condition holds for at least one destination, or for all of them.
    case quantified(Collection, isAll: Bool, Condition)

    /// In memory only.
    case block(PredicateBlock, Entity)

    enum Relation: Sendable, Hashable {
        case less, lessOrEqual, greater, greaterOrEqual, equal, notEqual
    }

    /// The destinations of a to-many relationship of the object at `owner`.
    struct Collection: Sendable {
        let owner: ObjectPath
        let property: Property

        /// The number of nested collections: 1 for a relationship of the fetched object.
        let level: Int

        /// Selects the destinations that belong to the collection; nil means all.
        var filter: CompiledPredicate?

        /// The feature that SQL cannot express; nil if there is none.
        var inMemoryFeature: String?
    }

    /// A fetch within a predicate.
    struct NestedFetch: Sendable {
        let request: FetchRequest
        let entity: Entity

        /// The only fetched property; nil for the objects themselves.
        let property: FetchedProperty?
    }
}

/// An object reached from the fetched object, or from the current object of an ANY, ALL, SUBQUERY
/// or aggregate.
struct ObjectPath: Sendable {
    /// 0 for the fetched object; otherwise the level of the collection that it starts in.
    let level: Int

    /// The entity of the object at the end.
    private(set) var entityIndex: Int

    /// The to-one relationships of the path, in order.
    private(set) var steps: [Property] = []

    init(level: Int, entityIndex: Int) {
        self.level = level
        self.entityIndex = entityIndex
    }

    mutating func follow(_ toOne: Property) {
        steps.append(toOne)
        entityIndex = toOne.relationship!.destinationIndex
    }
}
