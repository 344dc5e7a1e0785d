import Synchronization

/// The newest known rows of one store, shared by all contexts of a coordinator (spec §3.1).
///
/// A row stays until no context has its object registered, unless it is removed because it was
/// deleted or may have changed in the store. A batch request ages the rows of its tables: aged rows
/// show conflicts, and are read again before they are used. Each table has its own lock, held for a
/// batch of rows.
final class RowCache: Sendable {
    private struct Entry: BitwiseCopyable {
        /// The number of the row's slab in the table, from 1; 0 without a row.
        var slabNumber: UInt32 = 0
        var offset: UInt32 = 0
        /// How many contexts have the object registered.
        var registrationCount: UInt32 = 0
    }

    /// A slab is held once for all its cached rows. The lock of the table guards the count.
    private struct HeldSlab {
        var slab: RowSlab?
        var rowCount = 0
    }

    private struct Table: ~Copyable {
        let entries = PagedTable(empty: Entry())
        /// Entries unregistered since the last sweep of empty pages.
        var releasedCount = 0
        /// When a batch request last changed the table; earlier rows are aged.
        private var agedAt: MonotonicTime?
        private var slabs: [HeldSlab] = []
        private var freeNumbers: [UInt32] = []
        /// The number of the slab of the latest rows; 0 if there were none.
        private var lastHeld: UInt32 = 0

        func row(_ key: Int64) -> RowReference? {
            let entry = entries[key]
            guard entry.slabNumber > 0 else { return nil }
            return RowReference(
                slab: slabs[Int(entry.slabNumber) - 1].slab!, offset: entry.offset)
        }

        func isAged(_ slab: RowSlab) -> Bool { agedAt.map { slab.readAt < $0 } ?? false }

        mutating func age() {
            agedAt = .now
            for held in slabs { held.slab?.hasSupersededRows.store(true, ordering: .relaxed) }
        }

        /// Stores rows of one slab, except where a newer version is known.
        mutating func store(_ places: some Collection<RowPlace>, in slab: RowSlab) {
            let number = hold(slab)
            // The count rises first, so that removing an older row of the same slab does not free
            // the slab.
            slabs[Int(number) - 1].rowCount += places.count
            for place in places {
                let entry = entries.slot(place.key)
                if entry.pointee.slabNumber > 0 {
                    let known = row(place.key)!
                    let version = RowReference(slab: slab, offset: place.offset).version
                    let isSamePlace =
                        entry.pointee.slabNumber == number && entry.pointee.offset == place.offset
                    if known.version > version || isSamePlace {
                        slabs[Int(number) - 1].rowCount -= 1
                        if !isSamePlace { slab.hasSupersededRows.store(true, ordering: .relaxed) }
                        continue
                    }
                    // The older copy counts as superseded even with the same version: once it has
                    // left the cache, a newer version cannot mark its slab.
                    letGo(entry, isSuperseded: true)
                }
                entry.pointee.slabNumber = number
                entry.pointee.offset = place.offset
            }
            if slabs[Int(number) - 1].rowCount == 0 { free(number) }
        }

        /// Removes the row of an entry, if it has one.
        mutating func letGo(_ entry: UnsafeMutablePointer<Entry>, isSuperseded: Bool) {
            let number = entry.pointee.slabNumber
            guard number > 0 else { return }
            entry.pointee.slabNumber = 0
            let position = Int(number) - 1
            if isSuperseded {
                slabs[position].slab!.hasSupersededRows.store(true, ordering: .relaxed)
            }
            slabs[position].rowCount -= 1
            if slabs[position].rowCount == 0 { free(number) }
        }

        private mutating func hold(_ slab: RowSlab) -> UInt32 {
            // A row that is read by itself is often in the slab of the row before.
            if lastHeld > 0, slabs[Int(lastHeld) - 1].slab === slab { return lastHeld }
            // Its read began before the batch request ended.
            if isAged(slab) { slab.hasSupersededRows.store(true, ordering: .relaxed) }
            if let number = freeNumbers.popLast() {
                slabs[Int(number) - 1].slab = slab
                lastHeld = number
                return number
            }
            slabs.append(HeldSlab(slab: slab))
            lastHeld = UInt32(slabs.count)
            return lastHeld
        }

        private mutating func free(_ number: UInt32) {
            slabs[Int(number) - 1].slab = nil
            freeNumbers.append(number)
        }
    }

    /// An object for each lock, since locks cannot be elements of an array.
    private final class Guarded: Sendable {
        let table = Mutex(Table())
    }

    /// By entity index; used for root entities.
    private let tables: [Guarded]

    init(model: ManagedObjectModel) {
        tables = model.entities.map { _ in Guarded() }
    }

    /// The newest known row; nil if there is none, or if it is aged.
    func row(_ key: Int64, root: Int) -> RowReference? {
        tables[root].table.withLock { table in
            guard let row = table.row(key), !table.isAged(row.slab) else { return nil }
            return row
        }
    }

    /// Ages the rows of the tables, which a batch request has changed.
    func age(roots: Set<Int>) {
        for root in roots { tables[root].table.withLock { $0.age() } }
    }

    /// The positions in the range whose row is in the cache with another version than the change
    /// expects.
    func positionsOfOtherVersions(
        _ changes: [RowChange], _ range: Range<Int>, root: Int
    ) -> [Int] {
        tables[root].table.withLock { table in
            range.filter { position in
                guard let row = table.row(changes[position].key) else { return false }
                return row.version != changes[position].previousVersion
            }
        }
    }

    /// Stores rows that were just read or written. An older version never replaces a newer one.
    func store(_ rows: RowList, root: Int) {
        tables[root].table.withLock { table in
            rows.forEachRun { slab, places in table.store(places, in: slab) }
        }
    }

    func store(_ row: RowReference, root: Int) {
        tables[root].table.withLock { $0.store(CollectionOfOne(row.place), in: row.slab) }
    }

    /// Removes rows that were deleted from the store, or may have changed there.
    func remove(_ keys: some Sequence<Int64>, root: Int) {
        tables[root].table.withLock { table in
            for key in keys {
                table.letGo(table.entries.slot(key), isSuperseded: true)
            }
        }
    }

    /// Notes that a context has registered the objects.
    func register(_ keys: some Sequence<Int64>, root: Int) {
        tables[root].table.withLock { table in
            for key in keys { table.entries.slot(key).pointee.registrationCount += 1 }
        }
    }

    /// Notes that a context no longer has the objects. Rows of objects that no context has are
    /// removed.
    func unregister(_ keys: some Sequence<Int64>, root: Int) {
        tables[root].table.withLock { table in
            for key in keys {
                let slot = table.entries.slot(key)
                guard slot.pointee.registrationCount > 0 else { continue }
                slot.pointee.registrationCount -= 1
                guard slot.pointee.registrationCount == 0 else { continue }
                table.letGo(slot, isSuperseded: false)
                table.releasedCount += 1
            }
            if table.releasedCount > 4096 {
                table.releasedCount = 0
                table.entries.removePages { $0.slabNumber == 0 && $0.registrationCount == 0 }
            }
        }
    }
}
