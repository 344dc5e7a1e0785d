/// The columns that a SELECT must list so that its rows become rows of an entity and its descendants.
final class RowSelection: Sendable {
    /// How the rows of a statement come.
    enum Form: Sendable {
        /// To be asked for column by column.
        case columns
        /// Each handed to a `RowReceiver` as a whole, in order: fit for results that SQLite does not sort.
        case rows
        /// All handed over at once, neither sorted nor cut.
        case table
    }

    /// The select list, for the table alias `t0`.
    ///
    /// From the table's last column to its first: SQLite then reads through the header of a record once, where columns in
    /// order make it go on a little further for each, a tenth of the time of reading a table.
    let columns: String

    let columnCount: Int

    /// The last column, before which the version stands and, where there are several entities, the entity's number.
    private let keyColumn: Int32
    private var versionColumn: Int32 { keyColumn - 1 }
    private var entityColumn: Int32 { keyColumn - 2 }

    private let firstIndex: Int
    private let plans: [RowPlan]

    /// - Parameter includesSubentities: Whether rows of descendants come as well; each row is then read as its own entity.
    init(_ entity: Entity, includesSubentities: Bool, model: ManagedObjectModel) {
        let family = includesSubentities ? Array(model.entities[entity.familyIndexes]) : [entity]
        var names = ["Z_PK", "Z_OPT"] + (family.count > 1 ? ["Z_ENT"] : [])
        var positions: [String: Int32] = [:]
        for column in family.flatMap(\.columns) where positions[column] == nil {
            positions[column] = Int32(names.count)
            names.append(column)
        }
        columnCount = names.count
        columns = names.reversed().map { "t0." + $0 }.joined(separator: ", ")
        let last = Int32(names.count - 1)
        keyColumn = last
        firstIndex = entity.index
        plans = family.map { member in
            RowPlan(
                member.layout, entityNumber: UInt32(member.index + 1),
                columns: member.columns.map { last - positions[$0]! })
        }
    }

    deinit { for plan in plans { plan.sources.deallocate() } }

    /// Which object a row is of.
    func key(of row: some SQLiteRow) -> EntityKey {
        EntityKey(
            entityIndex: plans.count > 1
                ? Int(row.value(at: entityColumn).integer) - 1 : firstIndex,
            key: row.value(at: keyColumn).integer)
    }

    /// Copies a row to the end of the writer's rows, making a writer that begins small if there is none.
    func readRow(_ row: some SQLiteRow, of writer: inout RowWriter?) -> RowReference {
        var current = writer.take() ?? RowWriter(expectedByteCount: 1024)
        readRow(row, into: &current)
        let finished = current.finish()
        writer = current
        return finished
    }

    /// Copies a row into a slab; the caller finishes it.
    @inline(__always)
    func readRow(_ row: some SQLiteRow, into writer: inout RowWriter) {
        var position = 0
        if plans.count > 1 {
            position = Int(row.value(at: entityColumn).integer) - 1 - firstIndex
            // A row of an entity that the model does not have is read as one of the root entity.
            if !plans.indices.contains(position) { position = 0 }
        }
        let plan = plans[position]
        writer.begin(
            plan.extent, key: row.value(at: keyColumn).integer,
            version: UInt32(truncatingIfNeeded: row.value(at: versionColumn).integer),
            entityNumber: plan.entityNumber)
        for slot in 0..<plan.extent.slotCount {
            let source = plan.sources[slot]
            let value = row.value(at: source.column)
            // SQLite is asked for the type only where the value alone does not tell: NULL reads as zero or no bytes.
            switch source.kind {
            case .integer:
                let integer = value.integer
                if integer != 0 || !value.isNull { writer.set(slot, integer: integer) }
            case .real:
                let real = value.real
                if real != 0 || !value.isNull { writer.set(slot, real: real) }
            case .text:
                let text = value.text
                if text.baseAddress != nil { writer.set(slot, bytes: text) }
            case .blob:
                if !value.isNull { writer.set(slot, bytes: value.blob) }
            }
        }
    }
}

/// How the rows of one entity are read: what each slot takes, without references to count.
private struct RowPlan: @unchecked Sendable {
    // @unchecked Sendable: `sources` is written here only, and freed by the selection that owns the plan.
    struct Source {
        let column: Int32
        let kind: SlotKind
    }

    let extent: RowExtent
    let entityNumber: UInt32
    let sources: UnsafeMutablePointer<Source>

    init(_ layout: RowLayout, entityNumber: UInt32, columns: [Int32]) {
        extent = layout.extent
        self.entityNumber = entityNumber
        sources = .allocate(capacity: columns.count)
        for (slot, column) in columns.enumerated() {
            sources[slot] = Source(column: column, kind: layout.slotKinds[slot])
        }
    }
}
