/// Checks nodes of a store of one's own, and makes rows of them.
struct NodeReader {
    private let model: ManagedObjectModel
    private var writer: RowWriter

    /// - Parameter nodeCount: About how many nodes there are.
    init(model: ManagedObjectModel, nodeCount: Int) {
        self.model = model
        writer = RowWriter(expectedByteCount: min(nodeCount, RowSlab.byteCount) * 128)
    }

    /// All rows of a store, or those that a request reads.
    ///
    /// - Throws: `StoreNodeError`.
    mutating func contents(
        of nodes: [StoreNode], _ referenceSlots: [InMemoryStoreContents.ReferenceSlots]
    ) throws -> InMemoryStoreContents {
        var plan = SavePlan()
        var known: Set<EntityKey> = []
        for node in nodes {
            let row = try row(of: node)
            let entity = model.entities[row.entityIndex]
            guard known.insert(EntityKey(entityIndex: entity.rootIndex, key: row.key)).inserted
            else { throw StoreNodeError(.duplicate, node.id) }
            plan.rows.append(
                RowChange(
                    kind: .insert, entity: entity, key: row.key, row: row,
                    changes: PropertyMask(), previousVersion: 0))
            addPairs(of: node, entity, to: &plan)
        }
        var contents = InMemoryStoreContents(entityCount: model.entities.count)
        try contents.apply(plan, referenceSlots: referenceSlots)
        return contents
    }

    private func addPairs(of node: StoreNode, _ entity: Entity, to plan: inout SavePlan) {
        for (name, destinations) in node.relationships {
            guard let property = entity.property(named: name),
                let relationship = property.relationship, relationship.isInJoinTable
            else { continue }
            plan.joins += destinations.enumerated().map { position, destination in
                JoinChange(
                    property: property, entity: entity, sourceKey: node.id.reference,
                    destinationEntity: model.entity(named: destination.entityName)!,
                    destinationKey: destination.reference, isInsertion: true,
                    position: relationship.isOrdered ? position : nil)
            }
        }
    }

    // MARK: - A row

    /// The row with the values of a node.
    ///
    /// After an error the reader must not be used any more.
    mutating func row(of node: StoreNode) throws(StoreNodeError) -> RowReference {
        guard let entity = model.entity(named: node.id.entityName), !entity.isAbstract else {
            throw StoreNodeError(.unknownEntity, node.id)
        }
        guard node.id.reference > 0 else { throw StoreNodeError(.invalidReference, node.id) }
        writer.begin(
            entity.layout.extent, key: node.id.reference, version: node.version,
            entityNumber: UInt32(entity.number))
        var knownCount = 0
        for property in entity.properties {
            if let relationship = property.relationship {
                if let destinations = node.relationships[property.name] {
                    knownCount += 1
                    try set(destinations, property, relationship, node.id)
                }
            } else if !property.isTransient, !property.isComposite {
                if node.values[property.name] != nil { knownCount += 1 }
                try set(node.values[property.name] ?? .null, property, node.id)
            }
        }
        guard knownCount == node.values.count + node.relationships.count else {
            throw StoreNodeError(.unknownProperty, node.id, unknownName(in: node, entity))
        }
        return writer.finish()
    }

    private mutating func set(
        _ value: AttributeValue, _ property: Property, _ id: StoreNodeID
    ) throws(StoreNodeError) {
        guard !value.isNull else {
            guard property.isOptional else {
                throw StoreNodeError(.missingValue, id, property.name)
            }
            return
        }
        let type = property.attributeType!
        guard let stored = value.stored(as: type), stored.isStorable else {
            throw StoreNodeError(.unacceptableValue(value), id, property.name)
        }
        writer.set(property.slot!, stored, type.slotKind)
    }

    private mutating func set(
        _ destinations: [StoreNodeID], _ property: Property, _ relationship: Relationship,
        _ id: StoreNodeID
    ) throws(StoreNodeError) {
        let destination = model.destination(of: relationship)
        let areAcceptable = destinations.allSatisfy {
            guard let entity = model.entity(named: $0.entityName) else { return false }
            return entity.isKind(of: destination) && !entity.isAbstract && $0.reference > 0
        }
        let isFew =
            switch relationship.storage {
            case .foreignKey: destinations.count <= 1
            // The destinations themselves have it.
            case .inverseForeignKey: destinations.isEmpty
            case .joinTable: Set(destinations).count == destinations.count
            }
        guard areAcceptable, isFew else {
            throw StoreNodeError(.unacceptableDestinations(destinations), id, property.name)
        }
        guard let slot = property.slot, let first = destinations.first else { return }
        writer.set(slot, integer: first.reference)
        if let entitySlot = property.entitySlot {
            writer.set(entitySlot, integer: model.entity(named: first.entityName)!.number)
        }
    }

    /// The first name, in their order, that is not a property of this kind.
    private func unknownName(in node: StoreNode, _ entity: Entity) -> String? {
        let stored = entity.properties.filter { !$0.isTransient && !$0.isComposite }
        let values = Set(stored.lazy.filter { $0.relationship == nil }.map(\.name))
        let relationships = Set(stored.lazy.filter { $0.relationship != nil }.map(\.name))
        return
            (node.values.keys.filter { !values.contains($0) }
            + node.relationships.keys.filter { !relationships.contains($0) }).min()
    }
}

extension AttributeValue {
    /// The value in the form of the type, if the type can hold it. A transformable value may be its
    /// data.
    fileprivate func stored(as type: AttributeType) -> AttributeValue? {
        if type == .transformable, case .data = self { return self }
        return converted(to: type)
    }
}
