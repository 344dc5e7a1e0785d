import Foundation
import GRDB

/// The engine's speed table with GRDB records.
final class GRDBItems: EngineSubject {
    private let pool: DatabasePool
    private let variant: PeerVariant
    private let pictures: PictureFolder
    private var loadedItems: [ItemRecord] = []

    init(configuration: SubjectConfiguration) throws {
        pool = try DatabasePool(configuration)
        variant = configuration.variant
        pictures = PictureFolder(configuration)
    }

    func settings(_ pragmas: [String]) throws -> [[String]] { try pool.settings(pragmas) }

    func close() throws {
        try pool.close()
    }

    // MARK: Reading

    func readItems() throws -> ItemChecksum {
        var checksum = ItemChecksum()
        let items = try pool.read { try ItemRecord.fetchAll($0) }
        for item in items { checksum.add(item) }
        return checksum
    }

    func readNumbers() throws -> ItemChecksum {
        try holdItems().checksum
    }

    func holdItems() throws -> HeldItems {
        let items = try pool.read { try ItemRecord.fetchAll($0) }
        var checksum = ItemChecksum()
        for item in items { checksum.add(number: item.number) }
        return HeldItems(items: items, checksum: checksum)
    }

    func readItems(withKeys keys: [Int64], inTransaction: Bool) throws -> ItemChecksum {
        try lookUp(keys, in: "Z_PK", inTransaction: inTransaction)
    }

    /// Reads the item that has a value, for each of these values.
    private func lookUp(
        _ values: [Int64], in column: String, inTransaction: Bool
    ) throws -> ItemChecksum {
        let sql = "SELECT \(ItemRecord.selection) FROM ZITEM WHERE \(column) = ?"
        func lookUp(_ value: Int64, _ database: Database) throws -> ItemRecord? {
            try SQLRequest<ItemRecord>(sql: sql, arguments: [value], cached: true)
                .fetchOne(database)
        }
        var checksum = ItemChecksum()
        if inTransaction {
            try pool.read { database in
                for value in values {
                    if let item = try lookUp(value, database) { checksum.add(item) }
                }
            }
        } else {
            for value in values {
                if let item = try pool.read({ try lookUp(value, $0) }) { checksum.add(item) }
            }
        }
        return checksum
    }

    func readPages(from numbers: [Int64], rowCount: Int) throws -> ItemChecksum {
        let sql =
            "SELECT \(ItemRecord.selection) FROM ZITEM WHERE ZNUMBER >= ? ORDER BY ZNUMBER LIMIT ?"
        var checksum = ItemChecksum()
        for number in numbers {
            let request = SQLRequest<ItemRecord>(
                sql: sql, arguments: [number, rowCount], cached: true)
            for item in try pool.read({ try request.fetchAll($0) }) { checksum.add(item) }
        }
        return checksum
    }

    func findItems(numbered numbers: [Int64], inTransaction: Bool) throws -> ItemChecksum {
        try lookUp(numbers, in: "ZNUMBER", inTransaction: inTransaction)
    }

    func searchItems(for words: [String]) throws -> ItemChecksum {
        var checksum = ItemChecksum()
        for word in words {
            let request = SQLRequest<ItemRecord>(
                sql: ItemRecord.search, arguments: [word], cached: true)
            for item in try pool.read({ try request.fetchAll($0) }) { checksum.add(item) }
        }
        return checksum
    }

    func walkRacks(prefetching: Bool) throws -> ItemChecksum {
        let racks = try pool.read { try RackRecord.fetchAll($0) }
        let itemsByRack = prefetching ? try fetchItemsByRack() : [:]
        let sql = "SELECT \(ItemRecord.selection) FROM ZITEM WHERE ZRACK = ?"
        var checksum = ItemChecksum()
        for rack in racks {
            var items = itemsByRack[rack.key, default: []]
            if !prefetching {
                let request = SQLRequest<ItemRecord>(
                    sql: sql, arguments: [rack.key], cached: true)
                items = try pool.read { try request.fetchAll($0) }
            }
            for item in items { checksum.add(item) }
        }
        return checksum
    }

    private func fetchItemsByRack() throws -> [Int64: [ItemRecord]] {
        let sql =
            "SELECT \(ItemRecord.selection), ZRACK FROM ZITEM WHERE ZRACK IN (SELECT Z_PK FROM ZRACK)"
        return try pool.read { database in
            var items: [Int64: [ItemRecord]] = [:]
            let rows = try Row.fetchCursor(database, sql: sql)
            while let row = try rows.next() {
                items[row[12], default: []].append(ItemRecord(row: row))
            }
            return items
        }
    }

    func holdFirstPage(rowCount: Int, times: Int) throws -> HeldItems {
        let sql = "SELECT \(ItemRecord.selection) FROM ZITEM ORDER BY ZNUMBER LIMIT ?"
        var held: HeldItems?
        for _ in 0..<times {
            let request = SQLRequest<ItemRecord>(sql: sql, arguments: [rowCount], cached: true)
            let page = try pool.read { try request.fetchAll($0) }
            var checksum = ItemChecksum()
            for item in page { checksum.add(item) }
            held = HeldItems(items: page, checksum: checksum)
        }
        return held!
    }

    func readFirstBatch(rowCount: Int) throws -> (count: Int, checksum: ItemChecksum) {
        let count = try pool.read { try ItemRecord.fetchCount($0) }
        return (count, try holdFirstPage(rowCount: rowCount, times: 1).checksum)
    }

    func scroll(rowCount: Int) throws -> (count: Int, checksum: ItemChecksum) {
        let count = try pool.read { try ItemRecord.fetchCount($0) }
        var checksum = ItemChecksum()
        var page: [ItemRecord] = []
        let sql =
            "SELECT \(ItemRecord.selection) FROM ZITEM WHERE ZNUMBER > ? ORDER BY ZNUMBER LIMIT ?"
        // Each page starts after the last number of the page before.
        var last = Int64.min
        repeat {
            let request = SQLRequest<ItemRecord>(
                sql: sql, arguments: [last, rowCount], cached: true)
            page = try pool.read { try request.fetchAll($0) }
            for item in page { checksum.add(item) }
            last = page.last?.number ?? last
        } while page.count == rowCount
        return (count, checksum)
    }

    // MARK: Writing

    func insert(_ items: [ItemRow], saveSize: Int) throws {
        if variant == .records {
            try pool.insert(items, entity: "Item", saveSize: saveSize) { ItemRecord($0, key: $1) }
        } else {
            try write(items, by: ItemRecord.insertion, saveSize: saveSize)
        }
    }

    private func write(_ items: [ItemRow], by insertion: GRDBInsertion, saveSize: Int) throws {
        try pool.insert(
            items, entity: "Item", by: insertion, saveSize: saveSize, ItemRecord.arguments)
    }

    func insert(_ items: [ItemRow], picture: Data) throws {
        let references = try pictures.makeFiles(items.count, with: picture)
        try pool.insert(
            Array(zip(items, references)), entity: "Item", saveSize: max(items.count, 1)
        ) {
            PicturedItemRecord(item: ItemRecord($0.0, key: $1), reference: $0.1)
        }
    }

    func batchInsert(_ items: [ItemRow]) throws {
        try insert(items, saveSize: max(items.count, 1))
    }

    /// Records do not count versions, so this statement does.
    func upsert(_ items: [ItemRow]) throws {
        try write(items, by: ItemRecord.upsert, saveSize: max(items.count, 1))
    }

    func importItems(from file: ItemFile) throws {
        try pool.write { database in
            var key = try Self.lastKey(database)
            let insert = try ItemRecord.insertion.prepare(database)
            try file.forEachItem { item in
                key += 1
                if variant == .records {
                    try ItemRecord(item, key: key).insert(database)
                } else {
                    try insert(ItemRecord.arguments(item, key: key))
                }
            }
            try Self.setLastKey(key, database)
        }
    }

    func replaceRacks(with items: [ItemRow]) throws {
        try pool.write { database in
            try database.execute(
                literal: "DELETE FROM ZITEM WHERE ZRACK IN (SELECT Z_PK FROM ZRACK)")
            try RackRecord.deleteAll(database)
            let rack = RackRecord(
                key: try Self.lastKey(database, of: EntityNumber.rack) + 1, name: Rack.feedName)
            try rack.insert(database)
            try Self.setLastKey(rack.key, database, of: EntityNumber.rack)
            var key = try Self.lastKey(database)
            let insert = try ItemRecord.insertionInRack.prepare(database)
            for item in items {
                key += 1
                try insert(ItemRecord.arguments(item, key: key) + [rack.key])
            }
            try Self.setLastKey(key, database)
        }
    }

    private static func lastKey(
        _ database: Database, of entity: Int = EntityNumber.item
    ) throws -> Int64 {
        try Int64.fetchOne(
            database, sql: "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", arguments: [entity])
            ?? 0
    }

    private static func setLastKey(
        _ key: Int64, _ database: Database, of entity: Int = EntityNumber.item
    ) throws {
        try database.execute(
            sql: "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?", arguments: [key, entity])
    }

    func loadItems() throws {
        loadedItems = try pool.read { try ItemRecord.fetchAll($0) }
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

    /// Records have no optimistic locking, so this statement checks the version.
    func updateLoadedItems() throws {
        try pool.write { database in
            let update = try database.cachedStatement(
                sql: "UPDATE ZITEM SET ZQUANTITY = ?, Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?")
            for index in loadedItems.indices {
                let version = loadedItems[index].version
                loadedItems[index].quantity += 1
                loadedItems[index].version += 1
                let item = loadedItems[index]
                try update.execute(arguments: [item.quantity, item.version, item.key, version])
                guard database.changesCount == 1 else { throw RowChanged(key: item.key) }
            }
        }
    }

    func batchUpdate() throws {
        try pool.write { database in
            _ = try ItemRecord.updateAll(
                database, [ItemRecord.Columns.quantity += 1, ItemRecord.Columns.version += 1])
        }
    }
}
