/// A pair of a relationship that is kept in a join table.
struct JoinNote: Hashable {
    let source: ManagedObject
    let destination: ManagedObject
    let propertyIndex: Int
}

extension JoinNote: Comparable {
    /// The order in which pairs are written: by store, relationship and keys.
    static func < (first: JoinNote, second: JoinNote) -> Bool { first.place < second.place }
    private var place: (Int, UInt32, Int64, Int64) {
        let binding = source.binding
        return (
            binding.storeNumber, binding.accessors[propertyIndex].identifier, source.reference,
            destination.reference
        )
    }
}

extension JoinNote {
    /// The note about a pair. Both ends may report it; it is noted for the one that owns the join
    /// table.
    init(from source: ManagedObject, to destination: ManagedObject, _ property: Property) {
        if case .joinTable(let end) = property.relationship?.storage, !end.isOwner,
            let inverse = property.relationship?.inverseIndex,
            !source.binding.model.isItsOwnInverse(property)
        {
            self.init(source: destination, destination: source, propertyIndex: inverse)
        } else {
            self.init(source: source, destination: destination, propertyIndex: property.index)
        }
    }

    /// The pair in the other direction, if the relationship is its own inverse: both ends read the
    /// same column.
    func mirrored(along property: Property) -> JoinNote? {
        guard source.binding.model.isItsOwnInverse(property) else { return nil }
        return JoinNote(
            source: destination, destination: source, propertyIndex: property.index)
    }
}

extension ManagedObjectModel {
    fileprivate func isItsOwnInverse(_ property: Property) -> Bool {
        inverse(of: property.relationship!)?.identifier == property.identifier
    }
}
