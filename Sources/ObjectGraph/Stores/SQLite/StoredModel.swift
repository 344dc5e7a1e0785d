/// The model that a store carries.
enum StoredModel {
    static func read(on connection: Connection) throws -> ManagedObjectModel {
        throw StoreError(.unknownModel)
    }
}
