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
    case isFetched(Operand, by: NestedFetch, ObjectPredicate.Options)
    case matches(Operand, StringMatcher.Operation, pattern: Operand, ObjectPredicate.Options)

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

        /// How many collections its objects are within: 1 for a relationship of the fetched object.
        let level: Int

        /// Which of the destinations belong to it; nil means all.
        var filter: CompiledPredicate?

        /// What about it no SQL can say; nil if nothing.
        var inMemoryFeature: String?
    }

    /// A fetch within a predicate.
    struct NestedFetch: Sendable {
        let request: FetchRequest
        let entity: Entity

        /// The one property fetched; nil for the objects themselves.
        let property: FetchedProperty?
    }
}

/// An object reached from the fetched object, or from one that ANY, ALL, SUBQUERY or an aggregate is looking at.
struct ObjectPath: Sendable {
    /// 0 for the fetched object, else the level of the collection whose object it starts at.
    let level: Int

    /// The entity of the object reached.
    private(set) var entityIndex: Int

    /// To-one relationships, in the order in which they are followed.
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
