import Foundation

/// Makes nodes of rows, for stores of one's own.
struct NodeWriter: Sendable {
    let model: ManagedObjectModel

    func id(_ key: EntityKey) -> StoreNodeID {
        StoreNodeID(entityName: model.entities[key.entityIndex].name, reference: key.key)
    }

    /// The node with the values of a row.
    ///
    /// - Parameter members: Returns the contents of a to-many relationship whose pairs are in no
    ///   row.
    /// - Throws: `StoreNodeError` for a row without a mandatory value.
    func node(
        _ row: RowReference, members: (Property) -> [StoreNodeID]
    ) throws(StoreNodeError) -> StoreNode {
        let entity = model.entities[row.entityIndex]
        var node = StoreNode(
            id: StoreNodeID(entityName: entity.name, reference: row.key), version: row.version)
        for property in entity.properties where !property.isTransient && !property.isComposite {
            if let relationship = property.relationship {
                let destinations =
                    relationship.isInJoinTable
                    ? members(property)
                    : row.destination(of: property, in: entity.layout).map { [id($0)] } ?? []
                if !destinations.isEmpty { node.relationships[property.name] = destinations }
            } else if let slot = property.slot, row.hasValue(slot) {
                node.values[property.name] = try value(in: row, property, slot, node.id)
            } else if !property.isOptional {
                throw StoreNodeError(.missingValue, node.id, property.name)
            }
        }
        return node
    }

    private func value(
        in row: RowReference, _ property: Property, _ slot: Int, _ id: StoreNodeID
    ) throws(StoreNodeError) -> AttributeValue {
        let layout = model.entities[row.entityIndex].layout
        if property.attributeType == .transformable {
            return .data(Data(row.bytes(slot, in: layout)))
        }
        // Null for bytes that are no value of the type, in a row from a damaged file.
        guard let value = try? row.value(of: property, in: layout), !value.isNull else {
            throw StoreNodeError(.unacceptableValue(.null), id, property.name)
        }
        return value
    }
}
