/// A managed object as predicates and sort keys see it.
struct ObjectSubject: PredicateSubject {
    let object: ManagedObject

    var objectID: ManagedObjectID { object.objectID }

    func value(of property: Property) -> AttributeValue {
        guard property.kind == .toOne else { return object.attributeValue(of: property) }
        return object.destination(of: property).map { .objectID($0.objectID) } ?? .null
    }

    @inline(__always)
    func satisfies(_ tests: RowTests) -> Bool? {
        if object.state.needsAttention { object.attend() }
        guard object.changesBesideDraft == nil, let row = object.rowStart else { return nil }
        return tests.hold(for: row, object.binding.accessors)
    }

    func destination(of property: Property) -> ObjectSubject? {
        object.destination(of: property).map(ObjectSubject.init)
    }

    func destinations(of property: Property) -> [ObjectSubject] {
        object.orderedDestinations(of: property).map(ObjectSubject.init)
    }
}
