/// Inserts rows of one entity, many with each statement, so that SQLite starts a statement and
/// opens its cursors once for all of them.
struct RowInserter {
    /// Few enough rows to stay in the L1 cache until they are inserted, and enough to make the cost
    /// of the statement itself small. If one row collides, all rows of its statement are inserted
    /// one by one.
    static let rowsPerStatement = 64

    private let layout: RowLayout
    private let statement: Statement

    /// The starts of the pending rows, in `slabs` or in slabs that the caller keeps.
    private var starts: [UnsafeRawPointer] = []

    /// The position of each pending row, which identifies it if it collides.
    private var positions: [Int] = []

    /// The slabs of the pending rows, from which the statement borrows texts and blobs.
    /// Neighbouring rows of one slab hold it once.
    private var slabs: [RowSlab] = []

    /// The rows that could not be inserted, with SQLite's error for the constraint that each
    /// violates.
    private(set) var collisions: [(position: Int, error: SQLiteError)] = []

    /// - Parameter sql: A statement of `EntityStatements` that inserts rows.
    init(_ entity: Entity, _ sql: String, on connection: Connection) throws {
        layout = entity.layout
        statement = try connection.statement(sql)
    }

    /// Whether no rows are pending.
    var isEmpty: Bool { starts.isEmpty }

    /// - Parameter position: Identifies the row if it collides.
    @inline(__always)
    mutating func add(_ row: RowReference, position: Int) throws {
        if slabs.last !== row.slab { slabs.append(row.slab) }
        try add(row.start, position: position)
    }

    /// - Parameters:
    ///   - start: The start of the row, in a slab that the caller keeps until `finish` has
    ///     returned.
    ///   - position: Identifies the row if it collides.
    @inline(__always)
    mutating func add(_ start: UnsafeRawPointer, position: Int) throws {
        starts.append(start)
        positions.append(position)
        if starts.count == Self.rowsPerStatement { try insertPending() }
    }

    /// Inserts the pending rows. Call this once, after the last row.
    mutating func finish() throws {
        if !starts.isEmpty { try insertPending() }
    }

    private mutating func insertPending() throws {
        do {
            try insert(0..<starts.count)
        } catch {
            guard error.isUniqueness || error.isKeyCollision else { throw error }
            // The statement inserted no row. One by one, the rows show which of them collide.
            if starts.count == 1 {
                collisions.append((positions[0], error))
            } else {
                try insertOneByOne()
            }
        }
        starts.removeAll(keepingCapacity: true)
        positions.removeAll(keepingCapacity: true)
        if slabs.count > 1 { slabs.removeSubrange(..<(slabs.count - 1)) }
    }

    private mutating func insertOneByOne() throws {
        for index in starts.indices {
            do {
                try insert(index..<index + 1)
            } catch {
                guard error.isUniqueness || error.isKeyCollision else { throw error }
                collisions.append((positions[index], error))
            }
        }
    }

    private func insert(_ range: Range<Int>) throws(SQLiteError) {
        let outcome: Result<Void, SQLiteError> = starts.withUnsafeBufferPointer { starts in
            Result { () throws(SQLiteError) in
                try statement.run(from: UnsafeBufferPointer(rebasing: starts[range]), layout)
            }
        }
        try outcome.get()
    }
}

extension Statement {
    /// Binds a value of a row and borrows its bytes. The row must live until the statement is
    /// reset.
    @inline(__always)
    func bind(_ row: RowReference, _ slot: Int, _ layout: RowLayout, at index: Int32) {
        guard row.hasValue(slot) else { return bindNull(at: index) }
        switch layout.slotKinds[slot] {
        case .integer: bind(row.integer(slot, in: layout), at: index)
        case .real: bind(row.real(slot, in: layout), at: index)
        case .text: bind(text: row.bytes(slot, in: layout), at: index)
        case .blob:
            if let path = row.start.rowFilePath(layout.slotsByteOffset + (slot << 3)) {
                return bind(text: PendingRows.fileName(path), at: index)
            }
            bind(blob: row.bytes(slot, in: layout), at: index)
        }
    }
}
