import Foundation

/// SQLite's C API under load: each client has its own connection.
final class CLoad: LoadSubject, @unchecked Sendable {
    // @unchecked Sendable: one thread makes clients before the load and closes connections after
    // it; during the load each client uses its own connection.

    /// Writers wait for each other as long as those of the engine.
    private static let busyTimeoutMilliseconds = 240_000

    private let configuration: SubjectConfiguration
    private var clients: [CLoadClient] = []

    init(configuration: SubjectConfiguration) throws {
        self.configuration = configuration
    }

    func makeWriter() throws -> any LoadWriter { try makeClient() }
    func makeReader(_ index: Int) throws -> any LoadReader { try makeClient() }

    private func makeClient() throws -> CLoadClient {
        let connection = try CConnection(configuration)
        try connection.execute("PRAGMA busy_timeout = \(Self.busyTimeoutMilliseconds)")
        let client = try CLoadClient(connection)
        clients.append(client)
        return client
    }

    func settings(_ pragmas: [String]) throws -> [[String]] {
        try clients.map { try $0.connection.settings(pragmas) }
    }

    func close() throws {
        let connections = clients.map(\.connection)
        // Clients hold statements, which must be finalized before their connection is closed.
        clients = []
        try connections.last?.keepLastKey(of: "Item")
        for connection in connections { try connection.close() }
    }
}

/// A connection with the prepared statements of a load. The key of an item is its number.
private final class CLoadClient: LoadWriter, LoadReader {
    let connection: CConnection
    private var insertion: CStatement
    private var change: CStatement
    private var deletion: CStatement
    private var selection: CStatement
    private var pageSelection: CStatement
    private var counting: CStatement

    init(_ connection: CConnection) throws {
        self.connection = connection
        let marks = String(repeating: ", ?", count: ItemRecord.insertedColumns.count)
        insertion = try connection.prepare(
            """
            INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, \
            \(ItemRecord.insertedColumns.joined(separator: ", "))) \
            VALUES (?, \(EntityNumber.item), 1\(marks))
            """)
        change = try connection.prepare(
            "UPDATE ZITEM SET ZQUANTITY = ?, Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?")
        deletion = try connection.prepare("DELETE FROM ZITEM WHERE Z_PK = ?")
        selection = try connection.prepare(
            "SELECT \(ItemRecord.selection) FROM ZITEM WHERE Z_PK = ?")
        pageSelection = try connection.prepare(
            """
            SELECT \(ItemRecord.selection) FROM ZITEM WHERE ZNUMBER >= ? \
            ORDER BY ZNUMBER LIMIT \(LoadPage.itemCount)
            """)
        counting = try connection.prepare("SELECT COUNT(*) FROM ZITEM WHERE ZQUANTITY >= 0")
    }

    func insert(_ items: [ItemRow]) throws -> WriteResult {
        try connection.transaction {
            for item in items {
                insertion.bind(item.number, 1)
                ItemRecord.bind(item, to: &insertion)
                try insertion.run()
            }
        }
        return .saved
    }

    /// Reads the items before the transaction, as a program does that shows them. Incrementing them
    /// in SQL would detect no conflict, which the stacks do. An item that is named twice is written
    /// once.
    func update(_ numbers: [Int64]) throws -> WriteResult {
        let increments = Dictionary(numbers.map { ($0, Int64(1)) }, uniquingKeysWith: +)
        let items = try increments.compactMap { number, increment in
            try item(number).map { (item: $0, increment: increment) }
        }
        do {
            try connection.transaction {
                for (item, increment) in items { try write(item, incrementedBy: increment) }
            }
            return .saved
        } catch is RowChanged {
            return .conflict
        }
    }

    private func write(_ item: ItemRecord, incrementedBy increment: Int64) throws {
        change.bind(Int64(item.quantity) + increment, 1)
        change.bind(Int64(item.version) + 1, 2)
        change.bind(item.key, 3)
        change.bind(Int64(item.version), 4)
        try change.run()
        guard connection.changes == 1 else { throw RowChanged(key: item.key) }
    }

    func delete(_ numbers: [Int64]) throws -> WriteResult {
        try connection.transaction {
            for number in numbers {
                deletion.bind(number, 1)
                try deletion.run()
            }
        }
        return .saved
    }

    func read(_ number: Int64) throws -> Int32? { try item(number)?.readAll() }

    private func item(_ number: Int64) throws -> ItemRecord? {
        selection.bind(number, 1)
        guard try selection.step() else { return nil }
        let item = ItemRecord(selection)
        try selection.reset()
        return item
    }

    func page(from number: Int64) throws -> [Int64] {
        var numbers: [Int64] = []
        pageSelection.bind(number, 1)
        while try pageSelection.step() {
            let item = ItemRecord(pageSelection)
            item.readAll()
            numbers.append(item.number)
        }
        return numbers
    }

    func count() throws -> Int {
        guard try counting.step() else { return 0 }
        let count = Int(counting.integer(0))
        try counting.reset()
        return count
    }
}
