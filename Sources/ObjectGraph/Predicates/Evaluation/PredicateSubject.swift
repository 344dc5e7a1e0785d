/// A subject of predicates and sort keys in memory: a managed object, or a row of an in-memory
/// store.
///
/// The requirements use `Self`, so that the evaluator is specialised for each kind of subject.
protocol PredicateSubject {
    var objectID: ManagedObjectID { get }

    /// The value of an attribute, or the identifier of a to-one relationship's destination; null if
    /// absent.
    func value(of property: Property) -> AttributeValue

    /// Whether the subject's row passes all tests; nil if it has no row with all the values.
    func satisfies(_ tests: RowTests) -> Bool?

    /// The object at the other end of a to-one relationship.
    func destination(of property: Property) -> Self?

    /// The objects at the other end of a to-many relationship, in its order if it is ordered.
    func destinations(of property: Property) -> [Self]
}

extension PredicateSubject {
    func satisfies(_ tests: RowTests) -> Bool? { nil }
}
