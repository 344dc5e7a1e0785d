import Foundation

/// The fastest way through SQLite's C API that anyone here could write: it keeps the bytes of texts
/// in blocks instead of a string for each. It writes as ``CItems`` does.
final class CLimitItems: CItems {
    private let loaded = ItemArena()
    /// For answers that are read and dropped.
    private let scratch = ItemArena()

    // MARK: Reading

    override func readItems() throws -> ItemChecksum {
        var checksum = ItemChecksum()
        try fetch(into: ItemArena()).addAll(to: &checksum)
        return checksum
    }

    override func holdItems() throws -> HeldItems {
        let items = try fetch(into: ItemArena())
        var checksum = ItemChecksum()
        for entry in items.entries { checksum.add(number: entry.number) }
        return HeldItems(items: items, checksum: checksum)
    }

    @discardableResult
    private func fetch(into items: ItemArena) throws -> ItemArena {
        items.reserveCapacity(Int(try connection.integer("SELECT MAX(Z_PK) FROM ZITEM")))
        var select = try connection.prepare("SELECT \(ItemRecord.selection) FROM ZITEM")
        while try select.step() { items.append(select) }
        return items
    }

    override func readItem(_ select: borrowing CStatement, into checksum: inout ItemChecksum) {
        scratch.removeAll()
        scratch.append(select)
        checksum.add(scratch.entries[0])
    }

    override func readItems(
        _ select: inout CStatement, atMost rowCount: Int, into checksum: inout ItemChecksum
    ) throws -> Int64? {
        scratch.removeAll()
        while try select.step() { scratch.append(select) }
        scratch.addAll(to: &checksum)
        return scratch.entries.last?.number
    }

    override func holdItems(_ select: inout CStatement, atMost rowCount: Int) throws -> HeldItems {
        let items = ItemArena()
        items.reserveCapacity(rowCount)
        while try select.step() { items.append(select) }
        var checksum = ItemChecksum()
        items.addAll(to: &checksum)
        return HeldItems(items: items, checksum: checksum)
    }

    override func readItems(
        _ select: inout CStatement, of racks: [RackRecord], into checksum: inout ItemChecksum
    ) throws {
        scratch.removeAll()
        var positions: [Int64: [Int32]] = [:]
        while try select.step() {
            positions[select.integer(12), default: []].append(Int32(scratch.entries.count))
            scratch.append(select)
        }
        let entries = scratch.entries
        for rack in racks {
            for position in positions[rack.key, default: []] {
                checksum.add(entries[Int(position)])
            }
        }
    }

    // MARK: Loaded items

    override func loadItems() throws { try fetch(into: loaded) }

    override func readLoadedNumbers(in rounds: Rounds) throws -> ItemChecksum {
        var checksum = ItemChecksum()
        loaded.entries.withUnsafeBufferPointer { items in
            rounds.forEachRead(of: items.count) { checksum.add(number: items[$0].number) }
        }
        return checksum
    }

    override func readLoadedCities(in rounds: Rounds) throws -> ItemChecksum {
        var checksum = ItemChecksum()
        loaded.entries.withUnsafeBufferPointer { items in
            rounds.forEachRead(of: items.count) { checksum.add(city: items[$0].city) }
        }
        return checksum
    }

    override func filterLoadedItems(
        quantityBelow quantity: Int32, cityPrefix: String
    ) throws -> ItemChecksum {
        let prefix = Array(cityPrefix.utf8)
        var checksum = ItemChecksum()
        loaded.entries.withUnsafeBufferPointer { items in
            for index in items.indices
            where items[index].quantity < quantity && items[index].cityBytes.starts(with: prefix) {
                checksum.add(number: items[index].number)
            }
        }
        return checksum
    }

    override func updateLoadedItems() throws {
        try update(loaded.entries.count) { index in
            loaded.update(index) {
                $0.quantity += 1
                $0.version += 1
            }
            let entry = loaded.entries[index]
            return (entry.key, entry.quantity, entry.version)
        }
    }
}

extension Subject {
    static let sqliteLimit = Subject(
        name: "sqlite-limit", group: .limit,
        summary: "SQLite's C API at its limit: the bytes of texts in blocks",
        openItems: CLimitItems.init)
}
