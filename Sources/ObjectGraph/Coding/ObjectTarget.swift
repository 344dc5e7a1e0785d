/// An object that drafts describe: one that was found, or a new one.
final class ObjectTarget {
    /// The entity of the object. That of a new object is the most special one that a draft has.
    private(set) var entity: Entity

    /// nil until a new object is inserted.
    var object: ManagedObject?
    let isNew: Bool

    /// In the order of the data: later values replace earlier ones.
    private(set) var drafts: [ObjectDraft] = []

    /// The relationships that are set from their other ends.
    var setByInverse = PropertyMask()

    init(_ entity: Entity, _ object: ManagedObject? = nil) {
        self.entity = entity
        self.object = object
        isNew = object == nil
    }

    /// - Throws: `ObjectCodingError.unsuitableEntity` if the object is not of the draft's entity.
    func add(_ draft: ObjectDraft) throws {
        if !entity.isKind(of: draft.entity) {
            guard isNew, draft.entity.isKind(of: entity) else {
                throw ObjectCodingError.decoding(
                    .unsuitableEntity(expected: draft.entity.name), entity.name, draft.path)
            }
            entity = draft.entity
        }
        drafts.append(draft)
        draft.target = self
    }

    /// A mandatory attribute or to-one relationship of the new object that nothing sets; nil if
    /// there is none.
    var missingProperty: Property? {
        guard let object else { return nil }
        return entity.properties.first { property in
            guard !property.isOptional, !property.isTransient, !property.isHidden else {
                return false
            }
            switch property.kind {
            case .attribute: return object.attributeValue(of: property).isNull
            case .toMany: return false
            case .toOne:
                return object.destination(of: property) == nil
                    && !setByInverse.contains(property.index)
                    && !drafts.contains {
                        $0.links.contains { $0.property.index == property.index }
                    }
            }
        }
    }

    /// Sets the attributes. A value that the object has already is no change.
    func assignValues() {
        for (property, value) in drafts.flatMap(\.values)
        where object!.attributeValue(of: property) != value {
            object!.setAttribute(value, at: property.index)
        }
    }

    /// Sets the relationships. Destinations that the object has already are no change.
    func assignDestinations() {
        for (property, drafts) in drafts.flatMap(\.links) {
            let destinations = drafts.map { $0.target.object! }
            if property.kind == .toOne {
                guard object!.destination(of: property) !== destinations.first else { continue }
                object!.setDestination(destinations.first, of: property)
            } else if property.relationship!.isOrdered {
                guard object!.orderedDestinations(of: property) != destinations else { continue }
                object!.setDestinations(destinations, of: property)
            } else {
                guard object!.destinations(of: property) != Set(destinations) else { continue }
                object!.setDestinations(destinations, of: property)
            }
        }
    }
}
