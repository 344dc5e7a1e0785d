/// The work of a save in one store. It is complete before the first statement runs.
package struct SavePlan: Sendable {
    package var rows: [RowChange] = []
    package var joins: [JoinChange] = []

    /// Calls the body with each run of rows of one table and one kind of change.
    package func forEachTable(_ body: (Range<Int>) throws -> Void) rethrows {
        var start = 0
        while start < rows.count {
            let (root, kind) = (rows[start].entity.rootIndex, rows[start].kind)
            var end = start + 1
            while end < rows.count, rows[end].kind == kind, rows[end].entity.rootIndex == root {
                end += 1
            }
            try body(start..<end)
            start = end
        }
    }
}

/// A row to be inserted, updated or deleted.
package struct RowChange: Sendable {
    package enum Kind: Sendable {
        case insert
        case update
        case delete
        /// Writes nothing; the row must have the version (spec §5.3, `detectConflicts(for:)`).
        case check
    }

    package let kind: Kind

    // Unowned, to avoid reference counting: the model holds the entity, and a plan does not outlive
    // its save.
    package unowned(unsafe) let entity: Entity

    /// The primary key. In a plan for a parent context it is negative for an object without a
    /// permanent one.
    package let key: Int64

    /// The new row; nil for a deletion or a check.
    package let row: RowReference?

    /// The properties whose values change; empty when only the version does. To-many relationships,
    /// which no column of the row has, are among them for stores that record a history.
    package let changes: PropertyMask

    /// The version that the stored row must have; 0 for an insertion.
    package let previousVersion: UInt32

    /// Whether a stored row with this version is as the plan expects; nil means that there is none.
    package func isExpected(storedVersion: UInt32?) -> Bool {
        // A deletion of a row that is already gone succeeds (spec §5.3).
        guard let storedVersion else { return kind == .insert || kind == .delete }
        return kind != .insert && storedVersion == previousVersion
    }
}

/// A pair to add to or remove from a join table.
package struct JoinChange: Sendable {
    /// The relationship of `entity` whose contents change.
    package let property: Property
    package let entity: Entity
    package let sourceKey: Int64
    package let destinationEntity: Entity
    package let destinationKey: Int64
    package let isInsertion: Bool

    /// The position of the destination among those of the source, if the relationship is ordered.
    /// An addition then also moves an existing pair. All members of a source follow one another in
    /// the plan, in their order.
    package var position: Int?

    package init(
        property: Property, entity: Entity, sourceKey: Int64, destinationEntity: Entity,
        destinationKey: Int64, isInsertion: Bool, position: Int? = nil
    ) {
        self.property = property
        self.entity = entity
        self.sourceKey = sourceKey
        self.destinationEntity = destinationEntity
        self.destinationKey = destinationKey
        self.isInsertion = isInsertion
        self.position = position
    }
}

/// The store's rows differ from what a save plan expects. Nothing was written.
package enum StoreConflict: Error {
    /// The positions in the plan of rows that were deleted or have another version.
    case versions([Int])

    /// The positions in the plan of rows that share the values of a constraint with another row,
    /// with the slots of the constraint's attributes.
    case uniqueness([(position: Int, slots: [Int])])

    /// The positions in the plan of all rows concerned.
    var positions: [Int] {
        switch self {
        case .versions(let positions): positions
        case .uniqueness(let collisions): collisions.map(\.position)
        }
    }
}
