#if PostgreSQL
import ObjectGraph

/// A unique index has refused a save. Finds all rows of the plan that collide.
///
/// The transaction is rolled back by then, so other writers may have changed rows since.
struct PlanCollision {
    let plan: SavePlan
    let layout: StoreLayout

    /// The rows of the plan that have values of one constraint, none of them null.
    private struct Constrained {
        let entity: Entity
        let slots: [Int]
        var positions: [Int] = []
    }

    /// The conflict for the merge policy; nil if the plan collides with nothing, as far as the model
    /// knows: another program may have an index of its own.
    func conflict(on link: Link) throws -> StoreConflict? {
        let tables = Dictionary(grouping: plan.rows.indices) { plan.rows[$0].entity.rootIndex }
            .sorted { $0.key < $1.key }
        let constraints = try constraints()
        let results = try link.run(
            tables.map { versions(of: $0.key, $0.value) }
                + constraints.map { try storedCollisions(of: $0) })
        // An existing key counts as a version conflict: another context has inserted the row
        // again, too.
        var conflicts: [Int] = []
        for (rows, (_, positions)) in zip(results, tables) {
            conflicts += try unexpected(positions, rows)
        }
        if !conflicts.isEmpty { return .versions(conflicts.sorted()) }
        var collisions: [(position: Int, slots: [Int])] = []
        for (rows, constraint) in zip(results.dropFirst(tables.count), constraints) {
            var colliding = Set(try (0..<rows.count).map { Int(try rows.integer($0, 0)) })
            colliding.formUnion(duplicates(among: constraint))
            collisions += colliding.map { ($0, constraint.slots) }
        }
        if collisions.isEmpty { return nil }
        return .uniqueness(
            collisions.sorted {
                $0.position == $1.position
                    ? $0.slots.lexicographicallyPrecedes($1.slots) : $0.position < $1.position
            })
    }

    // MARK: - Versions

    private func versions(of root: Int, _ positions: [Int]) -> Command {
        Command(
            """
            SELECT Z_PK, coalesce(Z_OPT, 0) FROM \(layout.table(of: layout.model.entities[root])) \
            WHERE Z_PK = ANY($1)
            """, [.integers(positions.map { plan.rows[$0].key })])
    }

    private func unexpected(_ positions: [Int], _ rows: Rows) throws -> [Int] {
        var stored: [Int64: UInt32] = [:]
        for row in 0..<rows.count {
            // No plan expects a version that does not fit.
            stored[try rows.integer(row, 0)] = UInt32(exactly: try rows.integer(row, 1)) ?? .max
        }
        return positions.filter {
            !plan.rows[$0].isExpected(storedVersion: stored[plan.rows[$0].key])
        }
    }

    // MARK: - Constraints

    private func constraints() throws -> [Constrained] {
        var found: [Constrained] = []
        var indexes: [[String]: Int] = [:]
        for (position, change) in plan.rows.enumerated() {
            guard let row = change.row else { continue }
            let entity = change.entity
            for names in entity.uniquenessConstraints {
                let slots = names.compactMap { entity.property(at: $0)?.slot }
                guard slots.allSatisfy(row.hasValue) else { continue }
                let columns =
                    [layout.table(of: entity)] + slots.map { layout.column($0, of: entity) }
                let index = indexes[columns] ?? found.count
                if index == found.count {
                    found.append(Constrained(entity: entity, slots: slots))
                    indexes[columns] = index
                }
                if found[index].positions.last != position {
                    found[index].positions.append(position)
                }
            }
        }
        return found
    }

    /// Selects the positions of rows whose values a row has that the plan leaves as it is.
    private func storedCollisions(of constraint: Constrained) throws -> Command {
        let entity = constraint.entity
        let stored = layout.ownColumns(constraint.slots, of: entity)
        var positions = ParameterColumn(.integer, capacity: constraint.positions.count)
        var columns = RowColumns(stored, of: entity, capacity: constraint.positions.count)
        for position in constraint.positions {
            positions.append(integer: Int64(position))
            try columns.append(plan.rows[position].row!, plan.rows[position].entity)
        }
        let own = plan.rows.filter { $0.kind != .check && $0.entity.rootIndex == entity.rootIndex }
        let equalities = stored.enumerated().map {
            "t0.\($1.name) = \(layout.writing("v.c\($0)", $1.slot, of: entity))"
        }
        return Command(
            """
            SELECT v.position FROM \(RowColumns.source(["position"], stored, of: entity)) \
            JOIN \(layout.table(of: entity)) AS t0 ON \(equalities.joined(separator: " AND ")) \
            WHERE t0.Z_PK <> ALL($\(stored.count + 2))
            """,
            [.column(positions)] + columns.parameters + [.integers(own.map(\.key))])
    }

    /// The positions of rows whose values an earlier row of the plan has. Rows that only keep their
    /// values count as the earliest, then new ones.
    private func duplicates(among constraint: Constrained) -> [Int] {
        func rank(_ position: Int) -> Int {
            let change = plan.rows[position]
            if change.kind == .insert { return 1 }
            let changed = constraint.slots.contains { slot in
                change.entity.properties.contains {
                    $0.slot == slot && change.changes.contains($0.index)
                }
            }
            return changed ? 2 : 0
        }
        var known: Set<[UInt8]> = []
        return constraint.positions.map { (rank: rank($0), position: $0) }.sorted { $0 < $1 }
            .map(\.position).filter { position in
                let change = plan.rows[position]
                return !known.insert(
                    change.row!.bytes(of: constraint.slots, in: change.entity.layout)
                )
                .inserted
            }
    }
}

extension RowReference {
    /// The values of slots, all of which have one, such that equal values have equal bytes.
    func bytes(of slots: [Int], in layout: RowLayout) -> [UInt8] {
        var bytes: [UInt8] = []
        for slot in slots {
            switch layout.slotKinds[slot] {
            case .integer:
                withUnsafeBytes(of: integer(slot, in: layout)) { bytes += $0 }
            case .real:
                // Negative zero equals zero.
                withUnsafeBytes(of: real(slot, in: layout) + 0) { bytes += $0 }
            case .text, .blob:
                let value = self.bytes(slot, in: layout)
                withUnsafeBytes(of: value.count) { bytes += $0 }
                bytes += value
            }
        }
        return bytes
    }
}
#endif
