/// Inserts rows of one entity, ten a statement: SQLite starts, opens its cursors and ends once for all of them.
struct RowInserter {
    static let rowsPerStatement = 10

    private let entity: Entity
    private let insertMany: Statement
    private let insertOne: Statement

    private struct Pending {
        // Points into one of `slabs`, or into one that the caller keeps.
        let start: UnsafeRawPointer
        let position: Int
    }

    private var pending: [Pending] = []

    /// Slabs of the pending rows, from which the statement borrows texts and blobs; each once for its neighbours.
    private var slabs: [RowSlab] = []

    /// The rows that could not be inserted, with what SQLite says of the constraint that they break.
    private(set) var collisions: [(position: Int, error: SQLiteError)] = []

    init(_ entity: Entity, _ statements: EntityStatements, on connection: Connection) throws {
        self.entity = entity
        insertMany = try connection.statement(statements.insertMany)
        insertOne = try connection.statement(statements.insertOne)
        pending.reserveCapacity(Self.rowsPerStatement)
    }

    /// - Parameter position: Names the row if it collides.
    @inline(__always)
    mutating func add(_ row: RowReference, position: Int) throws {
        if slabs.last !== row.slab { slabs.append(row.slab) }
        try add(row.start, position: position)
    }

    /// - Parameters:
    ///   - start: Where the row starts, in a slab that the caller keeps until `finish` has returned.
    ///   - position: Names the row if it collides.
    @inline(__always)
    mutating func add(_ start: UnsafeRawPointer, position: Int) throws {
        pending.append(Pending(start: start, position: position))
        if pending.count == Self.rowsPerStatement { try insertPending() }
    }

    /// Inserts what is left. To be called once after the last row.
    mutating func finish() throws {
        for next in pending { try insert(next.start, next.position) }
        forgetPending()
    }

    private mutating func forgetPending() {
        pending.removeAll(keepingCapacity: true)
        if slabs.count > 1 { slabs.removeSubrange(..<(slabs.count - 1)) }
    }

    private mutating func insertPending() throws {
        let parametersPerRow = Int32(entity.columns.count + 1)
        for (index, next) in pending.enumerated() {
            let first = Int32(index) * parametersPerRow + 1
            insertMany.bindAll(of: next.start, entity.layout, from: first)
        }
        do {
            try insertMany.run()
            forgetPending()
        } catch {
            guard error.isConstraint else { throw error }
            // None of them is in: one by one, it shows which collide.
            try finish()
        }
    }

    private mutating func insert(_ row: UnsafeRawPointer, _ position: Int) throws {
        insertOne.bindAll(of: row, entity.layout, from: 1)
        do {
            try insertOne.run()
        } catch {
            guard error.isConstraint else { throw error }
            collisions.append((position, error))
        }
    }
}

extension Statement {
    /// Binds the key and all values of the row that starts here to consecutive parameters, borrowing its bytes.
    func bindAll(of row: UnsafeRawPointer, _ layout: RowLayout, from first: Int32) {
        bind(row.load(as: Int64.self), at: first)
        layout.slotKinds.withUnsafeBufferPointer { kinds in
            for slot in 0..<kinds.count {
                bind(row, slot, kinds[slot], layout.slotsByteOffset, at: first + 1 + Int32(slot))
            }
        }
    }

    @inline(__always)
    private func bind(
        _ row: UnsafeRawPointer, _ slot: Int, _ kind: SlotKind, _ slotsByteOffset: Int,
        at index: Int32
    ) {
        guard row.rowHasValue(slot) else { return bindNull(at: index) }
        let offset = slotsByteOffset + slot * 8
        switch kind {
        case .integer: bind(row.load(fromByteOffset: offset, as: Int64.self), at: index)
        case .real: bind(row.load(fromByteOffset: offset, as: Double.self), at: index)
        case .text, .blob:
            let extent = row.load(fromByteOffset: offset, as: (UInt32, UInt32).self)
            let bytes = UnsafeRawBufferPointer(
                start: row + Int(extent.0), count: Int(extent.1))
            if kind == .text { bind(text: bytes, at: index) } else { bind(blob: bytes, at: index) }
        }
    }

    /// Binds a value of a row, borrowing its bytes: the row must live until the statement is reset.
    @inline(__always)
    func bind(_ row: RowReference, _ slot: Int, _ layout: RowLayout, at index: Int32) {
        bind(row.start, slot, layout.slotKinds[slot], layout.slotsByteOffset, at: index)
    }
}
