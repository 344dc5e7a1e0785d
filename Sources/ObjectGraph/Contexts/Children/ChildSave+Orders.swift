// The orders of members that a child has changed.
extension ChildSave {
    private struct JoinOwner: Hashable {
        let entity: Int
        let key: Int64
        let property: Int
    }

    /// Reads the orders that updates from a child may change. Reading them after the update would
    /// hide the change.
    func keepOrders() {
        guard context.model.hasOrderedRelationships else { return }
        for owner in owners(ofMembers: changes.rows.filter { $0.kind == .update }) {
            _ = owner.source.members(
                of: owner.source.binding.entity.properties[owner.propertyIndex])
        }
    }

    /// Sorts the members of ordered relationships after the child's members and places are taken
    /// over.
    func reorder() {
        guard context.model.hasOrderedRelationships else { return }
        for owner in owners(ofMembers: changes.rows) {
            let property = owner.source.binding.entity.properties[owner.propertyIndex]
            let placeIndex = property.relationship!.placeIndex!
            let members = owner.source.orderedDestinations(of: property).sorted {
                $0.place(at: placeIndex) ?? .max < $1.place(at: placeIndex) ?? .max
            }
            owner.source.reorder(members, of: property)
        }
        let placed = Dictionary(grouping: changes.joins.filter { $0.position != nil }) {
            JoinOwner(entity: $0.entity.index, key: $0.sourceKey, property: $0.property.index)
        }
        for joins in placed.values {
            // The child has placed all members that it has. Others keep their order after them.
            let owned = object(joins[0].sourceKey, joins[0].entity)
            let places = Dictionary(
                joins.map { (object($0.destinationKey, $0.destinationEntity), $0.position!) },
                uniquingKeysWith: { $1 })
            let members = owned.orderedDestinations(of: joins[0].property)
            owned.reorder(members.sorted(byPlaces: places), of: joins[0].property)
        }
    }

    /// The owners of members that are new or have another place or owner, with the relationship.
    private func owners(ofMembers changes: [RowChange]) -> Set<JoinNote> {
        var owners: Set<JoinNote> = []
        for change in changes where change.kind != .delete {
            for property in change.entity.properties where property.kind == .toOne {
                guard let inverse = context.model.inverse(of: property.relationship!),
                    let placeIndex = inverse.relationship?.placeIndex,
                    change.kind == .insert || change.changes.contains(placeIndex)
                        || change.changes.contains(property.index),
                    let owner = object(change.key, change.entity).destination(of: property)
                else { continue }
                owners.insert(
                    JoinNote(source: owner, destination: owner, propertyIndex: inverse.index))
            }
        }
        return owners
    }
}
