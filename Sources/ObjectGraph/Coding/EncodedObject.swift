import Foundation

/// Encodes an object with its attributes, and its relationships as far as the depth goes (spec
/// §2.14).
struct EncodedObject: Encodable {
    /// Which properties are encoded.
    private enum Extent {
        /// All, with the objects of relationships. The depth counts down to 0.
        case whole(depth: Int)
        /// The attributes of a constraint, by which decoding finds the object.
        case reference(UniqueKey.Constraint)
    }

    private let object: ManagedObject

    /// Where another entity is expected, the object's own is encoded too.
    private let expected: Entity?
    private let extent: Extent

    /// The relationship back to the object that this one is within.
    private let inverse: Property?

    /// The objects that this one is within.
    private let path: [ManagedObject]
    private let codings: EntityCodings

    private var entity: Entity { object.binding.entity }
    private var model: ManagedObjectModel { object.binding.model }

    /// An object that is not within another one.
    ///
    /// - Throws: `EncodingError` if `userInfo` has no usable depth or entity.
    init(
        _ object: ManagedObject, as type: ManagedObject.Type, in encoder: any Encoder
    ) throws {
        let depth = encoder.userInfo[.relationshipDepth] as? Int ?? 1
        guard (0...EntityCoding.maximumDepth).contains(depth) else {
            throw ObjectCodingError.encoding(
                .unsuitableDepth(depth, limit: EntityCoding.maximumDepth), object,
                object.binding.entity.name, encoder.codingPath)
        }
        do throws(ObjectCodingError) {
            expected = try object.binding.model.codedEntity(
                of: type, orNamed: encoder.userInfo[.managedEntityName] as? String)
        } catch {
            throw ObjectCodingError.encoding(
                error.reason, object, error.entity, encoder.codingPath)
        }
        self.object = object
        extent = .whole(depth: depth)
        inverse = nil
        path = []
        codings = EntityCodings()
    }

    /// An object within another one.
    private init(
        _ object: ManagedObject, _ extent: Extent, of property: Property, within owner: Self
    ) {
        self.object = object
        self.extent = extent
        let relationship = property.relationship!
        expected = owner.model.destination(of: relationship)
        inverse = owner.model.inverse(of: relationship)
        path = owner.path + [owner.object]
        codings = owner.codings
    }

    func encode(to encoder: any Encoder) throws {
        guard let context = object.managedObjectContext else { return try encodeAll(to: encoder) }
        context.checkQueue()
        // A failed read gives nil, which must not be encoded.
        try context.requiringReads { try encodeAll(to: encoder) }
    }

    private func encodeAll(to encoder: any Encoder) throws {
        object.fireFaultIfNeeded()
        guard !object.state.isDetached, !object.isDeleted else {
            throw ObjectCodingError.encoding(.noObject, object, entity.name, encoder.codingPath)
        }
        let coding = codings[entity]
        if let key = coding.ambiguousKey {
            throw ObjectCodingError.encoding(
                .ambiguousKey, object, entity.name, encoder.codingPath + [key])
        }
        var container = encoder.container(keyedBy: ObjectCodingKey.self)
        if entity.index != expected?.index { try container.encode(entity.name, forKey: .entity) }
        for coded in coding.properties {
            switch extent {
            case .reference(let constraint):
                guard constraint.names.contains(coded.property.name) else { continue }
                try encode(attribute: coded, to: &container)
            case .whole(let depth):
                switch coded.property.kind {
                case .attribute: try encode(attribute: coded, to: &container)
                case .toOne, .toMany:
                    guard coded.property.index != inverse?.index || path.isEmpty else { continue }
                    try encode(relationship: coded, depth, to: &container)
                }
            }
        }
    }

    // MARK: - Relationships

    private func encode(
        relationship coded: EntityCoding.CodedProperty, _ depth: Int,
        to container: inout KeyedEncodingContainer<ObjectCodingKey>
    ) throws {
        let property = coded.property
        let destination = model.destination(of: property.relationship!)
        // Without a constraint no member can be encoded, so none is read.
        guard depth > 0 || destination.hasConstraint(in: model) else { return }
        if property.kind == .toOne {
            guard let object = object.destination(of: property) else {
                return try container.encodeNil(forKey: coded.key)
            }
            guard let encoded = within(object, property, depth) else { return }
            return try container.encode(encoded, forKey: coded.key)
        }
        var members = object.orderedDestinations(of: property)
        try object.managedObjectContext?.load(members, destination)
        if !property.relationship!.isOrdered { members.sort(by: ManagedObject.isOlder) }
        let encoded = members.compactMap { within($0, property, depth) }
        // Decoding replaces the members, so that a part of them must not pass for all.
        guard encoded.count == members.count else { return }
        try container.encode(encoded, forKey: coded.key)
    }

    /// The object of a relationship: whole, or beyond the depth and in circles its unique values;
    /// nil if it has none.
    private func within(_ object: ManagedObject, _ property: Property, _ depth: Int) -> Self? {
        let isCircle = object === self.object || path.contains(object)
        if depth > 0, !isCircle {
            return Self(object, .whole(depth: depth - 1), of: property, within: self)
        }
        let constraint = object.binding.entity.uniqueConstraints(in: model).first { constraint in
            let entity = object.binding.entity
            return UniqueKey(constraint) { name in
                entity.property(named: name).flatMap { property in
                    codings[entity].key(of: property) == nil
                        ? nil : object.attributeValue(of: property)
                }
            } != nil
        }
        return constraint.map { Self(object, .reference($0), of: property, within: self) }
    }

    // MARK: - Attributes

    private func encode(
        attribute coded: EntityCoding.CodedProperty,
        to container: inout KeyedEncodingContainer<ObjectCodingKey>
    ) throws {
        let (property, key) = (coded.property, coded.key)
        if coded.isByHand {
            return try object.encodeValue(
                forKey: property.name, to: container.superEncoder(forKey: key))
        }
        switch object.attributeValue(of: property) {
        // Written, so that a new object does not take the default value instead.
        case .null: try container.encodeNil(forKey: key)
        case .boolean(let value): try container.encode(value, forKey: key)
        case .integer(let value): try container.encode(value, forKey: key)
        case .double(let value) where property.attributeType == .float:
            try container.encode(Float(value), forKey: key)
        case .double(let value): try container.encode(value, forKey: key)
        case .decimal(let value): try container.encode(value, forKey: key)
        case .string(let value): try container.encode(value, forKey: key)
        case .date(let value): try container.encode(value, forKey: key)
        case .data(let value): try container.encode(value, forKey: key)
        case .uuid(let value): try container.encode(value, forKey: key)
        case .uri(let value): try container.encode(value, forKey: key)
        case .transformable(let value):
            if property.rules?.transformer?.codableType != nil,
                let encodable = value.value as? any Encodable
            {
                return try container.encode(encodable, forKey: key)
            }
            guard let data = value.storedData else {
                throw ObjectCodingError.encoding(
                    .transformerFailed, object, entity.name, container.codingPath + [key])
            }
            try container.encode(data, forKey: key)
        case .composite:
            var nested = container.nestedContainer(keyedBy: ObjectCodingKey.self, forKey: key)
            for element in coded.elements { try encode(attribute: element, to: &nested) }
        case .objectID: break
        }
    }
}

extension Entity {
    /// Whether objects of the entity may have unique values.
    fileprivate func hasConstraint(in model: ManagedObjectModel) -> Bool {
        familyIndexes.contains { !model.entities[$0].uniquenessConstraints.isEmpty }
    }
}

extension ManagedObject {
    /// The order of insertion: stored objects first.
    fileprivate static func isOlder(_ first: ManagedObject, _ second: ManagedObject) -> Bool {
        let (first, second) = (first.reference, second.reference)
        // Temporary references are negative and count down.
        return (first < 0) == (second < 0) ? abs(first) < abs(second) : first >= 0
    }

    fileprivate final func fireFaultIfNeeded() {
        if isFault { fireFault() }
    }
}
