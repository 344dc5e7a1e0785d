/// What predicates and sort keys are evaluated on in memory: a managed object, or a row of an in-memory store.
///
/// Requirements take and return `Self`, so that the evaluator is specialised for each kind of subject.
protocol PredicateSubject {
    var objectID: ManagedObjectID { get }

    /// The value of an attribute; for a to-one relationship the identifier of its destination, or null.
    func value(of property: Property) -> AttributeValue

    /// Whether all of the tests hold for the subject's row; nil if it has none that says all.
    func satisfies(_ tests: RowTests) -> Bool?

    /// The object at the other end of a to-one relationship.
    func destination(of property: Property) -> Self?

    /// The objects at the other end of a to-many relationship; in their order if it has one.
    func destinations(of property: Property) -> [Self]
}

extension PredicateSubject {
    func satisfies(_ tests: RowTests) -> Bool? { nil }
}
