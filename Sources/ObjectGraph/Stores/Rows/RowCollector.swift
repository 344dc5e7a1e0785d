/// Copies the rows of a statement into slabs, as its selection says.
final class RowCollector: RowReceiver {
    private struct State {
        var writer: RowWriter
        var slab: RowSlab
        var slabCount: Int
        var rows = RowList()
        /// The rows of `slab` that are not in `rows` yet.
        var places: [RowPlace] = []
        /// What is wrong with the first row that is damaged.
        var damage: StoreError?
    }

    private let selection: RowSelection
    // Owned and freed by this object, and used by one thread. Raw memory, so that a row costs no exclusivity check.
    private let state: UnsafeMutablePointer<State>

    /// - Parameter expectedCount: How many rows there may be at most, so that a few do not take a whole slab.
    init(_ selection: RowSelection, expectedCount: Int = .max) {
        self.selection = selection
        let isSmall = expectedCount <= 256
        let writer = RowWriter(
            expectedByteCount: isSmall ? expectedCount * 256 : RowSlab.byteCount)
        state = .allocate(capacity: 1)
        state.initialize(
            to: State(writer: writer, slab: writer.slab, slabCount: writer.slabCount))
        if isSmall { state.pointee.places.reserveCapacity(expectedCount) }
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
    }

    override func receive(_ row: SQLFunctionArguments) { take(row) }

    /// Takes every row of a statement that lists the selection in this form.
    ///
    /// - Returns: whether the rows have come in the order of the result.
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

    @inline(__always)
    func take(_ row: some SQLiteRow) {
        let damagedColumn = selection.readRow(row, into: &state.pointee.writer)
        let place = state.pointee.writer.finishedPlace()
        if damagedColumn != RowSelection.noColumn { noteDamage(of: damagedColumn, place.key) }
        if state.pointee.writer.slabCount != state.pointee.slabCount { beginSlab() }
        state.pointee.places.append(place)
    }

    @inline(never)
    private func beginSlab() {
        let count = state.pointee.places.count
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

    /// The rows taken, in the order in which they came. To be called once after the last row.
    ///
    /// - Throws: `StoreError` if one of them is damaged.
    func finish() throws(StoreError) -> RowList {
        if let damage = state.pointee.damage { throw damage }
        state.pointee.rows.append(state.pointee.places, in: state.pointee.slab)
        return state.pointee.rows
    }
}
