/// What a save does to one store, worked out before the first statement is run.
struct SavePlan: Sendable {
    var rows: [RowChange] = []
    var joins: [JoinChange] = []

    /// Calls the body with each run of rows of one table and one kind of change.
    func forEachTable(_ body: (Range<Int>) throws -> Void) rethrows {
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
struct RowChange: Sendable {
    enum Kind: Sendable {
        case insert
        case update
        case delete
        /// Nothing is written, but the row must have the version (spec §5.3, `detectConflicts(for:)`).
        case check
    }

    let kind: Kind

    // Unowned, which costs no counting: the model holds it, and a plan does not outlive its save.
    unowned(unsafe) let entity: Entity

    /// The primary key; negative, for an object without one, in a plan for a parent context.
    let key: Int64

    /// The row as it shall be; nil for a deletion or a check.
    let row: RowReference?

    /// The properties in which the new row differs; empty when only the version does.
    let changes: PropertyMask

    /// The version that the stored row must have; 0 for an insertion.
    let previousVersion: UInt32
}

/// A pair to be added to or removed from a join table.
struct JoinChange: Sendable {
    /// The relationship of `entity` whose contents change.
    let property: Property
    let entity: Entity
    let sourceKey: Int64
    let destinationEntity: Entity
    let destinationKey: Int64
    let isInsertion: Bool

    /// The position of the destination among those of the source, if the relationship is ordered; an addition then also moves
    /// a pair that is there. All members of a source stand together, in their order.
    var position: Int?
}

/// The store's rows are not as a save plan expects them; nothing was written.
enum StoreConflict: Error {
    /// The positions in the plan of rows that have another version or are gone.
    case versions([Int])

    /// The positions in the plan of rows whose values another row has, with the columns of the constraint.
    case uniqueness([(position: Int, columns: [String])])
}
