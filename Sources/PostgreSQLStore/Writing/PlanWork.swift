#if PostgreSQL
import ObjectGraph

/// The rows of a save plan in the groups that one statement can write, in the order of the tables.
struct PlanWork {
    struct Group {
        /// An entity of the table that has the slots.
        let entity: Entity

        /// The slots to write.
        let slots: [Int]

        /// Those of them that are in a uniqueness constraint.
        let constrainedSlots: [Int]

        /// Whether an entity of the rows has a uniqueness constraint.
        var isConstrained = false
        var positions: [Int] = []
    }

    /// One for each entity.
    private(set) var insertions: [Group] = []
    private(set) var updates: [Group] = []
    private(set) var deletions: [Group] = []
    private(set) var checks: [Group] = []

    private let plan: SavePlan
    private let layout: StoreLayout

    /// The groups of the kinds of changes met so far.
    private var updateGroups: [Shape: Int] = [:]
    private var columnGroups: [[String]: Int] = [:]
    private var insertionGroups: [Int: Int] = [:]

    private struct Shape: Hashable {
        let entityIndex: Int
        let changes: PropertyMask?
    }

    init(_ plan: SavePlan, _ layout: StoreLayout) {
        self.plan = plan
        self.layout = layout
        var shape: Shape?
        var group = 0
        var inserted = -1
        for position in plan.rows.indices {
            let change = plan.rows[position]
            switch change.kind {
            case .insert:
                if inserted < 0 || insertions[inserted].entity !== change.entity {
                    inserted = insertionGroup(of: change.entity)
                }
                insertions[inserted].positions.append(position)
            case .update:
                let next = Shape(entityIndex: change.entity.index, changes: change.changes)
                if next != shape {
                    shape = next
                    group = updateGroup(of: change, next)
                }
                updates[group].positions.append(position)
            case .delete: add(position, change.entity, to: \.deletions, isCheck: false)
            case .check: add(position, change.entity, to: \.checks, isCheck: true)
            }
        }
        sort(\.updates)
        sort(\.deletions)
        sort(\.checks)
    }

    private mutating func insertionGroup(of entity: Entity) -> Int {
        if let known = insertionGroups[entity.index] { return known }
        insertions.append(
            Group(
                entity: entity, slots: Array(entity.layout.slotKinds.indices),
                constrainedSlots: []))
        insertionGroups[entity.index] = insertions.count - 1
        return insertions.count - 1
    }

    /// Entities of one table share a group if their rows change the same columns.
    private mutating func updateGroup(of change: RowChange, _ shape: Shape) -> Int {
        if let known = updateGroups[shape] { return known }
        let entity = change.entity
        let slots = change.changedSlots
        let columns = [layout.table(of: entity)] + slots.map { layout.column($0, of: entity) }
        let group = columnGroups[columns] ?? updates.count
        if group == updates.count {
            let constrained = Set(
                entity.uniquenessConstraints.joined().compactMap {
                    entity.property(at: $0)?.slot
                })
            updates.append(
                Group(
                    entity: entity, slots: slots,
                    constrainedSlots: slots.filter { constrained.contains($0) }))
            columnGroups[columns] = group
        }
        updateGroups[shape] = group
        return group
    }

    private mutating func add(
        _ position: Int, _ entity: Entity, to groups: WritableKeyPath<PlanWork, [Group]>,
        isCheck: Bool
    ) {
        let isConstrained = !isCheck && !entity.uniquenessConstraints.isEmpty
        let index =
            self[keyPath: groups].firstIndex {
                $0.entity.rootIndex == entity.rootIndex && $0.isConstrained == isConstrained
            } ?? self[keyPath: groups].count
        if index == self[keyPath: groups].count {
            self[keyPath: groups].append(
                Group(
                    entity: entity, slots: [], constrainedSlots: [], isConstrained: isConstrained))
        }
        self[keyPath: groups][index].positions.append(position)
    }

    private mutating func sort(_ groups: WritableKeyPath<PlanWork, [Group]>) {
        self[keyPath: groups].sort {
            ($0.entity.rootIndex, $0.slots.count) < ($1.entity.rootIndex, $1.slots.count)
        }
        let rows = plan.rows
        for index in self[keyPath: groups].indices {
            self[keyPath: groups][index].positions.sort { rows[$0].key < rows[$1].key }
        }
    }
}

extension RowChange {
    /// The slots of the changed properties, in ascending order of the properties.
    fileprivate var changedSlots: [Int] {
        var slots: [Int] = []
        changes.forEach { index in
            let property = entity.properties[index]
            if let slot = property.slot { slots.append(slot) }
            if let slot = property.entitySlot { slots.append(slot) }
        }
        return slots
    }
}
#endif
