import Synchronization

/// The name of a property in an entity class, with the index at which it was last found.
public final class PropertyKey: Sendable {
    public let name: String

    /// The properties that the accessor can be used for.
    private let requirement: Requirement

    /// Property identifier and index of the last look-up, packed into one word so that they always
    /// match.
    private let lastFound = Atomic<UInt64>(0)

    enum Requirement: Sendable {
        case attribute([AttributeType])
        /// An element of a composite attribute; the name is its key path.
        case element([AttributeType])
        case toOne(ClassRequirement)
        case toMany(ClassRequirement)
    }

    /// The class that all destinations of a relationship must be instances of.
    struct ClassRequirement: Sendable {
        let name: String
        let isMet: @Sendable (AnyClass) -> Bool

        init<Destination: ManagedObject>(_ type: Destination.Type) {
            name = "\(type)"
            isMet = { $0 is Destination.Type }
        }
    }

    /// The accessor's declaration of the property, for `EntityDescription(_:)`. Asked when all
    /// classes are complete, since a relationship may name an accessor of another class.
    let declaration: @Sendable () -> Declaration

    enum Declaration {
        case attribute(
            AttributeDescription, isUnique: Bool = false, _ indexes: [PropertyIndex] = [])
        case relationship(RelationshipDescription)
    }

    init(
        _ name: String, _ requirement: Requirement,
        declaration: @escaping @Sendable () -> Declaration
    ) {
        self.name = name
        self.requirement = requirement
        self.declaration = declaration
    }

    /// The key of an element of a composite attribute, which the attribute declares.
    convenience init(element keyPath: String, _ types: [AttributeType]) {
        self.init(keyPath, .element(types)) {
            preconditionFailure("No class lists an element among its properties.")
        }
    }

    /// The index of the property in the entity of a binding.
    @inline(__always)
    func index(in binding: EntityBinding) -> Int {
        index(binding.accessors, count: binding.propertyCount)
            ?? search(in: binding.entity, binding.model)
    }

    /// The index of the property in the entity.
    ///
    /// The remembered index is right for every entity that inherits the property, since a property
    /// keeps its index and identifier in subentities.
    @inline(__always)
    func index(in entity: Entity) -> Int {
        index(entity.accessors, count: entity.properties.count) ?? search(in: entity, nil)
    }

    /// The remembered index if the property is there; nil if it must be looked up.
    @inline(__always)
    func index(_ accessors: UnsafePointer<PropertyAccessor>, count: Int) -> Int? {
        let found = lastFound.load(ordering: .relaxed)
        let index = Int(truncatingIfNeeded: found & 0xffff_ffff)
        guard index < count, UInt64(accessors[index].identifier) == found >> 32 else { return nil }
        return index
    }

    @inline(never)
    private func search(in entity: Entity, _ model: ManagedObjectModel?) -> Int {
        var found = entity.property(named: name)
        if case .element = requirement { found = entity.property(at: name) }
        guard let property = found else {
            fatalError(
                "The entity '\(entity.name)' has no property '\(name)'; correct the accessor, or add the property to the model."
            )
        }
        guard isFulfilled(by: property, model) else {
            fatalError(
                "The accessor for '\(entity.name).\(name)' is for \(requirement), but the property is \(property.kind); \(remedy(for: property, model))."
            )
        }
        lastFound.store(
            UInt64(property.identifier) << 32 | UInt64(property.index), ordering: .relaxed)
        return property.index
    }

    private func remedy(for property: Property, _ model: ManagedObjectModel?) -> String {
        switch (property.kind, requirement) {
        case (.toOne, .toOne(let expected)), (.toMany, .toMany(let expected)):
            let destination = property.relationship.flatMap { model?.destination(of: $0) }
            guard let destination, destination.description.managedObjectClass == nil else { break }
            return
                "give '\(destination.name)' the class \(expected.name), in the model or in classes when it is read from a file"
        default: break
        }
        return "make them agree"
    }

    /// Whether the accessor's type fits the property, so that reading and setting need no checks.
    private func isFulfilled(by property: Property, _ model: ManagedObjectModel?) -> Bool {
        switch (property.kind, requirement) {
        case (.attribute(let type), .attribute(let types)),
            (.attribute(let type), .element(let types)):
            return types.contains(type)
        case (.toOne, .toOne(let expected)), (.toMany, .toMany(let expected)):
            guard let model else { return true }
            let destination = model.destination(of: property.relationship!)
            return destination.familyIndexes.allSatisfy {
                expected.isMet(
                    model.entities[$0].description.managedObjectClass ?? ManagedObject.self)
            }
        default: return false
        }
    }
}

extension PropertyKey.Requirement: CustomStringConvertible {
    var description: String {
        switch self {
        case .attribute(let types), .element(let types):
            "an attribute of type \(types.map { "\($0)" }.joined(separator: ", "))"
        case .toOne(let expected): "a relationship to one \(expected.name)"
        case .toMany(let expected): "a relationship to many of \(expected.name)"
        }
    }
}
