extension EntityDescription {
    /// The entity that a class declares.
    ///
    /// Its name is the class's `entityName`, its properties are the class's `managedProperties`,
    /// and its superentity is that of the superclass, unless this is `ManagedObject`. Properties
    /// that the superclass lists as well are inherited. Indexes and uniqueness constraints of one
    /// attribute that an accessor declares follow those given here. Source: spec §1.2.
    public init(
        _ type: ManagedObject.Type, isAbstract: Bool = false,
        fetchedProperties: [FetchedPropertyDescription] = [],
        uniquenessConstraints: [[String]] = [], indexes: [FetchIndexDescription] = [],
        renamingIdentifier: String? = nil, userInfo: [String: String] = [:],
        versionHashModifier: String? = nil
    ) {
        // The only way to ask for a superclass without an object, and public but for its name.
        let superclass = _getSuperclass(type) as? ManagedObject.Type
        let inherited = superclass?.managedProperties.map(\.key) ?? []
        self.init(
            name: type.entityName, managedObjectClass: type,
            superentity: superclass == ManagedObject.self ? nil : superclass?.entityName,
            isAbstract: isAbstract, fetchedProperties: fetchedProperties,
            uniquenessConstraints: uniquenessConstraints, indexes: indexes,
            renamingIdentifier: renamingIdentifier, userInfo: userInfo,
            versionHashModifier: versionHashModifier)
        for key in type.managedProperties.map(\.key)
        where !inherited.contains(where: { $0 === key }) {
            switch key.declaration() {
            case .attribute(let attribute, let isUnique, let indexes):
                attributes.append(attribute)
                if isUnique, !self.uniquenessConstraints.contains([attribute.name]) {
                    self.uniquenessConstraints.append([attribute.name])
                }
                self.indexes += indexes.map { $0.description(of: attribute.name) }
            case .relationship(let relationship): relationships.append(relationship)
            }
        }
    }
}
