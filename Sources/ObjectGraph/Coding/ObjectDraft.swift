/// An object as the data describe it. A draft is read completely before the context is asked or
/// changed.
final class ObjectDraft {
    let entity: Entity
    let path: [any CodingKey]

    /// The object around, if its one-to-one relationship leads here.
    fileprivate(set) weak var oneToOneOwner: ObjectDraft?

    /// The owner's one-to-one relationship.
    fileprivate(set) var oneToOne: Property?

    /// The attributes that the data have, null where they say so.
    fileprivate(set) var values: [(property: Property, value: AttributeValue)] = []

    /// The relationships that the data have, without destinations where they say so.
    fileprivate(set) var links: [(property: Property, destinations: [ObjectDraft])] = []

    /// The object that is found or made; several drafts may describe it.
    var target: ObjectTarget!

    fileprivate init(_ entity: Entity, _ path: [any CodingKey]) {
        self.entity = entity
        self.path = path
    }
}

/// Reads drafts from a decoder.
struct DraftReader {
    let model: ManagedObjectModel
    let refusesUnknownKeys: Bool
    let codings = EntityCodings()

    /// All drafts, each before those within it.
    private(set) var drafts: [ObjectDraft] = []

    init(_ model: ManagedObjectModel, refusesUnknownKeys: Bool) {
        self.model = model
        self.refusesUnknownKeys = refusesUnknownKeys
    }

    /// Reads an object. Without an expected entity, which may be an ancestor of its own, the data
    /// have to name one.
    mutating func read(
        from decoder: any Decoder, expecting expected: Entity?, class type: ManagedObject.Type,
        depth: Int = 0
    ) throws -> ObjectDraft {
        let path = decoder.codingPath
        guard depth <= EntityCoding.maximumDepth else {
            throw ObjectCodingError.decoding(
                .tooDeep(limit: EntityCoding.maximumDepth), expected?.name ?? "\(type)", path)
        }
        let container = try decoder.container(keyedBy: ObjectCodingKey.self)
        guard let entity = try namedEntity(in: container, expecting: expected) ?? expected else {
            throw ObjectCodingError.decoding(.noEntity, "\(type)", path)
        }
        let coding = codings[entity]
        if let key = coding.ambiguousKey {
            throw ObjectCodingError.decoding(.ambiguousKey, entity.name, path + [key])
        }
        if refusesUnknownKeys,
            let key = container.allKeys.filter({ !coding.keys.contains($0.stringValue) })
                .min(by: { $0.stringValue < $1.stringValue })
        {
            throw ObjectCodingError.decoding(.unknownKey, entity.name, path + [key])
        }
        let draft = ObjectDraft(entity, path)
        drafts.append(draft)
        for coded in coding.properties where container.contains(coded.key) {
            if coded.property.relationship == nil {
                let value = try ValueDecoder(
                    entity, coded, container, refusesUnknownKeys: refusesUnknownKeys
                ).value()
                draft.values.append((coded.property, value))
            } else {
                let destinations = try destinations(of: coded, entity, container, depth + 1)
                draft.links.append((coded.property, destinations))
                let inverse = model.inverse(of: coded.property.relationship!)
                if coded.property.kind == .toOne, inverse?.kind == .toOne {
                    destinations.first?.oneToOneOwner = draft
                    destinations.first?.oneToOne = coded.property
                }
            }
        }
        return draft
    }

    mutating func readList(
        from decoder: any Decoder, expecting expected: Entity?, class type: ManagedObject.Type,
        depth: Int = 0
    ) throws -> [ObjectDraft] {
        var container = try decoder.unkeyedContainer()
        var list: [ObjectDraft] = []
        while !container.isAtEnd {
            list.append(
                try read(
                    from: container.superDecoder(), expecting: expected, class: type, depth: depth))
        }
        return list
    }

    private func namedEntity(
        in container: KeyedDecodingContainer<ObjectCodingKey>, expecting expected: Entity?
    ) throws -> Entity? {
        guard container.contains(.entity) else { return nil }
        let name = try container.decode(String.self, forKey: .entity)
        let path = container.codingPath + [ObjectCodingKey.entity]
        guard let entity = model.entity(named: name) else {
            throw ObjectCodingError.decoding(.unknownEntity, name, path)
        }
        if let expected, !entity.isKind(of: expected) {
            throw ObjectCodingError.decoding(
                .unsuitableEntity(expected: expected.name), name, path)
        }
        return entity
    }

    private mutating func destinations(
        of coded: EntityCoding.CodedProperty, _ entity: Entity,
        _ container: KeyedDecodingContainer<ObjectCodingKey>, _ depth: Int
    ) throws -> [ObjectDraft] {
        let property = coded.property
        if try container.decodeNil(forKey: coded.key) {
            guard property.isOptional || property.kind == .toMany else {
                throw ObjectCodingError.decoding(
                    .missingValue, entity.name, container.codingPath + [coded.key])
            }
            return []
        }
        let decoder = try container.superDecoder(forKey: coded.key)
        let expected = model.destination(of: property.relationship!)
        guard property.kind == .toMany else {
            return [
                try read(
                    from: decoder, expecting: expected, class: expected.objectClass, depth: depth)
            ]
        }
        return try readList(
            from: decoder, expecting: expected, class: expected.objectClass, depth: depth)
    }
}
