/// The entities to which the key paths of a request lead, with their descendants.
final class ReachedEntities {
    /// By entity index.
    private(set) var indexes: Set<Int> = []

    func insert(_ entity: Entity) { indexes.formUnion(entity.familyIndexes) }
}
