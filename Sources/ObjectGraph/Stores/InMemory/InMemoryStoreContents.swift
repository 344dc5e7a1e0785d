/// The rows of an in-memory store and their references.
///
/// A value type, so that a request can read a consistent state while others save.
struct InMemoryStoreContents: Sendable {
    /// The column that a to-many relationship is read from.
    enum ReferenceColumn: Sendable, Hashable {
        /// The to-one relationship with this identifier.
        case foreignKey(UInt32)
        /// The keys of the owner at the end of a join table with this index.
        case joinEnd(Int)
    }

    /// The columns of an entity's rows that a to-many relationship is read from, with their slots.
    typealias ReferenceSlots = [(slot: Int, column: ReferenceColumn)]

    /// By entity index.
    static func referenceSlots(of model: ManagedObjectModel) -> [ReferenceSlots] {
        model.entities.map { entity in
            entity.properties.compactMap { property in
                guard let slot = property.slot, let relationship = property.relationship,
                    model.inverse(of: relationship)?.kind == .toMany
                else { return nil }
                return (slot, .foreignKey(property.identifier))
            }
        }
    }

    /// By root entity index.
    private var tables: [[Int64: RowReference]]

    /// By column, then by the key in it: the keys at the other end.
    private(set) var references: [ReferenceColumn: [Int64: Set<Int64>]] = [:]

    /// The positions of destinations among those of a source, by the end of a join table.
    private var positions: [JoinEnd: [Pair: Int]] = [:]

    private struct Pair: Hashable {
        let source: Int64
        let destination: Int64
    }

    init(entityCount: Int) {
        tables = Array(repeating: [:], count: entityCount)
    }

    func row(_ key: Int64, root: Int) -> RowReference? { tables[root][key] }

    func rows(root: Int) -> some Collection<RowReference> { tables[root].values }

    /// The destinations of a to-many relationship of the row with this key, in their order if it is
    /// ordered, otherwise in the order of their keys.
    func destinations(
        of relationship: Relationship, key: Int64, in destination: Entity,
        model: ManagedObjectModel
    ) -> [RowReference] {
        guard let column = ReferenceColumn(relationship, destination) else { return [] }
        // A pair without a destination row is skipped, as in an SQL join.
        let rows = references[column]?[key]?.compactMap { tables[destination.rootIndex][$0] } ?? []
        guard relationship.isOrdered else { return rows.sorted { $0.key < $1.key } }
        func place(of row: RowReference) -> Int64 {
            if case .joinTable(let end) = relationship.storage {
                let pair = Pair(source: key, destination: row.key)
                return positions[end]?[pair].map(Int64.init) ?? .min
            }
            let entity = model.entities[row.entityIndex]
            return row.reference(
                entity.properties[relationship.placeIndex!].slot!, entity.layout) ?? .min
        }
        return rows.map { (place(of: $0), $0.key, $0) }.sorted { ($0.0, $0.1) < ($1.0, $1.1) }
            .map(\.2)
    }

    // MARK: - Changing

    /// Applies every change of the plan, or none if a row has another version than expected.
    mutating func apply(
        _ plan: SavePlan, referenceSlots: [ReferenceSlots]
    ) throws(StoreConflict) {
        let conflicts = plan.rows.indices.filter { position in
            let change = plan.rows[position]
            let stored = row(change.key, root: change.entity.rootIndex)
            return !change.isExpected(storedVersion: stored?.version)
        }
        guard conflicts.isEmpty else { throw .versions(conflicts) }
        for change in plan.rows where change.kind != .check {
            apply(change, referenceSlots[change.entity.index])
        }
        for change in plan.joins {
            apply(change)
        }
    }

    private mutating func apply(_ change: RowChange, _ slots: ReferenceSlots) {
        let old = row(change.key, root: change.entity.rootIndex)
        tables[change.entity.rootIndex][change.key] = change.row
        for (slot, column) in slots {
            let oldTarget = old?.reference(slot, change.entity.layout)
            let newTarget = change.row?.reference(slot, change.entity.layout)
            guard oldTarget != newTarget else { continue }
            if let oldTarget { remove(change.key, from: column, at: oldTarget) }
            if let newTarget { insert(change.key, into: column, at: newTarget) }
        }
    }

    private mutating func apply(_ change: JoinChange) {
        guard let relationship = change.property.relationship,
            case .joinTable(let end) = relationship.storage
        else { return }
        let source = ReferenceColumn.joinEnd(end.index)
        let destination = ReferenceColumn.joinEnd(end.index ^ 1)
        if let position = change.position, relationship.isOrdered {
            let pair = Pair(source: change.sourceKey, destination: change.destinationKey)
            positions[end, default: [:]][pair] = position
        }
        if change.isInsertion {
            insert(change.destinationKey, into: source, at: change.sourceKey)
            insert(change.sourceKey, into: destination, at: change.destinationKey)
        } else {
            remove(change.destinationKey, from: source, at: change.sourceKey)
            remove(change.sourceKey, from: destination, at: change.destinationKey)
        }
    }

    private mutating func insert(_ key: Int64, into column: ReferenceColumn, at target: Int64) {
        references[column, default: [:]][target, default: []].insert(key)
    }

    private mutating func remove(_ key: Int64, from column: ReferenceColumn, at target: Int64) {
        references[column]?[target]?.remove(key)
        if references[column]?[target]?.isEmpty == true { references[column]?[target] = nil }
    }
}

extension InMemoryStoreContents.ReferenceColumn {
    /// The column that a to-many relationship is read from; nil for to-one.
    init?(_ relationship: Relationship, _ destination: Entity) {
        switch relationship.storage {
        case .foreignKey: return nil
        case .inverseForeignKey(let index):
            self = .foreignKey(destination.properties[index].identifier)
        case .joinTable(let end): self = .joinEnd(end.index)
        }
    }
}

extension RowReference {
    fileprivate func reference(_ slot: Int, _ layout: RowLayout) -> Int64? {
        hasValue(slot) ? integer(slot, in: layout) : nil
    }
}
