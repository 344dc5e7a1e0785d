import Synchronization

/// The newest known rows of one store, shared by all contexts of a coordinator (spec §3.1).
///
/// A row stays as long as some context has its object registered. Each table has its own lock, held for a batch of rows.
final class RowCache: Sendable {
    private struct Entry {
        var slab: RowSlab?
        var offset: UInt32 = 0
        /// How many contexts have the object registered.
        var registrationCount: UInt32 = 0

        var row: RowReference? {
            get { slab.map { RowReference(slab: $0, offset: offset) } }
            set {
                slab = newValue?.slab
                offset = newValue?.offset ?? 0
            }
        }
    }

    private struct Table: ~Copyable {
        let entries = PagedTable(empty: Entry())
        /// Entries that were let go since the last sweep of empty pages.
        var releasedCount = 0
    }

    /// A lock in an object, since locks cannot be elements of an array.
    private final class Guarded: Sendable {
        let table = Mutex(Table())
    }

    /// By entity index; used for root entities.
    private let tables: [Guarded]

    init(model: ManagedObjectModel) {
        tables = model.entities.map { _ in Guarded() }
    }

    /// The newest known row; nil if there is none.
    func row(_ key: Int64, root: Int) -> RowReference? {
        tables[root].table.withLock { $0.entries[key].row }
    }

    /// The positions in the range of changes whose row is known in another version than they expect.
    func positionsOfOtherVersions(
        _ changes: [RowChange], _ range: Range<Int>, root: Int
    ) -> [Int] {
        tables[root].table.withLock { table in
            range.filter { position in
                guard let row = table.entries[changes[position].key].row else { return false }
                return row.version != changes[position].previousVersion
            }
        }
    }

    /// Takes rows that have just been read or written; an older version never replaces a newer one.
    func store(_ rows: RowList, root: Int) {
        tables[root].table.withLock { table in
            rows.forEach { row in
                let slot = table.entries.slot(row.key)
                if let old = slot.pointee.slab {
                    let known = RowReference(slab: old, offset: slot.pointee.offset)
                    if known.version > row.version { return }
                    if known.version < row.version {
                        old.hasSupersededRows.store(true, ordering: .relaxed)
                    }
                }
                slot.pointee.slab = row.slab
                slot.pointee.offset = row.offset
            }
        }
    }

    /// Forgets rows that are gone from the store, or may have changed there.
    func remove(_ keys: some Sequence<Int64>, root: Int) {
        tables[root].table.withLock { table in
            for key in keys {
                let slot = table.entries.slot(key)
                slot.pointee.slab?.hasSupersededRows.store(true, ordering: .relaxed)
                slot.pointee.row = nil
            }
        }
    }

    /// Forgets every row, after changes whose extent is not known.
    func removeAllRows() {
        for guarded in tables {
            guarded.table.withLock { table in
                table.entries.forEach { _, slot in
                    slot.pointee.slab?.hasSupersededRows.store(true, ordering: .relaxed)
                    slot.pointee.row = nil
                }
            }
        }
    }

    /// Notes that a context has registered the objects.
    func register(_ keys: some Sequence<Int64>, root: Int) {
        tables[root].table.withLock { table in
            for key in keys { table.entries.slot(key).pointee.registrationCount += 1 }
        }
    }

    /// Notes that a context no longer has the objects; rows that none has are let go.
    func unregister(_ keys: some Sequence<Int64>, root: Int) {
        tables[root].table.withLock { table in
            for key in keys {
                let slot = table.entries.slot(key)
                guard slot.pointee.registrationCount > 0 else { continue }
                slot.pointee.registrationCount -= 1
                guard slot.pointee.registrationCount == 0 else { continue }
                slot.pointee.row = nil
                table.releasedCount += 1
            }
            if table.releasedCount > 4096 {
                table.releasedCount = 0
                table.entries.removePages { $0.slab == nil && $0.registrationCount == 0 }
            }
        }
    }
}
