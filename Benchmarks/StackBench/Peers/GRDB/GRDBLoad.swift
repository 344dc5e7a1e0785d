import Foundation
import GRDB

/// GRDB under load: all clients use one `DatabasePool`, as its documentation recommends.
final class GRDBLoad: LoadSubject {
    private let pool: DatabasePool

    init(configuration: SubjectConfiguration) throws {
        pool = try DatabasePool(configuration)
    }

    func makeWriter() throws -> any LoadWriter { GRDBLoadClient(pool) }
    func makeReader(_ index: Int) throws -> any LoadReader { GRDBLoadClient(pool) }
    func settings(_ pragmas: [String]) throws -> [[String]] { try pool.settings(pragmas) }

    func close() throws {
        try pool.keepLastKey(of: "Item")
        try pool.close()
    }
}

/// The operations of a load with GRDB records. The key of an item is its number.
private final class GRDBLoadClient: LoadWriter, LoadReader {
    private let pool: DatabasePool

    init(_ pool: DatabasePool) {
        self.pool = pool
    }

    func insert(_ items: [ItemRow]) throws -> WriteResult {
        try pool.write { database in
            for item in items { try ItemRecord(item, key: item.number).insert(database) }
        }
        return .saved
    }

    /// Reads each item in the transaction that changes it, as GRDB's documentation recommends. So
    /// there are no conflicts.
    func update(_ numbers: [Int64]) throws -> WriteResult {
        try pool.write { database in
            let change = try database.cachedStatement(
                sql: "UPDATE ZITEM SET ZQUANTITY = ?, Z_OPT = ? WHERE Z_PK = ?")
            for number in numbers {
                guard let item = try Self.request(number).fetchOne(database) else { continue }
                try change.execute(arguments: [item.quantity + 1, item.version + 1, item.key])
            }
        }
        return .saved
    }

    func delete(_ numbers: [Int64]) throws -> WriteResult {
        try pool.write { database in
            let deletion = try database.cachedStatement(sql: "DELETE FROM ZITEM WHERE Z_PK = ?")
            for number in numbers { try deletion.execute(arguments: [number]) }
        }
        return .saved
    }

    func read(_ number: Int64) throws -> Int32? {
        try pool.read { try Self.request(number).fetchOne($0) }?.readAll()
    }

    private static func request(_ number: Int64) -> SQLRequest<ItemRecord> {
        SQLRequest(
            sql: "SELECT \(ItemRecord.selection) FROM ZITEM WHERE Z_PK = ?", arguments: [number],
            cached: true)
    }

    func page(from number: Int64) throws -> [Int64] {
        let request = SQLRequest<ItemRecord>(
            sql: """
                SELECT \(ItemRecord.selection) FROM ZITEM WHERE ZNUMBER >= ? \
                ORDER BY ZNUMBER LIMIT \(LoadPage.itemCount)
                """, arguments: [number], cached: true)
        return try pool.read { try request.fetchAll($0) }.map { item in
            item.readAll()
            return item.number
        }
    }

    func count() throws -> Int {
        let request = SQLRequest<Int>(
            sql: "SELECT COUNT(*) FROM ZITEM WHERE ZQUANTITY >= 0", cached: true)
        return try pool.read { try request.fetchOne($0) } ?? 0
    }
}
