/// Copies the rows of a statement into slabs, as the selection describes.
final class RowCollector: RowReceiver {
    private struct State {
        var writer: RowWriter
        var slab: RowSlab
        var slabCount: Int
        var rows = RowList()
        /// The memory of the rows in slabs before this one.
        var earlierByteCount = 0
        /// How much of the slab other rows have used.
        var usedByteCount: Int
        /// The rows of `slab` that were not appended to `rows` yet.
        var places: [RowPlace] = []
        /// The error for the first damaged row.
        var damage: StoreError?
    }

    private let selection: RowSelection
    // This object owns and frees the memory, and one thread uses it. Raw memory avoids an
    // exclusivity check for each row.
    private let state: UnsafeMutablePointer<State>

    /// - Parameter expectedCount: The greatest possible number of rows. A small number gets a small
    ///   slab.
    convenience init(_ selection: RowSelection, expectedCount: Int = .max) {
        let isSmall = expectedCount <= 256
        self.init(
            selection,
            RowWriter(expectedByteCount: isSmall ? expectedCount * 256 : RowSlab.byteCount),
            expectedCount: expectedCount)
    }

    /// Adds to the rows of a writer, which is not used elsewhere until this collector has finished.
    init(_ selection: RowSelection, _ writer: RowWriter, expectedCount: Int) {
        self.selection = selection
        state = .allocate(capacity: 1)
        state.initialize(
            to: State(
                writer: writer, slab: writer.slab, slabCount: writer.slabCount,
                usedByteCount: writer.usedByteCount))
        if expectedCount <= 256 { state.pointee.places.reserveCapacity(expectedCount) }
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
    }

    override func receive(_ row: SQLFunctionArguments) { take(row) }

    /// The memory of the rows taken so far.
    var byteCount: Int {
        state.pointee.earlierByteCount + state.pointee.writer.usedByteCount
            - state.pointee.usedByteCount
    }

    /// Writes more rows after those of this collector, once it has finished.
    var writer: RowWriter { state.pointee.writer }

    /// Takes every row of a statement whose select list has this form.
    ///
    /// - Returns: Whether the rows came in the order of the result.
    func takeAll(
        of statement: Statement, _ form: RowSelection.Form
    ) throws(SQLiteError) -> Bool {
        switch form {
        case .columns:
            while try statement.step() { take(statement) }
            return true
        case .rows: return try statement.run(into: self)
        case .table:
            try statement.runAggregate(into: self)
            return false
        }
    }

    /// Copies one row, and returns its place.
    @inline(__always)
    @discardableResult
    func take(_ row: some StoredRow) -> RowPlace {
        let damagedColumn = selection.readRow(row, into: &state.pointee.writer)
        let place = state.pointee.writer.finishedPlace()
        if damagedColumn != RowSelection.noColumn { noteDamage(of: damagedColumn, place.key) }
        if state.pointee.writer.slabCount != state.pointee.slabCount { beginSlab() }
        state.pointee.places.append(place)
        return place
    }

    @inline(never)
    private func beginSlab() {
        let count = state.pointee.places.count
        state.pointee.earlierByteCount +=
            state.pointee.slab.capacity - state.pointee.usedByteCount
        state.pointee.usedByteCount = 0
        state.pointee.rows.append(state.pointee.places, in: state.pointee.slab)
        state.pointee.places = []
        state.pointee.places.reserveCapacity(count)
        state.pointee.slab = state.pointee.writer.slab
        state.pointee.slabCount = state.pointee.writer.slabCount
    }

    @inline(never)
    private func noteDamage(of column: Int32, _ key: Int64) {
        state.pointee.damage = state.pointee.damage ?? selection.damage(of: column, in: key)
    }

    /// The rows taken, in the order in which they came. Call this once, after the last row.
    ///
    /// - Throws: `StoreError` if one of them is damaged.
    func finish() throws(StoreError) -> RowList {
        if let damage = state.pointee.damage { throw damage }
        state.pointee.rows.append(state.pointee.places, in: state.pointee.slab)
        return state.pointee.rows
    }
}
