import Foundation

/// The engine's speed table through SQLite's C API: the reference for the engine.
final class CItems: EngineSubject {
    private let connection: CConnection
    private var loadedItems: [ItemRecord] = []

    init(configuration: SubjectConfiguration) throws {
        connection = try CConnection(configuration)
    }

    func settings(_ pragmas: [String]) throws -> [[String]] {
        try [connection.settings(pragmas)]
    }

    func close() throws {
        try connection.close()
    }

    // MARK: Reading

    func readItems() throws -> ItemChecksum {
        var checksum = ItemChecksum()
        // Through the buffer: an array's iterator retains every string of every item.
        try fetchItems().withUnsafeBufferPointer { items in
            for index in items.indices { checksum.add(items[index]) }
        }
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
        if inTransaction { try connection.execute("BEGIN") }
        let checksum = try readItems(withKeys: keys)
        if inTransaction { try connection.execute("COMMIT") }
        return checksum
    }

    private func readItems(withKeys keys: [Int64]) throws -> ItemChecksum {
        var select = try connection.prepare(
            "SELECT \(ItemRecord.selection) FROM ZITEM WHERE Z_PK = ?")
        var checksum = ItemChecksum()
        for key in keys {
            select.bind(key, 1)
            if try select.step() {
                checksum.add(ItemRecord(select))
                try select.reset()
            }
        }
        return checksum
    }

    func readPages(from numbers: [Int64], rowCount: Int) throws -> ItemChecksum {
        var select = try connection.prepare(
            "SELECT \(ItemRecord.selection) FROM ZITEM WHERE ZNUMBER >= ? ORDER BY ZNUMBER LIMIT ?")
        var checksum = ItemChecksum()
        for number in numbers {
            select.bind(number, 1)
            select.bind(rowCount, 2)
            var page: [ItemRecord] = []
            page.reserveCapacity(rowCount)
            while try select.step() { page.append(ItemRecord(select)) }
            page.withUnsafeBufferPointer { items in
                for index in items.indices { checksum.add(items[index]) }
            }
        }
        return checksum
    }

    func findItems(numbered numbers: [Int64]) throws -> ItemChecksum {
        var select = try connection.prepare(
            "SELECT \(ItemRecord.selection) FROM ZITEM WHERE ZNUMBER = ?")
        var checksum = ItemChecksum()
        for number in numbers {
            select.bind(number, 1)
            if try select.step() {
                checksum.add(ItemRecord(select))
                try select.reset()
            }
        }
        return checksum
    }

    func searchItems(for words: [String]) throws -> ItemChecksum {
        var select = try connection.prepare(ItemRecord.search)
        var checksum = ItemChecksum()
        for word in words {
            select.bind(word, 1)
            var items: [ItemRecord] = []
            while try select.step() { items.append(ItemRecord(select)) }
            items.withUnsafeBufferPointer { items in
                for index in items.indices { checksum.add(items[index]) }
            }
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
        let itemsByRack = prefetching ? try fetchItemsByRack() : [:]
        select = try connection.prepare(
            "SELECT \(ItemRecord.selection) FROM ZITEM WHERE ZRACK = ?")
        for rack in racks {
            var items = itemsByRack[rack.key, default: []]
            if !prefetching {
                select.bind(rack.key, 1)
                while try select.step() { items.append(ItemRecord(select)) }
            }
            items.withUnsafeBufferPointer { items in
                for index in items.indices { checksum.add(items[index]) }
            }
        }
        return checksum
    }

    private func fetchItemsByRack() throws -> [Int64: [ItemRecord]] {
        var items: [Int64: [ItemRecord]] = [:]
        var select = try connection.prepare(
            "SELECT \(ItemRecord.selection), ZRACK FROM ZITEM WHERE ZRACK IN (SELECT Z_PK FROM ZRACK)"
        )
        while try select.step() {
            items[select.integer(12), default: []].append(ItemRecord(select))
        }
        return items
    }

    func holdFirstPage(rowCount: Int, times: Int) throws -> HeldItems {
        var select = try connection.prepare(
            "SELECT \(ItemRecord.selection) FROM ZITEM ORDER BY ZNUMBER LIMIT ?")
        var held: HeldItems?
        for _ in 0..<times {
            select.bind(rowCount, 1)
            var page: [ItemRecord] = []
            page.reserveCapacity(rowCount)
            while try select.step() { page.append(ItemRecord(select)) }
            var checksum = ItemChecksum()
            page.withUnsafeBufferPointer { items in
                for index in items.indices { checksum.add(items[index]) }
            }
            held = HeldItems(items: page, checksum: checksum)
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
        var page: [ItemRecord] = []
        page.reserveCapacity(rowCount)
        // Each page starts after the last number of the page before.
        var last = Int64.min
        repeat {
            select.bind(last, 1)
            select.bind(rowCount, 2)
            page.removeAll(keepingCapacity: true)
            while try select.step() { page.append(ItemRecord(select)) }
            page.withUnsafeBufferPointer { items in
                for index in items.indices { checksum.add(items[index]) }
            }
            last = page.last?.number ?? last
        } while page.count == rowCount
        return (Int(count), checksum)
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
        let columns = ItemRecord.insertedColumns
        var insert = try connection.prepare(
            """
            INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, \(columns.joined(separator: ", "))) \
            VALUES (?, 1, 1\(String(repeating: ", ?", count: columns.count)))
            """)
        try connection.transaction {
            var key = try connection.integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 1")
            try file.forEachItem { item in
                key += 1
                insert.bind(key, 1)
                ItemRecord.bind(item, to: &insert)
                try insert.run()
            }
            try connection.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(key) WHERE Z_ENT = 1")
        }
    }

    func replaceRacks(with items: [ItemRow]) throws {
        try connection.transaction {
            try connection.execute(
                "DELETE FROM ZITEM WHERE ZRACK IN (SELECT Z_PK FROM ZRACK); DELETE FROM ZRACK")
            let rack = try connection.insert(
                [Rack.feedName], entity: "Rack", columns: ["ZNAME"], saveSize: 1
            ) { $0.bind($1, 2) }.lowerBound
            try connection.insert(
                items, entity: "Item", columns: ItemRecord.insertedColumns + ["ZRACK"],
                saveSize: max(items.count, 1)
            ) {
                ItemRecord.bind($1, to: &$0)
                $0.bind(rack, 12)
            }
        }
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
        var update = try connection.prepare(
            "UPDATE ZITEM SET ZQUANTITY = ?, Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?")
        try connection.transaction {
            for index in loadedItems.indices {
                let version = loadedItems[index].version
                loadedItems[index].quantity += 1
                loadedItems[index].version += 1
                update.bind(Int64(loadedItems[index].quantity), 1)
                update.bind(Int64(version + 1), 2)
                update.bind(loadedItems[index].key, 3)
                update.bind(Int64(version), 4)
                try update.run()
                guard connection.changes == 1 else {
                    throw RowChanged(key: loadedItems[index].key)
                }
            }
        }
    }

    func batchUpdate() throws {
        try connection.execute("UPDATE ZITEM SET ZQUANTITY = ZQUANTITY + 1, Z_OPT = Z_OPT + 1")
    }
}
