/// The columns that a SELECT lists, and how its result becomes rows of an entity and its
/// descendants.
package final class RowSelection: Sendable {
    /// How a statement delivers its rows.
    package enum Form: Sendable {
        /// Each column is read by itself.
        case columns
        /// A `RowReceiver` gets each row as a whole, in order. For results that SQLite does not
        /// sort.
        case rows
        /// A `RowReceiver` gets all rows in one step of the statement. For results without an
        /// order, limit or offset.
        case table
    }

    /// The select list, for the table alias `t0`.
    ///
    /// The columns are listed from the table's last to its first. SQLite then parses the header of
    /// a record once; in ascending order it continues a little further for each column, which takes
    /// a tenth of the time of reading a table.
    package let columns: String

    let columnCount: Int

    /// The names of the columns, in the order of the list.
    private let columnNames: [String]

    /// The index of the last column. The version comes before it, and before that the entity number
    /// if there are several entities.
    private let keyColumn: Int32
    private var versionColumn: Int32 { keyColumn - 1 }
    private var entityColumn: Int32 { keyColumn - 2 }

    private let entity: Entity
    private let firstIndex: Int
    private let plans: [RowPlan]

    /// The path of the folder with values of the store, with the final slash.
    private let folder: [UInt8]

    /// Whether a row may be of a descendant.
    var includesSubentities: Bool { plans.count > 1 }

    /// - Parameters:
    ///   - includesSubentities: Whether rows of descendants are included. Each row is read as its
    ///     own entity.
    ///   - folder: The path of the folder with values of the store, with the final slash.
    package init(
        _ entity: Entity, includesSubentities: Bool, layout: StoreLayout, folder: String
    ) {
        let model = layout.model
        let family = includesSubentities ? Array(model.entities[entity.familyIndexes]) : [entity]
        var names = ["Z_PK", "Z_OPT"]
        var selected = ["t0.Z_PK", "t0.Z_OPT"]
        if family.count > 1 {
            names.append("Z_ENT")
            selected.append(layout.modelNumber("t0.Z_ENT", entity.familyIndexes))
        }
        var positions: [String: Int32] = [:]
        for member in family {
            for (slot, column) in layout.columns(of: member).enumerated()
            where positions[column] == nil {
                positions[column] = Int32(names.count)
                names.append(column)
                selected.append(layout.rowReading("t0." + column, slot, of: member))
            }
        }
        columnCount = names.count
        columnNames = names.reversed()
        columns = selected.reversed().joined(separator: ", ")
        let last = Int32(names.count - 1)
        keyColumn = last
        self.entity = entity
        self.folder = Array(folder.utf8)
        firstIndex = entity.index
        plans = family.map { member in
            RowPlan(
                member, columns: layout.columns(of: member).map { last - positions[$0]! },
                layout: layout)
        }
    }

    deinit { for plan in plans { plan.sources.deallocate() } }

    /// The entity and key of a row.
    ///
    /// - Throws: `StoreError` if the row is neither of the entity nor of a descendant.
    func key(of row: some StoredRow) throws(StoreError) -> EntityKey {
        try EntityKey(
            number: plans.count > 1
                ? row.value(at: entityColumn).integer : Int64(firstIndex + 1),
            key: row.value(at: keyColumn).integer, of: entity)
    }

    /// Copies a row to the end of the writer's rows. Makes a small writer if there is none.
    ///
    /// - Throws: `StoreError` if the row is damaged.
    func readRow(
        _ row: some StoredRow, of writer: inout RowWriter?
    ) throws(StoreError) -> RowReference {
        if writer == nil { writer = RowWriter(expectedByteCount: 1024) }
        let damagedColumn = readRow(row, into: &writer!)
        let finished = writer!.finish()
        guard damagedColumn == Self.noColumn else {
            throw damage(of: damagedColumn, in: finished.key)
        }
        return finished
    }

    /// The error for a row with an impossible key or reference.
    func damage(of column: Int32, in key: Int64) -> StoreError {
        StoreError(
            .damagedValue(
                """
                in the row \(key) of '\(entity.name)' the column \(columnNames[Int(column)]) has a \
                key, an entity number or a size that no row can have
                """))
    }

    /// The result of `readRow` for a sound row.
    static let noColumn: Int32 = -1

    /// Copies a row into a slab. The caller must finish the row.
    ///
    /// - Returns: The column with an impossible key or reference, and then the row must not be
    ///   used; `noColumn` if the row is sound.
    @inline(__always)
    func readRow(_ row: some StoredRow, into writer: inout RowWriter) -> Int32 {
        var position = 0
        if plans.count > 1 {
            position = Int(row.value(at: entityColumn).integer) &- 1 &- firstIndex
            // A row whose entity the model does not have is read as one of the selection's entity.
            if !plans.indices.contains(position) { position = -1 }
        }
        let plan = plans[max(position, 0)]
        let key = row.value(at: keyColumn)
        var damagedColumn = Self.noColumn
        if position < 0, type(of: row).isStrict { damagedColumn = entityColumn }
        if key.integer < 0 || key.isDamaged(as: .integer) { damagedColumn = keyColumn }
        writer.begin(
            plan.extent, key: key.integer,
            version: UInt32(truncatingIfNeeded: row.value(at: versionColumn).integer),
            entityNumber: plan.entityNumber)
        for slot in 0..<plan.extent.slotCount {
            let source = plan.sources[slot]
            let value = row.value(at: source.column)
            // Asks SQLite for the type only where the value does not show it: NULL reads as zero or
            // no bytes.
            switch source.kind {
            case .integer:
                let integer = value.integer
                if integer != 0 || !value.isNull {
                    if source.isReference && !source.holds(integer)
                        || value.isDamaged(as: .integer)
                    {
                        damagedColumn = source.column
                    }
                    writer.set(slot, integer: integer)
                }
            case .real:
                let real = value.real
                if real != 0 || !value.isNull {
                    if value.isDamaged(as: .real) { damagedColumn = source.column }
                    writer.set(slot, real: real)
                }
            case .text:
                let text = value.text
                if text.baseAddress != nil { writer.set(slot, bytes: text) }
            case .blob:
                if source.isMarked {
                    readMarked(value, slot, into: &writer)
                } else if !value.isNull {
                    writer.set(slot, bytes: value.blob)
                }
            }
        }
        return damagedColumn
    }

    /// Reads a value that may be in a file (`ExternalData`). The row gets the path of the file; an
    /// empty one for a value without a mark, which is an error when it is used.
    @inline(never)
    private func readMarked(
        _ value: some StoredValue, _ slot: Int, into writer: inout RowWriter
    ) {
        if value.isNull { return }
        switch ExternalData.place(of: value.blob) {
        case .here(let data): writer.set(slot, bytes: data)
        case .file(let name) where !folder.isEmpty:
            folder.withUnsafeBytes { writer.set(slot, fileIn: $0, name) }
        case .file, .damaged:
            let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
            writer.set(slot, fileIn: nothing, nothing)
        }
    }
}

/// How the rows of one entity are read: the source of each slot, without reference counting.
private struct RowPlan: @unchecked Sendable {
    // @unchecked Sendable: `sources` is written only here, and freed by the selection that owns the
    // plan.
    struct Source {
        let column: Int32
        let kind: SlotKind

        /// Whether an integer is the key of another row, or the number of its entity.
        var isReference = false

        /// Whether the value has a mark of where it is kept.
        var isMarked = false

        /// The smallest and greatest valid reference; 0 is valid too.
        var least: Int64 = 0
        var greatest = Int64.max

        func holds(_ reference: Int64) -> Bool {
            reference >= least && reference <= greatest || reference == 0
        }
    }

    let extent: RowExtent
    let entityNumber: UInt32
    let sources: UnsafeMutablePointer<Source>

    init(_ entity: Entity, columns: [Int32], layout: StoreLayout) {
        extent = entity.layout.extent
        entityNumber = UInt32(entity.number)
        sources = .allocate(capacity: columns.count)
        for (slot, column) in columns.enumerated() {
            sources[slot] = Source(
                column: column, kind: entity.layout.slotKinds[slot],
                isMarked: layout.isMarked(slot, of: entity))
        }
        for property in entity.properties {
            guard let relationship = property.relationship, let slot = property.slot else {
                continue
            }
            sources[slot].isReference = true
            guard let entitySlot = property.entitySlot else { continue }
            let family = layout.model.destination(of: relationship).familyIndexes
            sources[entitySlot].isReference = true
            sources[entitySlot].least = Int64(family.lowerBound + 1)
            sources[entitySlot].greatest = Int64(family.upperBound + 1)
        }
    }
}
