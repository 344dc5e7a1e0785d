#if PostgreSQL
import ObjectGraph

// Saves: two round trips, whatever the number of rows. Only a save that something contradicts has
// more, to find out what.
extension PostgreSQLStore {
    func reserveKeys(_ count: Int, root: Entity) throws -> Range<Int64> {
        try keys.take(count, root: root) { try reserveBlock($0, root: root) }
    }

    /// Reserves keys in a transaction of its own, so that other writers wait for it only while they
    /// do the same.
    func reserveBlock(_ count: Int, root: Entity) throws -> Range<Int64> {
        try requireWritable()
        var retries = WriteRetries()
        while true {
            do {
                return try pool.write { try reserveBlock(count, root: root, on: $0) }
            } catch let error as PostgreSQLError where retries.allowAnother(after: error) {
                // If it was committed, its keys remain unused.
                retries.pause()
            }
        }
    }

    func reserveBlock(_ count: Int, root: Entity, on link: Link) throws -> Range<Int64> {
        // After each of these, more keys are left than any store can use.
        let greatest = Int64.max / 2
        let rows = try link.run(
            Command(
                """
                UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + $1 \
                WHERE Z_ENT = $2 AND Z_MAX BETWEEN 0 AND $3 - $1 RETURNING Z_MAX
                """,
                [
                    .integer(Int64(count)), .integer(layout.number(of: root)), .integer(greatest),
                ]))
        guard rows.count == 1 else {
            throw StoreError(
                .damagedValue("cannot reserve \(count) keys of '\(root.name)'; see z_primarykey"),
                url: url)
        }
        let last = try rows.integer(0, 0)
        return last - Int64(count) + 1..<last + 1
    }

    @discardableResult
    func save(
        _ plan: SavePlan, from origin: ChangeOrigin, beforeCommit: (() throws -> Void)?
    ) throws -> Int64? {
        try requireWritable()
        var statements = try PlanStatements(plan, layout)
        var isCareful = !statements.hasConstrainedUpdates
        for _ in 0..<Self.collisionLimit {
            do {
                return try write(plan, statements, origin, beforeCommit)
            } catch let error as PostgreSQLError where error.isUniqueViolation {
                guard isCareful else {
                    statements = try PlanStatements(plan, layout, givesUpValuesFirst: true)
                    isCareful = true
                    continue
                }
                let collision = PlanCollision(plan: plan, layout: layout)
                // Otherwise the other row may be gone by now.
                if let conflict = try pool.read(collision.conflict) { throw conflict }
            }
        }
        return try write(plan, statements, origin, beforeCommit)
    }

    /// How often a save meets an index that refuses it although no row collides.
    private static let collisionLimit = 4

    private func write(
        _ plan: SavePlan, _ statements: PlanStatements, _ origin: ChangeOrigin,
        _ beforeCommit: (() throws -> Void)?
    ) throws -> Int64? {
        let metadata = metadataState.unwrittenOrNoted
        var beginning: [Command] = []
        var end: [Command] = []
        if let metadata {
            end.append(
                Command("UPDATE Z_METADATA SET Z_PLIST = $1", [.bytes(try metadata.list.data())]))
        }
        let recording = plan.rows.isEmpty ? nil : history.flatMap { $0.isRecording ? $0 : nil }
        if let recording {
            beginning = [HistoryRecorder.beginning]
            beginning += HistoryRecorder.deletions(of: plan, recording)
            end += HistoryRecorder.rows(of: plan, recording)
            // The last one, since it locks the counter until the commit.
            end.append(HistoryRecorder.end(from: origin))
        }
        let commands = beginning + statements.commands + end
        guard !commands.isEmpty else {
            try beforeCommit?()
            return nil
        }
        let number = try writeTransaction(beforeCommit: beforeCommit) { transaction -> Int64? in
            let results = try transaction.run(commands)
            let conflicts = try statements.conflicts(
                in: results.dropFirst(beginning.count), of: plan, layout, transaction)
            if !conflicts.isEmpty { throw StoreConflict.versions(conflicts) }
            guard recording != nil, let record = results.last, record.count == 1 else { return nil }
            return try record.integer(0, 0)
        }
        if let metadata { metadataState.noteWritten(metadata) }
        return number
    }
}

extension PlanStatements {
    /// The positions of the rows that are not as the plan expects, in ascending order.
    ///
    /// - Parameter results: Those of the statements, and perhaps of others after them.
    fileprivate func conflicts(
        in results: ArraySlice<Rows>, of plan: SavePlan, _ layout: StoreLayout,
        _ transaction: WriteTransaction
    ) throws -> [Int] {
        var conflicts: [Int] = []
        var missing: [Int] = []
        for (rows, expectation) in zip(results, expectations) {
            switch expectation {
            case .none: break
            case .rows(let positions):
                conflicts += try plan.positions(positions, missingIn: rows)
            case .deletions(let positions):
                missing += try plan.positions(positions, missingIn: rows)
            }
        }
        // A deletion of a row that is already gone succeeds (spec §5.3).
        if !missing.isEmpty {
            let tables = Dictionary(grouping: missing) { plan.rows[$0].entity.rootIndex }.sorted {
                $0.key < $1.key
            }
            let found = try transaction.run(
                tables.map { root, positions in
                    Command(
                        """
                        SELECT Z_PK FROM \(layout.table(of: layout.model.entities[root])) \
                        WHERE Z_PK = ANY($1)
                        """, [.integers(positions.map { plan.rows[$0].key })])
                })
            for (rows, (_, positions)) in zip(found, tables) {
                let gone = Set(try plan.positions(positions, missingIn: rows))
                conflicts += positions.filter { !gone.contains($0) }
            }
        }
        return conflicts.sorted()
    }
}

extension SavePlan {
    /// The positions whose keys are not in the first column of the result.
    fileprivate func positions(_ positions: [Int], missingIn result: Rows) throws -> [Int] {
        guard result.count < positions.count else { return [] }
        let keys = Set(try (0..<result.count).map { try result.integer($0, 0) })
        return positions.filter { !keys.contains(rows[$0].key) }
    }
}
#endif
