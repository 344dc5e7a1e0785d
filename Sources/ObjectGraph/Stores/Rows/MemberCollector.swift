/// Collects the rows of the members of several owners, each of which has one owner.
///
/// Takes rows whose last column is the key of the owner, in any order.
final class MemberCollector: RowReceiver {
    private let rows: RowCollector
    private let ownerColumn: Int32
    // Unchecked exclusivity: SQLite calls `receive` for one row after the other.
    @exclusivity(unchecked) private var members = MembersByOwner()

    init(_ selection: RowSelection) {
        rows = RowCollector(selection)
        ownerColumn = Int32(selection.columnCount)
    }

    override func receive(_ row: SQLFunctionArguments) {
        let place = rows.take(row)
        members.append(
            EntityKey(entityIndex: Int(place.entityNumber) - 1, key: place.key),
            of: row.value(at: ownerColumn).integer)
    }

    /// The members and their rows. Call this once, after the last row.
    ///
    /// - Throws: `StoreError` if one of the rows is damaged.
    func finish() throws(StoreError) -> RelatedRows {
        RelatedRows(contents: members.finish(), rows: try rows.finish())
    }
}

/// The members of a relationship by the keys of their owners, in the order in which they came.
struct MembersByOwner {
    private var contents: [Int64: [EntityKey]] = [:]
    // The members of one owner mostly follow one another.
    private var owner: Int64?
    private var latest: [EntityKey] = []

    mutating func append(_ member: EntityKey, of owner: Int64) {
        if owner != self.owner {
            noteLatest()
            self.owner = owner
        }
        latest.append(member)
    }

    mutating func finish() -> [Int64: [EntityKey]] {
        noteLatest()
        return contents
    }

    private mutating func noteLatest() {
        if let owner { contents[owner, default: []] += latest }
        latest.removeAll(keepingCapacity: true)
    }
}
