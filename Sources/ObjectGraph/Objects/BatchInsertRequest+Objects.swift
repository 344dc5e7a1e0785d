extension BatchInsertRequest {
    /// One row for each call of the handler, until it returns true; that call inserts no row.
    ///
    /// Each call gets a new object of no context, with default values. Its attributes are inserted,
    /// all of them: where a stored row is updated, defaults replace what it has. No hook of the
    /// object is called. The handler is bound as a `rowHandler` is.
    public init<Object: ManagedObject>(
        _ type: Object.Type, objectHandler: @escaping @Sendable (Object) throws -> Bool
    ) {
        self.init(entityName: type.entityName) { model, entity in
            let binding = EntityBinding(unattached: entity, model: model)
            guard binding.objectClass == Object.self else {
                throw FetchError.classMismatch(entity: entity.name, expected: "\(Object.self)")
            }
            let attributes = entity.properties.filter {
                $0.attributeType != nil && $0.slot != nil && !$0.isPlace
            }
            return { row in
                let object = Object(
                    seed: ObjectSeed(
                        binding: binding, reference: ObjectIDScope.newTemporaryReference(),
                        life: .unattached, flags: .changedInEvent))
                object.setDefaults()
                if try objectHandler(object) { return true }
                for property in attributes {
                    try row.set(object.attributeValue(of: property), forKey: property.name)
                }
                return false
            }
        }
    }
}
