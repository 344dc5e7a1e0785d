/// Writes pairs of one join table, many with each statement, in the order in which they are added.
///
/// A statement selects from `PendingRows`: the key is the source, and the slots are the destination
/// and its place.
struct PairWriter {
    private static let layout = RowLayout(slotKinds: [.integer, .integer])

    /// The slots that `PendingRows` needs for a pair.
    static let slotCount = layout.slotCount

    /// The expressions of a statement for the parts of a pair.
    static let (source, destination, place) = ("key", "value0", "value1")

    private let statement: Statement
    // Has room for all pending pairs, so that they stay where they are until they are written.
    private var writer = RowWriter(
        expectedByteCount: RowInserter.rowsPerStatement * layout.extent.fixedByteCount)
    private var starts: [UnsafeRawPointer] = []

    /// - Parameter sql: A statement that selects from `PendingRows`.
    init(_ sql: String, on connection: Connection) throws(SQLiteError) {
        statement = try connection.statement(sql)
        starts.reserveCapacity(RowInserter.rowsPerStatement)
    }

    mutating func add(_ source: Int64, _ destination: Int64, place: Int64? = nil) throws {
        writer.begin(Self.layout.extent, key: source, version: 0, entityNumber: 0)
        writer.set(0, integer: destination)
        if let place { writer.set(1, integer: place) }
        starts.append(writer.finish().start)
        if starts.count == RowInserter.rowsPerStatement { try finish() }
    }

    /// Writes the pending pairs. Call this after the last one.
    mutating func finish() throws {
        guard !starts.isEmpty else { return }
        let outcome: Result<Void, SQLiteError> = starts.withUnsafeBufferPointer { starts in
            Result { () throws(SQLiteError) in try statement.run(from: starts, Self.layout) }
        }
        try outcome.get()
        starts.removeAll(keepingCapacity: true)
        writer.rewind()
    }
}
