/// Inserts rows of one entity, ten a statement: SQLite starts, opens its cursors and ends once for all of them.
struct RowInserter {
    static let rowsPerStatement = 10

    private let entity: Entity
    private let insertMany: Statement
    private let insertOne: Statement

    // Holding the rows keeps their slabs, from which the statement borrows texts and blobs.
    private var pending: [(row: RowReference, position: Int)] = []

    /// The rows that could not be inserted, with what SQLite says of the constraint that they break.
    private(set) var collisions: [(position: Int, error: SQLiteError)] = []

    init(_ entity: Entity, _ statements: EntityStatements, on connection: Connection) throws {
        self.entity = entity
        insertMany = try connection.statement(statements.insertMany)
        insertOne = try connection.statement(statements.insertOne)
        pending.reserveCapacity(Self.rowsPerStatement)
    }

    /// - Parameter position: Names the row if it collides.
    mutating func add(_ row: RowReference, position: Int) throws {
        pending.append((row, position))
        if pending.count == Self.rowsPerStatement { try insertPending() }
    }

    /// Inserts what is left. To be called once after the last row.
    mutating func finish() throws {
        for next in pending { try insert(next.row, next.position) }
        pending.removeAll(keepingCapacity: true)
    }

    private mutating func insertPending() throws {
        let parametersPerRow = Int32(entity.columns.count + 1)
        for (index, next) in pending.enumerated() {
            let first = Int32(index) * parametersPerRow + 1
            insertMany.bind(next.row.key, at: first)
            insertMany.bindAll(of: next.row, entity.layout, from: first + 1)
        }
        do {
            try insertMany.run()
            pending.removeAll(keepingCapacity: true)
        } catch {
            guard error.isConstraint else { throw error }
            // None of them is in: one by one, it shows which collide.
            try finish()
        }
    }

    private mutating func insert(_ row: RowReference, _ position: Int) throws {
        insertOne.bind(row.key, at: 1)
        insertOne.bindAll(of: row, entity.layout, from: 2)
        do {
            try insertOne.run()
        } catch {
            guard error.isConstraint else { throw error }
            collisions.append((position, error))
        }
    }
}

extension Statement {
    /// Binds all values of a row to consecutive parameters, borrowing its bytes.
    func bindAll(of row: RowReference, _ layout: RowLayout, from first: Int32) {
        layout.slotKinds.withUnsafeBufferPointer { kinds in
            for slot in 0..<kinds.count {
                bind(row.start, slot, kinds[slot], layout.slotsByteOffset, at: first + Int32(slot))
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
