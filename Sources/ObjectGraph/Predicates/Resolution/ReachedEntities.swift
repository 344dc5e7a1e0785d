/// What the key paths of a request lead to: entities, and the properties that are read of them.
final class ReachedEntities {
    /// By entity index, descendants included.
    private(set) var indexes: Set<Int> = []

    /// The properties of related objects, by the index of the entity that a path leads to.
    private(set) var properties: [Int: PropertyMask] = [:]

    func insert(_ entity: Entity) { indexes.formUnion(entity.familyIndexes) }

    func insert(_ property: Property, of path: ObjectPath) {
        guard path.level > 0 || !path.steps.isEmpty else { return }
        properties[path.entityIndex, default: PropertyMask()].insert(property.index)
    }
}
