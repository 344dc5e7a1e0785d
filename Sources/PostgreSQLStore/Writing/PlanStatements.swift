#if PostgreSQL
import ObjectGraph

/// The statements that write a save plan, in the order of spec §5.1, step 7: a few for each table,
/// however many rows there are.
///
/// Rows that exist are locked before any is written, in the order of the tables and keys. So of two
/// saves of the same rows one waits for the other, and neither has what the other waits for.
struct PlanStatements {
    /// What the rows that a statement returns say about the plan.
    enum Expectation {
        case none
        /// The statement returns the keys of the rows at these positions.
        case rows([Int])
        /// The same, but rows that are gone are missing.
        case deletions([Int])
    }

    private(set) var commands: [Command] = []
    private(set) var expectations: [Expectation] = []

    /// Whether updates change columns of constraints.
    let hasConstrainedUpdates: Bool

    private let plan: SavePlan
    private let layout: StoreLayout

    /// Larger plans have several statements, for which the server needs less memory.
    private static let rowsPerStatement = 4096
    private static let bytesPerStatement = 4 << 20

    /// - Parameter givesUpValuesFirst: Whether updated rows first set the changed columns of
    ///   constraints to null. PostgreSQL checks a unique index with each row, so without that two
    ///   rows cannot swap their values.
    /// - Throws: `StoreError` for a text that PostgreSQL cannot store.
    init(
        _ plan: SavePlan, _ layout: StoreLayout, givesUpValuesFirst: Bool = false
    ) throws(StoreError) {
        self.plan = plan
        self.layout = layout
        let work = PlanWork(plan, layout)
        hasConstrainedUpdates = work.updates.contains { !$0.constrainedSlots.isEmpty }
        let joins = JoinStatements(plan, layout)
        lock(work)
        add(joins.removals)
        for group in work.deletions where group.isConstrained { delete(group) }
        if givesUpValuesFirst { for group in work.updates { giveUpValues(group) } }
        for group in work.insertions { try insert(group) }
        for group in work.updates { try update(group) }
        for group in work.checks { check(group) }
        add(joins.additions)
        add(joins.orders)
        for group in work.deletions where !group.isConstrained { delete(group) }
    }

    private mutating func add(_ commands: [Command]) {
        for command in commands { add(command) }
    }

    private mutating func add(_ command: Command, _ expectation: Expectation = .none) {
        commands.append(command)
        expectations.append(expectation)
    }

    /// Locks the rows that are updated, deleted or checked, unless there is only one.
    private mutating func lock(_ work: PlanWork) {
        let groups = work.updates + work.deletions + work.checks
        guard groups.reduce(0, { $0 + $1.positions.count }) > 1 else { return }
        let tables = Dictionary(grouping: groups, by: \.entity.rootIndex)
        for (root, groups) in tables.sorted(by: { $0.key < $1.key }) {
            let keys = groups.flatMap(\.positions).map { plan.rows[$0].key }
            // The rows are locked as the sort returns them
            // (https://www.postgresql.org/docs/current/sql-select.html, "The Locking Clause").
            add(
                Command(
                    """
                    SELECT count(*) FROM (\
                    SELECT 1 FROM \(layout.table(of: layout.model.entities[root])) \
                    WHERE Z_PK = ANY($1) ORDER BY Z_PK FOR NO KEY UPDATE) AS locked
                    """, [.integers(keys)]))
        }
    }

    // MARK: - Kinds of changes

    private mutating func insert(_ group: PlanWork.Group) throws(StoreError) {
        let entity = group.entity
        let columns = layout.writtenColumns(group.slots, of: entity)
        let names = ["Z_PK", "Z_ENT", "Z_OPT"] + columns.map(\.name)
        let hasVersions = group.positions.contains { plan.rows[$0].row!.version > 1 }
        let values =
            ["v.key", "\(layout.number(of: entity))", hasVersions ? "v.version" : "1"]
            + columns.enumerated().map { layout.writing("v.c\($0)", $1.slot, of: entity) }
        let sql = """
            INSERT INTO \(layout.table(of: entity)) (\(names.joined(separator: ", "))) \
            SELECT \(values.joined(separator: ", ")) \
            FROM \(RowColumns.source(hasVersions ? ["key", "version"] : ["key"], columns, of: entity))
            """
        for (positions, values) in try parts(of: group, columns) {
            let versions = hasVersions ? [newVersions(positions)] : []
            add(Command(sql, [keys(positions)] + versions + values))
        }
    }

    private mutating func update(_ group: PlanWork.Group) throws(StoreError) {
        let entity = group.entity
        let columns = layout.writtenColumns(group.slots, of: entity)
        let values = columns.enumerated().map {
            "\($1.name) = \(layout.writing("v.c\($0)", $1.slot, of: entity)), "
        }
        let source = RowColumns.source(["key", "expected", "version"], columns, of: entity)
        // Rows of other writers may have no version. They count as version 0 (spec §5.2).
        let sql = """
            UPDATE \(layout.table(of: entity)) AS t0 SET \(values.joined())Z_OPT = v.version \
            FROM \(source) \
            WHERE t0.Z_PK = v.key AND coalesce(t0.Z_OPT, 0) = v.expected RETURNING t0.Z_PK
            """
        for (positions, values) in try parts(of: group, columns) {
            let parameters = [keys(positions), versions(positions), newVersions(positions)]
            add(Command(sql, parameters + values), .rows(Array(positions)))
        }
    }

    private mutating func giveUpValues(_ group: PlanWork.Group) {
        guard !group.constrainedSlots.isEmpty else { return }
        let columns = layout.writtenColumns(group.constrainedSlots, of: group.entity)
            .map { "\($0.name) = NULL" }
        add(
            Command(
                """
                UPDATE \(layout.table(of: group.entity)) SET \(columns.joined(separator: ", ")) \
                WHERE Z_PK = ANY($1)
                """, [keys(group.positions[...])]))
    }

    private mutating func delete(_ group: PlanWork.Group) {
        let sql = """
            DELETE FROM \(layout.table(of: group.entity)) AS t0 \
            USING \(RowColumns.source(["key", "expected"], [], of: group.entity)) \
            WHERE t0.Z_PK = v.key AND coalesce(t0.Z_OPT, 0) = v.expected RETURNING t0.Z_PK
            """
        for positions in group.positions.chunks(of: Self.rowsPerStatement) {
            add(
                Command(sql, [keys(positions), versions(positions)]), .deletions(Array(positions)))
        }
    }

    /// Returns the rows that are as they were. They are locked until the commit.
    private mutating func check(_ group: PlanWork.Group) {
        let sql = """
            SELECT t0.Z_PK FROM \(layout.table(of: group.entity)) AS t0 \
            JOIN \(RowColumns.source(["key", "expected"], [], of: group.entity)) \
            ON t0.Z_PK = v.key AND coalesce(t0.Z_OPT, 0) = v.expected \
            ORDER BY t0.Z_PK FOR SHARE OF t0
            """
        for positions in group.positions.chunks(of: Self.rowsPerStatement) {
            add(Command(sql, [keys(positions), versions(positions)]), .rows(Array(positions)))
        }
    }

    // MARK: - Parameters

    /// The positions of a group and the values of their rows, in parts that fit in a statement.
    private func parts(
        of group: PlanWork.Group, _ stored: [StoredColumn]
    ) throws(StoreError) -> [(positions: ArraySlice<Int>, values: [Parameter])] {
        var parts: [(positions: ArraySlice<Int>, values: [Parameter])] = []
        var rest = group.positions[...]
        while !rest.isEmpty {
            var columns = RowColumns(
                stored, of: group.entity, capacity: min(rest.count, Self.rowsPerStatement))
            var end = rest.startIndex
            while end < rest.endIndex, end - rest.startIndex < Self.rowsPerStatement,
                columns.byteCount < Self.bytesPerStatement
            {
                let change = plan.rows[rest[end]]
                try columns.append(change.row!, change.entity)
                end += 1
            }
            parts.append((rest[..<end], columns.parameters))
            rest = rest[end...]
        }
        return parts
    }

    private func keys(_ positions: ArraySlice<Int>) -> Parameter {
        .column(ParameterColumn(positions.lazy.map { plan.rows[$0].key }))
    }

    private func versions(_ positions: ArraySlice<Int>) -> Parameter {
        .column(ParameterColumn(positions.lazy.map { Int64(plan.rows[$0].previousVersion) }))
    }

    private func newVersions(_ positions: ArraySlice<Int>) -> Parameter {
        .column(ParameterColumn(positions.lazy.map { Int64(plan.rows[$0].row!.version) }))
    }
}

extension RandomAccessCollection {
    /// Consecutive parts of at most this many elements.
    fileprivate func chunks(of count: Int) -> [SubSequence] {
        stride(from: 0, to: self.count, by: count).map { dropFirst($0).prefix(count) }
    }
}
#endif
