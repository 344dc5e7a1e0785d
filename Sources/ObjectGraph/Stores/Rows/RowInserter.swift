/// Inserts rows of one entity, many a statement: SQLite starts, opens its cursors and ends once for all of them.
struct RowInserter {
    /// Few enough to stay in a processor's first cache until they are inserted, so many that the statement's own cost counts
    /// for nothing. A row that collides has all of its statement inserted one by one.
    static let rowsPerStatement = 64

    private let layout: RowLayout
    private let statement: Statement

    /// Where the rows start that are not inserted yet, in `slabs` or in slabs that the caller keeps.
    private var starts: [UnsafeRawPointer] = []

    /// What names each of them if it collides.
    private var positions: [Int] = []

    /// Slabs of the pending rows, from which the statement borrows texts and blobs; each once for its neighbours.
    private var slabs: [RowSlab] = []

    /// The rows that could not be inserted, with what SQLite says of the constraint that they break.
    private(set) var collisions: [(position: Int, error: SQLiteError)] = []

    init(_ entity: Entity, _ statements: EntityStatements, on connection: Connection) throws {
        layout = entity.layout
        statement = try connection.statement(statements.insert)
    }

    /// Whether no row waits to be inserted.
    var isEmpty: Bool { starts.isEmpty }

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
        starts.append(start)
        positions.append(position)
        if starts.count == Self.rowsPerStatement { try insertPending() }
    }

    /// Inserts what is left. To be called once after the last row.
    mutating func finish() throws {
        if !starts.isEmpty { try insertPending() }
    }

    private mutating func insertPending() throws {
        do {
            try insert(0..<starts.count)
        } catch {
            guard error.isUniqueness || error.isKeyCollision else { throw error }
            // None of them is in: one by one, it shows which collide.
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
    /// Binds a value of a row, borrowing its bytes: the row must live until the statement is reset.
    @inline(__always)
    func bind(_ row: RowReference, _ slot: Int, _ layout: RowLayout, at index: Int32) {
        guard row.hasValue(slot) else { return bindNull(at: index) }
        switch layout.slotKinds[slot] {
        case .integer: bind(row.integer(slot, in: layout), at: index)
        case .real: bind(row.real(slot, in: layout), at: index)
        case .text: bind(text: row.bytes(slot, in: layout), at: index)
        case .blob: bind(blob: row.bytes(slot, in: layout), at: index)
        }
    }
}
