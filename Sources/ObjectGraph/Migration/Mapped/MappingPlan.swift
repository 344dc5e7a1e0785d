/// An entity mapping with everything looked up.
final class MappingPlan {
    /// Where the values of an attribute come from.
    private struct AttributePlan {
        enum Origin {
            /// An attribute of the source with values of the same type.
            case attribute(Property)
            case expression(Operand)
        }

        let property: Property
        let origin: Origin
    }

    let mapping: EntityMapping
    let policy: any EntityMigrationPolicy

    /// The entity in the model of the rows.
    let source: Entity?

    /// The entity in the new model.
    let destination: Entity?

    private let attributes: [AttributePlan]

    private(set) var relationships: [RelationshipPlan]

    /// Those that are set from their inverses and have an order.
    private(set) var orders: [RelationshipPlan] = []

    /// - Throws: `MigrationError` with `invalidMapping`.
    init(_ mapping: EntityMapping, _ model: MappingModel) throws(MigrationError) {
        self.mapping = mapping
        policy = mapping.policy ?? PlainPolicy()
        source = mapping.source.flatMap(model.source.entity)
        destination = mapping.destination.flatMap(model.destination.entity)
        var attributes: [AttributePlan] = []
        var relationships: [RelationshipPlan] = []
        for made in mapping.propertyMappings {
            guard let source, let property = destination?.property(named: made.name),
                let value = made.value, property.isMappable
            else { continue }
            do throws(FetchError) {
                if let relationship = property.relationship {
                    relationships.append(
                        try RelationshipPlan(
                            property, model.destination.destination(of: relationship), made, value,
                            from: source, model.source))
                } else if property.isComposite,
                    let former = made.source.flatMap(source.property(named:)), former.isComposite
                {
                    attributes += Self.elements(of: property, destination!, former, source, model)
                } else {
                    attributes.append(
                        AttributePlan(
                            property: property,
                            origin: try Self.origin(of: property, made, value, source, model)))
                }
            } catch {
                throw MigrationError(
                    .invalidMapping(
                        mapping.name,
                        .unusableExpression(property: made.name, error.description)))
            }
        }
        self.attributes = attributes
        self.relationships = relationships
        guard let predicate = mapping.predicate, let source else { return }
        do throws(FetchError) {
            _ = try ConditionResolver(entity: source, model: model.source).condition(predicate)
        } catch {
            throw MigrationError(
                .invalidMapping(
                    mapping.name, .unusableExpression(property: nil, error.description)))
        }
    }

    /// The plans of the elements of a composite attribute that was one before.
    private static func elements(
        of property: Property, _ entity: Entity, _ former: Property, _ source: Entity,
        _ model: MappingModel
    ) -> [AttributePlan] {
        let formers = ModelCorrespondence.properties(
            of: entity, model.destination, in: source, model.source)
        var plans: [AttributePlan] = []
        property.leaves.forEach { index in
            guard let element = formers[index], former.leaves.contains(element.index),
                element.attributeType == entity.properties[index].attributeType
            else { return }
            plans.append(
                AttributePlan(property: entity.properties[index], origin: .attribute(element)))
        }
        return plans
    }

    private static func origin(
        of property: Property, _ made: PropertyMapping, _ value: ObjectExpression,
        _ source: Entity, _ model: MappingModel
    ) throws(FetchError) -> AttributePlan.Origin {
        if let former = made.source.flatMap(source.property(named:)),
            former.attributeType == property.attributeType
        {
            return .attribute(former)
        }
        return .expression(
            try ConditionResolver(entity: source, model: model.source).operand(value.ofSource))
    }

    /// The plans of all mappings of a model.
    static func all(_ model: MappingModel) throws(MigrationError) -> [MappingPlan] {
        var plans: [MappingPlan] = []
        for mapping in model.entityMappings { plans.append(try MappingPlan(mapping, model)) }
        return plans
    }

    /// The relationships that are set from their inverses, by property index.
    ///
    /// - Parameters:
    ///   - plans: All plans.
    ///   - strays: The entities of which mappings with another destination have made objects.
    func inverses(
        in plans: [MappingPlan], _ model: MappingModel, strays: [Entity]
    ) -> Set<Int> {
        let found = relationships.filter { relationship in
            relationship.isSetByInverse(in: model, plans)
                && !strays.contains { $0.isKind(of: relationship.destination) }
        }
        return Set(found.map(\.property.index))
    }

    func leaveOut(_ indexes: Set<Int>) {
        let left = relationships.filter { indexes.contains($0.property.index) }
        orders = left.filter { $0.property.relationship!.isOrdered }
        relationships.removeAll { indexes.contains($0.property.index) }
    }

    /// Whether the second pass has anything to do for the mapping.
    var isRelated: Bool { !relationships.isEmpty || hasPolicy }

    /// Whether the mapping has code for more than the first pass.
    fileprivate var hasPolicy: Bool { !(policy is PlainPolicy || policy is ClosurePolicy) }

    /// The to-many relationships of the source that the second pass reads.
    var prefetched: [String] {
        (relationships + orders).compactMap { relationship in
            if case .relationship(let property) = relationship.origin, property.kind == .toMany {
                property.name
            } else {
                nil
            }
        }
    }

    // MARK: - Values

    /// Whether an object has the properties of the destination.
    func makes(_ object: ManagedObject) -> Bool {
        destination.map { object.binding.entity.isKind(of: $0) } ?? false
    }

    /// Sets the attributes of a new object.
    ///
    /// - Returns: The size of those values that are data.
    /// - Throws: `PropertyError` if one does not accept its value.
    func setAttributes(of object: ManagedObject, from source: ManagedObject) throws -> Int {
        var byteCount = 0
        for attribute in attributes {
            let property = attribute.property
            let value: AttributeValue
            switch attribute.origin {
            case .attribute(let former):
                value = property.copy(of: source.attributeValue(of: former))
            case .expression(let operand):
                let computed = operand.value(for: ObjectSubject(object: source))
                guard let converted = property.converted(computed) else {
                    throw PropertyError(
                        .unacceptableValue(
                            "\(computed)", expected: property.attributeType.map { "\($0)" } ?? ""),
                        entity: object.binding.entity.name, key: property.name)
                }
                value = converted
            }
            // A mandatory attribute keeps its default value.
            if value.isNull, !property.isOptional, property.defaultValue != nil { continue }
            if case .data(let data) = value { byteCount += data.count }
            object.setAttribute(value, at: property.index)
        }
        return byteCount
    }
}

/// Where the objects of a relationship come from.
struct RelationshipPlan {
    enum Origin {
        /// The objects made of those of a relationship of the source.
        case relationship(Property)
        /// Those made of the objects at the end of a key path.
        case keyPath(String)
        /// Those made of all objects to which these relationships lead, one after the other.
        case union([Property])
        /// Those made of the source's object itself.
        case object
    }

    let property: Property
    let origin: Origin

    /// The mapping that has made the objects; nil means any.
    let mappingName: String?

    /// The entity that the objects must have.
    let destination: Entity

    init(
        _ property: Property, _ destination: Entity, _ mapping: PropertyMapping,
        _ value: ObjectExpression, from source: Entity, _ model: ManagedObjectModel
    ) throws(FetchError) {
        self.property = property
        self.destination = destination
        mappingName = mapping.mappingName
        switch value.ofSource {
        case .evaluatedObject: origin = .object
        case .keyPath(let path):
            if let former = source.property(named: path), former.relationship != nil {
                origin = .relationship(former)
                return
            }
            if path.contains("@") {
                origin = .union(try Self.steps(path, from: source, model))
                return
            }
            let found = try ConditionResolver(entity: source, model: model).keyPath(path)
            guard case .object = found.operand else { throw Self.notObjects }
            origin = .keyPath(path)
        default: throw Self.notObjects
        }
    }

    /// The relationships of a key path with union operators, such as
    /// `countries.@distinctUnionOfSets.moods`.
    private static func steps(
        _ path: String, from source: Entity, _ model: ManagedObjectModel
    ) throws(FetchError) -> [Property] {
        var steps: [Property] = []
        var entity = source
        var isCollection = false
        var isUnited = false
        for key in path.split(separator: ".", omittingEmptySubsequences: false).map(String.init) {
            if ObjectExpression.unionOperators.contains(key), isCollection, !isUnited {
                isUnited = true
                continue
            }
            guard let property = entity.property(named: key) else {
                throw .unknownKeyPath(path, entity: source.name)
            }
            guard let relationship = property.relationship else { throw notObjects }
            if property.kind == .toMany {
                guard isUnited || !isCollection else {
                    throw .multipleToManyKeysNotAllowedHere(path, entity: source.name)
                }
                (isCollection, isUnited) = (true, false)
            }
            steps.append(property)
            entity = model.destination(of: relationship)
        }
        // An operator has a key behind it.
        guard path.split(separator: ".").last?.first != "@" else {
            throw .unknownKeyPath(path, entity: source.name)
        }
        return steps
    }

    private static let notObjects = FetchError.unsupported(
        feature: "Anything but a key path to objects for a relationship")

    /// The objects of the source for whose new objects the relationship is.
    func objects(of source: ManagedObject) throws -> [ManagedObject] {
        switch origin {
        case .object: return [source]
        case .relationship(let property): return Self.members(of: property, source)
        case .union(let steps):
            return steps.reduce([source]) { objects, step in
                var seen: Set<ManagedObject> = []
                return objects.flatMap { Self.members(of: step, $0) }
                    .filter { seen.insert($0).inserted }
            }
        case .keyPath(let path):
            let value = try source.value(forKeyPath: path)
            return value as? [ManagedObject] ?? (value as? ManagedObject).map { [$0] } ?? []
        }
    }

    private static func members(
        of property: Property, _ object: ManagedObject
    ) -> [ManagedObject] {
        guard property.kind == .toMany else {
            return object.destination(of: property).map { [$0] } ?? []
        }
        let members = object.orderedDestinations(of: property)
        return property.relationship!.isOrdered
            ? members : members.sorted { $0.reference < $1.reference }
    }

    /// Adds objects to the relationship, if they are of its entity.
    func add(_ objects: [ManagedObject], to owner: ManagedObject) {
        let fitting = objects.filter { $0.binding.entity.isKind(of: destination) }
        guard property.kind == .toMany else {
            if let object = fitting.first { owner.setDestination(object, of: property) }
            return
        }
        guard property.relationship!.isOrdered else {
            for object in fitting { owner.change(object, in: property, isAddition: true) }
            return
        }
        // The other ends may have been set before, in another order.
        let added = Set(fitting)
        let others = owner.orderedDestinations(of: property).filter { !added.contains($0) }
        owner.setDestinations(others + fitting, of: property)
    }

    /// Brings members that were set from their side into this order.
    func arrange(_ objects: [ManagedObject], in owner: ManagedObject) {
        let members = owner.destinations(of: property)
        add(objects.filter(members.contains), to: owner)
    }

    // MARK: - Inverses

    /// Whether the mappings of the destinations set the same pairs from the other end, which has the
    /// foreign key. Only their order is then left to set, if there is one: an owner may have a large
    /// number of members.
    func isSetByInverse(in model: MappingModel, _ plans: [MappingPlan]) -> Bool {
        guard property.kind == .toMany, mappingName == nil,
            let inverse = model.destination.inverse(of: property.relationship!),
            inverse.kind == .toOne, case .relationship(let former) = origin,
            let formerInverse = model.source.inverse(of: former.relationship!)
        else { return false }
        return plans.allSatisfy { plan in
            guard plan.created != nil, plan.destination!.isKind(of: destination) else {
                return true
            }
            return !plan.hasPolicy
                && plan.relationships.contains { other in
                    guard case .relationship(let origin) = other.origin else { return false }
                    return other.property.identifier == inverse.identifier
                        && other.mappingName == nil
                        && origin.identifier == formerInverse.identifier
                }
        }
    }
}

extension Property {
    /// Whether a mapping can give the values: they are stored, and not computed by the store.
    var isMappable: Bool { !isTransient && derivation == nil }

    /// A value of an attribute of the same type.
    fileprivate func copy(of value: AttributeValue) -> AttributeValue {
        guard case .transformable(let old) = value else { return value }
        // The attribute may have another transformer.
        return rules?.transformer?.attributeValue(of: old.value) ?? value
    }
}
