import ObjectGraph

extension ManagedObjectModel {
    /// The entity and its ancestors.
    func lineage(of entity: String) -> [EntityDescription] {
        sequence(first: entity) { self.entitiesByName[$0]?.superentity }
            .compactMap { entitiesByName[$0] }
    }

    /// Whether the attribute must have a value.
    func isMandatory(_ path: PropertyPath) -> Bool {
        attributesByName(ofEntity: path.entity)?[path.property]?.isOptional == false
    }

    /// Whether no rule or constraint limits an attribute's values.
    func isFree(_ path: PropertyPath) -> Bool {
        let attribute = attributesByName(ofEntity: path.entity)?[path.property]
        return attribute?.validationRules.isEmpty == true
            && !lineage(of: path.entity).contains {
                $0.uniquenessConstraints.joined().contains(path.property)
            }
    }

    /// Whether clones of its objects may be saved: nothing in them is unique or belongs to one
    /// object only.
    func canClone(_ entity: String) -> Bool {
        lineage(of: entity).allSatisfy(\.uniquenessConstraints.isEmpty)
            && relationships(of: entity).allSatisfy { relationship in
                guard let inverse = inverse(of: relationship) else { return true }
                return inverse.isToMany ? inverse.maxCount == 0 : relationship.isOptional
            }
    }

    /// Whether its objects may be deleted without a refusal, and without deleting each other.
    func canDelete(_ entity: String) -> Bool {
        relationships(of: entity).allSatisfy { relationship in
            switch relationship.deleteRule {
            case .deny: return false
            case .cascade:
                return !isEntity(relationship.destination, kindOf: entity)
                    && !isEntity(entity, kindOf: relationship.destination)
            case .nullify, .noAction:
                guard let inverse = inverse(of: relationship) else { return true }
                // An optional one may be empty, whatever its least number of members.
                return inverse.isToMany
                    ? inverse.minCount <= (inverse.isOptional ? 1 : 0) : inverse.isOptional
            }
        }
    }
}
