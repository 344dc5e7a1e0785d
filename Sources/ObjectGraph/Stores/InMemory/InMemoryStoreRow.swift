/// The state of an in-memory store that one request sees, however long it takes.
package final class InMemoryStoreSnapshot: Sendable {
    let contents: InMemoryStoreContents
    let model: ManagedObjectModel

    /// By entity index; for identifiers that are compared with those in predicates.
    let scopes: [ObjectIDScope]

    init(
        _ contents: InMemoryStoreContents, model: ManagedObjectModel, scopes: [ObjectIDScope]
    ) {
        self.contents = contents
        self.model = model
        self.scopes = scopes
    }

    /// A state of a store, of rows that were read.
    ///
    /// - Parameters:
    ///   - rows: The rows, each once.
    ///   - pairs: The pairs of join tables.
    package convenience init(
        _ rows: [RowList], pairs: [JoinChange], model: ManagedObjectModel, scopes: [ObjectIDScope]
    ) throws {
        var plan = SavePlan()
        for rows in rows {
            plan.rows += rows.map { row in
                RowChange(
                    kind: .insert, entity: model.entities[row.entityIndex], key: row.key, row: row,
                    changes: PropertyMask(), previousVersion: 0)
            }
        }
        plan.joins = pairs
        var contents = InMemoryStoreContents(entityCount: model.entities.count)
        try contents.apply(
            plan, referenceSlots: InMemoryStoreContents.referenceSlots(of: model))
        self.init(contents, model: model, scopes: scopes)
    }

    /// The destinations of a to-many relationship of the row with this key.
    func destinations(of property: Property, key: Int64) -> [RowReference] {
        guard let relationship = property.relationship else { return [] }
        return contents.destinations(
            of: relationship, key: key, in: model.destination(of: relationship), model: model)
    }
}

/// A row as predicates and sort keys see it.
struct InMemoryStoreRow: PredicateSubject {
    let row: RowReference
    let snapshot: InMemoryStoreSnapshot

    private var layout: RowLayout { snapshot.model.entities[row.entityIndex].layout }

    var objectID: ManagedObjectID {
        ManagedObjectID(scope: snapshot.scopes[row.entityIndex], reference: row.key)
    }

    func value(of property: Property) -> AttributeValue {
        guard let relationship = property.relationship else {
            return (try? row.value(of: property, in: layout)) ?? .null
        }
        guard let slot = property.slot, row.hasValue(slot) else { return .null }
        var entityIndex = relationship.destinationIndex
        if let entitySlot = property.entitySlot, row.hasValue(entitySlot) {
            entityIndex = Int(row.integer(entitySlot, in: layout)) - 1
        }
        return .objectID(
            ManagedObjectID(
                scope: snapshot.scopes[entityIndex], reference: row.integer(slot, in: layout)))
    }

    func satisfies(_ tests: RowTests) -> Bool? {
        tests.hold(for: row.start, snapshot.model.entities[row.entityIndex].accessors)
    }

    func destination(of property: Property) -> InMemoryStoreRow? {
        guard let relationship = property.relationship, let slot = property.slot,
            row.hasValue(slot)
        else { return nil }
        let root = snapshot.model.destination(of: relationship).rootIndex
        return snapshot.contents.row(row.integer(slot, in: layout), root: root)
            .map { InMemoryStoreRow(row: $0, snapshot: snapshot) }
    }

    func destinations(of property: Property) -> [InMemoryStoreRow] {
        snapshot.destinations(of: property, key: row.key).map {
            InMemoryStoreRow(row: $0, snapshot: snapshot)
        }
    }
}
