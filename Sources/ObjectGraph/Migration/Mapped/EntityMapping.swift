/// What becomes of the objects of one entity.
public struct EntityMapping: Sendable {
    /// Core Data's types of mappings.
    public enum Kind: Int, Sendable, Hashable {
        /// Made by hand.
        case custom = 1
        /// The entity is new.
        case add = 2
        /// The entity and its rows are removed.
        case remove = 3
        /// The rows stay as they are.
        case copy = 4
        /// The rows change, or the name of the entity.
        case transform = 5
    }

    /// The name by which other mappings refer to this one: `PersonToContact`, unless it was given.
    public let name: String

    public let kind: Kind

    /// The entity in the model of the rows; nil for one that is added.
    public let source: String?

    /// The entity in the new model; nil for one that is removed.
    public let destination: String?

    /// The destination's properties, inherited ones included, in the order of declaration.
    public let propertyMappings: [PropertyMapping]

    /// The names of the source's properties whose values are lost, in the order of declaration.
    public let removedProperties: [String]

    /// The objects of the source to which the mapping applies; nil means all.
    public let predicate: ObjectPredicate?

    /// The code of the mapping; nil if expressions do it all.
    public let policy: (any EntityMigrationPolicy)?

    /// Values for the policy.
    public let userInfo: [String: String]

    /// A mapping made by hand: one new object for each object of the source, or what its policy
    /// makes of them.
    ///
    /// Applies to the objects of exactly this entity; each descendant needs a mapping of its own.
    /// - Parameters:
    ///   - source: The entity in the model of the rows; nil if only the policy makes objects.
    ///   - destination: The entity in the new model.
    ///   - name: The name for other mappings; nil means `SourceToDestination`.
    ///   - properties: The values of properties. A property that is not listed takes the values of
    ///     the one that it was, by renaming identifier or name, if that has the same type; otherwise
    ///     its default value.
    ///   - predicate: The objects of the source to which the mapping applies; nil means all.
    ///   - policy: The code of the mapping.
    ///   - userInfo: Values for the policy.
    public init(
        from source: String?, to destination: String, name: String? = nil,
        properties: [PropertyMapping] = [], where predicate: ObjectPredicate? = nil,
        policy: (any EntityMigrationPolicy)? = nil, userInfo: [String: String] = [:]
    ) {
        self.init(
            name: name, kind: .custom, source: source, destination: destination,
            propertyMappings: properties, predicate: predicate, policy: policy, userInfo: userInfo)
    }

    init(
        name: String? = nil, kind: Kind, source: String?, destination: String?,
        propertyMappings: [PropertyMapping], removedProperties: [String] = [],
        predicate: ObjectPredicate? = nil, policy: (any EntityMigrationPolicy)? = nil,
        userInfo: [String: String] = [:]
    ) {
        self.name = name ?? "\(source ?? "")To\(destination ?? "")"
        self.kind = kind
        self.source = source
        self.destination = destination
        self.propertyMappings = propertyMappings
        self.removedProperties = removedProperties
        self.predicate = predicate
        self.policy = policy
        self.userInfo = userInfo
    }
}

// Mappings with a closure.
extension EntityMapping {
    /// A mapping whose closure makes any number of new objects for each object of the source, with
    /// `MigrationManager.insert`.
    ///
    /// - Parameters:
    ///   - source: The entity in the model of the rows.
    ///   - destination: The entity in the new model.
    ///   - name: The name for other mappings; nil means `SourceToDestination`.
    ///   - properties: The values that an inserted object begins with; see the initializer.
    ///   - predicate: The objects of the source to which the mapping applies; nil means all.
    ///   - body: Gets an object of the source.
    public static func custom(
        from source: String, to destination: String, name: String? = nil,
        properties: [PropertyMapping] = [], where predicate: ObjectPredicate? = nil,
        _ body: @escaping @Sendable (ManagedObject, MigrationManager) throws -> Void
    ) -> Self {
        Self(
            from: source, to: destination, name: name, properties: properties, where: predicate,
            policy: ClosurePolicy(body: body))
    }

    /// A mapping whose closure completes the one new object for each object of the source.
    ///
    /// - Parameters:
    ///   - source: The entity in the model of the rows.
    ///   - destination: The entity in the new model.
    ///   - name: The name for other mappings; nil means `SourceToDestination`.
    ///   - properties: The values that the new object begins with; see the initializer.
    ///   - predicate: The objects of the source to which the mapping applies; nil means all.
    ///   - body: Gets an object of the source and the new one.
    public static func custom(
        from source: String, to destination: String, name: String? = nil,
        properties: [PropertyMapping] = [], where predicate: ObjectPredicate? = nil,
        _ body: @escaping @Sendable (ManagedObject, ManagedObject, MigrationManager) throws -> Void
    ) -> Self {
        .custom(
            from: source, to: destination, name: name, properties: properties, where: predicate
        ) { source, manager in
            try body(source, manager.insert(), manager)
        }
    }

    /// A mapping between the entities of two classes, whose closure makes any number of new objects
    /// for each object of the source, with `MigrationManager.insert`.
    ///
    /// - Parameters:
    ///   - source: The class in the model of the rows.
    ///   - destination: The class in the new model.
    ///   - name: The name for other mappings; nil means `SourceToDestination`.
    ///   - properties: The values that an inserted object begins with; see the initializer.
    ///   - predicate: The objects of the source to which the mapping applies; nil means all.
    ///   - body: Gets an object of the source.
    public static func custom<Source: ManagedObject>(
        from source: Source.Type, to destination: ManagedObject.Type, name: String? = nil,
        properties: [PropertyMapping] = [], where predicate: ObjectPredicate? = nil,
        _ body: @escaping @Sendable (Source, MigrationManager) throws -> Void
    ) -> Self {
        .custom(
            from: source.entityName, to: destination.entityName, name: name,
            properties: properties, where: predicate
        ) { source, manager in
            try body(source.cast(), manager)
        }
    }

    /// A mapping between the entities of two classes, whose closure completes the one new object for
    /// each object of the source.
    ///
    /// - Parameters:
    ///   - source: The class in the model of the rows.
    ///   - destination: The class in the new model.
    ///   - name: The name for other mappings; nil means `SourceToDestination`.
    ///   - properties: The values that the new object begins with; see the initializer.
    ///   - predicate: The objects of the source to which the mapping applies; nil means all.
    ///   - body: Gets an object of the source and the new one.
    public static func custom<Source: ManagedObject, Destination: ManagedObject>(
        from source: Source.Type, to destination: Destination.Type, name: String? = nil,
        properties: [PropertyMapping] = [], where predicate: ObjectPredicate? = nil,
        _ body: @escaping @Sendable (Source, Destination, MigrationManager) throws -> Void
    ) -> Self {
        .custom(
            from: source.entityName, to: destination.entityName, name: name,
            properties: properties, where: predicate
        ) { source, manager in
            try body(source.cast(), manager.insert().cast(), manager)
        }
    }
}

extension ManagedObject {
    /// The object as one of a class.
    ///
    /// - Throws: `FetchError.classMismatch`.
    func cast<Object: ManagedObject>() throws(FetchError) -> Object {
        guard let object = self as? Object else {
            throw .classMismatch(entity: binding.entity.name, expected: "\(Object.self)")
        }
        return object
    }
}
