import Foundation

/// The engine's speed table through SQLite's C API, as a careful programmer writes it: a struct with
/// its strings for each item. The reference for the engine.
class CItems: EngineSubject {
    let connection: CConnection
    private let pictures: PictureFolder
    private var loadedItems: [ItemRecord] = []
    /// The statements that replace racks, prepared when they are first needed.
    private var rackWriter: RackWriter?

    required init(configuration: SubjectConfiguration) throws {
        connection = try CConnection(configuration)
        pictures = PictureFolder(configuration)
    }

    func settings(_ pragmas: [String]) throws -> [[String]] {
        try [connection.settings(pragmas)]
    }

    func close() throws {
        rackWriter = nil
        try connection.close()
    }

    // MARK: Reading

    func readItems() throws -> ItemChecksum {
        var checksum = ItemChecksum()
        checksum.add(all: try fetchItems())
        return checksum
    }

    func readNumbers() throws -> ItemChecksum {
        try holdItems().checksum
    }

    func holdItems() throws -> HeldItems {
        let items = try fetchItems()
        var checksum = ItemChecksum()
        for index in items.indices { checksum.add(number: items[index].number) }
        return HeldItems(items: items, checksum: checksum)
    }

    func readItems(withKeys keys: [Int64], inTransaction: Bool) throws -> ItemChecksum {
        try lookUp(keys, in: "Z_PK", inTransaction: inTransaction)
    }

    /// Reads the item that has a value, for each of these values.
    private func lookUp(
        _ values: [Int64], in column: String, inTransaction: Bool
    ) throws -> ItemChecksum {
        var select = try connection.prepare(
            "SELECT \(ItemRecord.selection) FROM ZITEM WHERE \(column) = ?")
        var checksum = ItemChecksum()
        if inTransaction { try connection.execute("BEGIN") }
        for value in values {
            select.bind(value, 1)
            if try select.step() {
                readItem(select, into: &checksum)
                try select.reset()
            }
        }
        if inTransaction { try connection.execute("COMMIT") }
        return checksum
    }

    func readPages(from numbers: [Int64], rowCount: Int) throws -> ItemChecksum {
        var select = try connection.prepare(
            "SELECT \(ItemRecord.selection) FROM ZITEM WHERE ZNUMBER >= ? ORDER BY ZNUMBER LIMIT ?")
        var checksum = ItemChecksum()
        for number in numbers {
            select.bind(number, 1)
            select.bind(rowCount, 2)
            try readItems(&select, atMost: rowCount, into: &checksum)
        }
        return checksum
    }

    func findItems(numbered numbers: [Int64], inTransaction: Bool) throws -> ItemChecksum {
        try lookUp(numbers, in: "ZNUMBER", inTransaction: inTransaction)
    }

    func searchItems(for words: [String]) throws -> ItemChecksum {
        var select = try connection.prepare(ItemRecord.search)
        var checksum = ItemChecksum()
        for word in words {
            select.bind(word, 1)
            try readItems(&select, atMost: 0, into: &checksum)
        }
        return checksum
    }

    func walkRacks(prefetching: Bool) throws -> ItemChecksum {
        var racks: [RackRecord] = []
        var select = try connection.prepare("SELECT Z_PK, ZNAME FROM ZRACK")
        while try select.step() {
            racks.append(RackRecord(key: select.integer(0), name: select.text(1)))
        }
        var checksum = ItemChecksum()
        if prefetching {
            select = try connection.prepare(
                """
                SELECT \(ItemRecord.selection), ZRACK FROM ZITEM \
                WHERE ZRACK IN (SELECT Z_PK FROM ZRACK)
                """)
            try readItems(&select, of: racks, into: &checksum)
        } else {
            select = try connection.prepare(
                "SELECT \(ItemRecord.selection) FROM ZITEM WHERE ZRACK = ?")
            for rack in racks {
                select.bind(rack.key, 1)
                try readItems(&select, atMost: 0, into: &checksum)
            }
        }
        return checksum
    }

    func holdFirstPage(rowCount: Int, times: Int) throws -> HeldItems {
        var select = try connection.prepare(
            "SELECT \(ItemRecord.selection) FROM ZITEM ORDER BY ZNUMBER LIMIT ?")
        var held: HeldItems?
        for _ in 0..<times {
            select.bind(rowCount, 1)
            held = try holdItems(&select, atMost: rowCount)
        }
        return held!
    }

    func readFirstBatch(rowCount: Int) throws -> (count: Int, checksum: ItemChecksum) {
        let count = try connection.integer("SELECT COUNT(*) FROM ZITEM")
        return (Int(count), try holdFirstPage(rowCount: rowCount, times: 1).checksum)
    }

    func scroll(rowCount: Int) throws -> (count: Int, checksum: ItemChecksum) {
        let count = try connection.integer("SELECT COUNT(*) FROM ZITEM")
        var select = try connection.prepare(
            "SELECT \(ItemRecord.selection) FROM ZITEM WHERE ZNUMBER > ? ORDER BY ZNUMBER LIMIT ?")
        var checksum = ItemChecksum()
        // Each page starts after the last number of the page before.
        var last: Int64? = .min
        while let number = last {
            select.bind(number, 1)
            select.bind(rowCount, 2)
            last = try readItems(&select, atMost: rowCount, into: &checksum)
        }
        return (Int(count), checksum)
    }

    // MARK: What an item is

    /// Reads the row of a statement.
    func readItem(_ select: borrowing CStatement, into checksum: inout ItemChecksum) {
        checksum.add(ItemRecord(select))
    }

    /// Fetches the rows of a statement and reads them.
    ///
    /// - Parameter rowCount: how many rows there are at most; 0 if that is unknown.
    /// - Returns: the number of the last item; nil if there is none.
    @discardableResult
    func readItems(
        _ select: inout CStatement, atMost rowCount: Int, into checksum: inout ItemChecksum
    ) throws -> Int64? {
        var items: [ItemRecord] = []
        items.reserveCapacity(rowCount)
        while try select.step() { items.append(ItemRecord(select)) }
        checksum.add(all: items)
        return items.last?.number
    }

    /// Fetches the rows of a statement, reads them and holds them.
    func holdItems(_ select: inout CStatement, atMost rowCount: Int) throws -> HeldItems {
        var items: [ItemRecord] = []
        items.reserveCapacity(rowCount)
        while try select.step() { items.append(ItemRecord(select)) }
        var checksum = ItemChecksum()
        checksum.add(all: items)
        return HeldItems(items: items, checksum: checksum)
    }

    /// Fetches the rows of a statement whose last column is the key of a rack, and reads those of each
    /// rack.
    func readItems(
        _ select: inout CStatement, of racks: [RackRecord], into checksum: inout ItemChecksum
    ) throws {
        var itemsByRack: [Int64: [ItemRecord]] = [:]
        while try select.step() {
            itemsByRack[select.integer(12), default: []].append(ItemRecord(select))
        }
        for rack in racks {
            checksum.add(all: itemsByRack[rack.key, default: []])
        }
    }

    private func fetchItems() throws -> [ItemRecord] {
        var items: [ItemRecord] = []
        // Keys have no gaps, so the last one, which is found immediately, is the number of items.
        items.reserveCapacity(Int(try connection.integer("SELECT MAX(Z_PK) FROM ZITEM")))
        var select = try connection.prepare("SELECT \(ItemRecord.selection) FROM ZITEM")
        while try select.step() { items.append(ItemRecord(select)) }
        return items
    }

    // MARK: Writing

    func insert(_ items: [ItemRow], saveSize: Int) throws {
        try connection.insert(
            items, entity: "Item", columns: ItemRecord.insertedColumns, saveSize: saveSize
        ) { ItemRecord.bind($1, to: &$0) }
    }

    func insert(_ items: [ItemRow], picture: Data) throws {
        let references = try pictures.makeFiles(items.count, with: picture)
        try connection.insert(
            Array(zip(items, references)), entity: "Item",
            columns: ItemRecord.insertedColumns + ["ZPICTURE"], saveSize: max(items.count, 1)
        ) {
            ItemRecord.bind($1.0, to: &$0)
            $0.bind($1.1, 12)
        }
    }

    func batchInsert(_ items: [ItemRow]) throws {
        try insert(items, saveSize: max(items.count, 1))
    }

    func upsert(_ items: [ItemRow]) throws {
        try connection.insert(
            items, entity: "Item", columns: ItemRecord.insertedColumns,
            saveSize: max(items.count, 1), conflictClause: ItemRecord.upsertClause
        ) { ItemRecord.bind($1, to: &$0) }
    }

    func importItems(from file: ItemFile) throws {
        var inserter = try CInserter(
            "Item", columns: ItemRecord.insertedColumns, on: connection)
        var pending: [ItemRow] = []
        func write() throws {
            try inserter.insert(pending, saveSize: Self.pendingCount) {
                ItemRecord.bind($1, to: &$0)
            }
            pending.removeAll(keepingCapacity: true)
        }
        try connection.transaction {
            try file.forEachItem { item in
                pending.append(item)
                if pending.count == Self.pendingCount { try write() }
            }
            try write()
        }
    }

    /// How many items of a file are in memory at a time.
    private static let pendingCount = 640

    func replaceRacks(with items: [ItemRow]) throws {
        if rackWriter == nil { rackWriter = try RackWriter(connection) }
        try connection.transaction { try rackWriter!.replaceRacks(with: items) }
    }

    func loadItems() throws {
        loadedItems = try fetchItems()
    }

    func readLoadedNumbers(in rounds: Rounds) throws -> ItemChecksum {
        var checksum = ItemChecksum()
        loadedItems.withUnsafeBufferPointer { items in
            rounds.forEachRead(of: items.count) { checksum.add(number: items[$0].number) }
        }
        return checksum
    }

    func readLoadedCities(in rounds: Rounds) throws -> ItemChecksum {
        var checksum = ItemChecksum()
        loadedItems.withUnsafeBufferPointer { items in
            rounds.forEachRead(of: items.count) { checksum.add(city: items[$0].city) }
        }
        return checksum
    }

    func filterLoadedItems(
        quantityBelow quantity: Int32, cityPrefix: String
    ) throws -> ItemChecksum {
        // Positions: an array of structs would be a copy with five references each.
        let found = loadedItems.indices.filter {
            loadedItems[$0].quantity < quantity && loadedItems[$0].city.hasPrefix(cityPrefix)
        }
        var checksum = ItemChecksum()
        for index in found { checksum.add(number: loadedItems[index].number) }
        return checksum
    }

    func updateLoadedItems() throws {
        try update(loadedItems.count) { index in
            loadedItems[index].quantity += 1
            loadedItems[index].version += 1
            return (
                loadedItems[index].key, loadedItems[index].quantity, loadedItems[index].version
            )
        }
    }

    /// Writes quantities by key, in one transaction.
    ///
    /// - Parameter change: changes the item at a position and returns its values.
    @inline(__always)
    final func update(
        _ count: Int, _ change: (Int) -> (key: Int64, quantity: Int32, version: Int32)
    ) throws {
        var update = try connection.prepare(
            "UPDATE ZITEM SET ZQUANTITY = ?, Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?")
        try connection.transaction {
            for index in 0..<count {
                let item = change(index)
                update.bind(Int64(item.quantity), 1)
                update.bind(Int64(item.version), 2)
                update.bind(item.key, 3)
                update.bind(Int64(item.version - 1), 4)
                try update.run()
                guard connection.changes == 1 else { throw RowChanged(key: item.key) }
            }
        }
    }

    func batchUpdate() throws {
        try connection.execute("UPDATE ZITEM SET ZQUANTITY = ZQUANTITY + 1, Z_OPT = Z_OPT + 1")
    }
}

extension ItemChecksum {
    /// Through the buffer: an array's iterator retains every string of every item.
    @inline(__always)
    fileprivate mutating func add(all items: [ItemRecord]) {
        items.withUnsafeBufferPointer { items in
            for index in items.indices { add(items[index]) }
        }
    }
}

/// The prepared statements that replace all racks.
private final class RackWriter {
    private var deleteItems: CStatement
    private var deleteRacks: CStatement
    private var racks: CInserter
    private var items: CInserter

    init(_ connection: CConnection) throws {
        deleteItems = try connection.prepare(
            "DELETE FROM ZITEM WHERE ZRACK IN (SELECT Z_PK FROM ZRACK)")
        deleteRacks = try connection.prepare("DELETE FROM ZRACK")
        racks = try CInserter("Rack", columns: ["ZNAME"], on: connection)
        items = try CInserter(
            "Item", columns: ItemRecord.insertedColumns + ["ZRACK"], on: connection)
    }

    func replaceRacks(with rows: [ItemRow]) throws {
        try deleteItems.run()
        try deleteRacks.run()
        let rack = try racks.insert([Rack.feedName], saveSize: 1) { $0.bind($1, 2) }.lowerBound
        try items.insert(rows, saveSize: max(rows.count, 1)) {
            ItemRecord.bind($1, to: &$0)
            $0.bind(rack, 12)
        }
    }
}
