/// The keys of an entity's properties in coded objects, which follow from the model.
struct EntityCoding {
    struct CodedProperty {
        let property: Property
        /// The name of the property, of an element that in its composite attribute.
        let name: String
        let key: ObjectCodingKey
        /// Whether the class codes the attribute itself.
        let isByHand: Bool
        /// The elements of a composite attribute, without those whose key is empty.
        let elements: [CodedProperty]
    }

    /// The most objects within objects that are decoded or encoded: each uses part of the stack.
    static let maximumDepth = 100

    /// In the order of the model. Without transient attributes, and those whose key is empty.
    let properties: [CodedProperty]
    let keys: Set<String>

    /// The key that several properties have, or that names the entity; nil if there is none.
    let ambiguousKey: ObjectCodingKey?

    init(_ entity: Entity) {
        let attributes = entity.description.attributesByName
        let relationships = entity.description.relationshipsByName
        let objectClass = entity.objectClass
        let handCoded = objectClass.handCodedKeys
        for name in handCoded where attributes[name] == nil {
            fatalError(
                "\(objectClass).handCodedKeys has '\(name)', which is not an attribute of '\(entity.name)'."
            )
        }
        properties = entity.properties.compactMap { property in
            guard !property.isTransient, !property.isHidden else { return nil }
            let name = property.name
            let key = attributes[name]?.codingKey ?? relationships[name]?.codingKey ?? name
            guard !key.isEmpty else { return nil }
            return CodedProperty(
                property: property, name: name, key: ObjectCodingKey(key),
                isByHand: handCoded.contains(name),
                elements: Self.elements(of: property, attributes[name]?.elements ?? []))
        }
        var keys: Set = [ObjectCodingKey.entity.stringValue]
        ambiguousKey =
            properties.first { !keys.insert($0.key.stringValue).inserted }?.key
            ?? properties.lazy.compactMap { Self.ambiguousKey(among: $0.elements) }.first
        self.keys = keys
    }

    private static func elements(
        of composite: Property, _ descriptions: [AttributeDescription]
    ) -> [CodedProperty] {
        zip(composite.elements, descriptions).compactMap { element, description in
            let key = description.codingKey ?? element.name
            guard !key.isEmpty else { return nil }
            return CodedProperty(
                property: element.property, name: element.name, key: ObjectCodingKey(key),
                isByHand: false, elements: elements(of: element.property, description.elements))
        }
    }

    private static func ambiguousKey(among elements: [CodedProperty]) -> ObjectCodingKey? {
        var keys: Set<String> = []
        return elements.first { !keys.insert($0.key.stringValue).inserted }?.key
            ?? elements.lazy.compactMap { ambiguousKey(among: $0.elements) }.first
    }

    func key(of property: Property) -> ObjectCodingKey? {
        properties.first { $0.property.index == property.index }?.key
    }
}

/// The codings of the entities that one decoding or encoding meets.
final class EntityCodings {
    private var codings: [Int: EntityCoding] = [:]

    subscript(_ entity: Entity) -> EntityCoding {
        if let coding = codings[entity.index] { return coding }
        let coding = EntityCoding(entity)
        codings[entity.index] = coding
        return coding
    }
}

/// A key of a coded object.
struct ObjectCodingKey: CodingKey {
    /// The key that names the entity of an object where another one is expected. No property has
    /// this name.
    static let entity = ObjectCodingKey("entity")

    let stringValue: String
    var intValue: Int? { nil }

    init(_ key: String) { stringValue = key }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension Entity {
    var objectClass: ManagedObject.Type {
        description.managedObjectClass as? ManagedObject.Type ?? ManagedObject.self
    }
}

extension ManagedObjectModel {
    /// The entity of the objects of a class, or else the one that is named; nil if no name is
    /// given.
    func codedEntity(
        of type: ManagedObject.Type, orNamed name: String?
    ) throws(ObjectCodingError) -> Entity? {
        if let entity = onlyEntity(ofClass: type) { return entity }
        guard let name else { return nil }
        guard let entity = entity(named: name) else {
            throw ObjectCodingError(.unknownEntity, name, [])
        }
        return entity
    }
}
