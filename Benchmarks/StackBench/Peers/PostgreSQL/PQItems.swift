#if PostgreSQL
import CPostgreSQL
import Foundation

/// Items through libpq: binary results, inserts of many rows as arrays, and `COPY`.
final class PQItems: ServerItems {
    private let connection: PQConnection
    private let entityNumber: Int
    private static let selection = (["Z_PK", "Z_OPT"] + ItemRecord.insertedColumns)
        .joined(separator: ", ")
    private static let fieldCount = ItemRecord.insertedColumns.count + 3

    /// The types of key, entity number, version and `ItemRecord.insertedColumns`: bigint, double
    /// precision and text.
    private static let types: [Oid] = [20, 20, 20, 20, 20, 20, 701, 701, 25, 25, 25, 25, 25]
    private static let arrayTypes: [Oid: Oid] = [20: 1016, 701: 1022, 25: 1009]

    init(_ store: ServerStore) throws {
        connection = try PQConnection(store.address, schema: store.schema)
        entityNumber =
            try connection.integers("SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Item'")
            .first ?? 0
        try connection.prepare("read", "SELECT \(Self.selection) FROM ZITEM", types: [])
        try connection.prepare(
            "insert",
            """
            INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, \(Self.columns)) \
            SELECT * FROM unnest(\((1...Self.fieldCount).map { "$\($0)" }.joined(separator: ", ")))
            """, types: Self.types.map { Self.arrayTypes[$0]! })
    }

    private static let columns = ItemRecord.insertedColumns.joined(separator: ", ")

    func close() {}

    // MARK: Reading

    func readItems() throws -> ItemChecksum {
        let result = PQexecPrepared(connection.connection, "read", 0, nil, nil, nil, 1)
        defer { PQclear(result) }
        try connection.check(result, PGRES_TUPLES_OK, PGRES_TUPLES_OK, "read")
        let count = PQntuples(result)
        var items: [ItemRecord] = []
        items.reserveCapacity(Int(count))
        for row in 0..<count { items.append(ItemRecord(result!, row)) }
        var checksum = ItemChecksum()
        items.withUnsafeBufferPointer { items in
            for index in items.indices { checksum.add(items[index]) }
        }
        return checksum
    }

    // MARK: Inserting

    func insert(_ items: [ItemRow], saveSize: Int) throws {
        let firstKey = try reserveKeys(items.count)
        var columns = Self.types.map { _ in FieldBuffer() }
        for start in stride(from: 0, to: items.count, by: saveSize) {
            let end = min(start + saveSize, items.count)
            for (column, type) in Self.types.enumerated() {
                columns[column].beginArray(of: type, count: end - start)
            }
            for index in start..<end {
                append(items[index], key: firstKey + Int64(index), to: &columns)
            }
            try insert(columns)
        }
    }

    /// Inserts the rows of arrays, one for each column, in a transaction and a round trip.
    private func insert(_ columns: [FieldBuffer]) throws {
        let link = connection.connection
        guard PQenterPipelineMode(link) == 1 else { throw connection.failure("insert") }
        try send("BEGIN")
        let isSent = Self.withParameters(columns) { values, lengths, formats in
            PQsendQueryPrepared(
                link, "insert", Int32(Self.fieldCount), values, lengths, formats, 1)
        }
        guard isSent == 1 else { throw connection.failure("insert") }
        try send("COMMIT")
        PQpipelineSync(link)
        try takeResults()
        guard PQexitPipelineMode(link) == 1 else { throw connection.failure("insert") }
    }

    /// Lends the arrays as binary parameters.
    private static func withParameters<Result>(
        _ columns: [FieldBuffer], values: [UnsafePointer<CChar>?] = [],
        _ body: ([UnsafePointer<CChar>?], [Int32], [Int32]) -> Result
    ) -> Result {
        guard values.count < columns.count else {
            return body(
                values, columns.map { Int32($0.byteCount) }, columns.map { _ in 1 })
        }
        return columns[values.count].withBytes {
            withParameters(columns, values: values + [$0.baseAddress], body)
        }
    }

    func batchInsert(_ items: [ItemRow]) throws {
        try connection.execute("BEGIN")
        let firstKey = try reserveKeys(items.count)
        let link = connection.connection
        let started = PQexec(
            link, "COPY ZITEM (Z_PK, Z_ENT, Z_OPT, \(Self.columns)) FROM STDIN (FORMAT binary)")
        defer { PQclear(started) }
        try connection.check(started, PGRES_COPY_IN, PGRES_COPY_IN, "COPY")
        var stream = [FieldBuffer()]
        stream[0].appendCopyHeader()
        try items.withUnsafeBufferPointer { items in
            for index in items.indices {
                stream[0].append(fieldCount: Self.fieldCount)
                append(items[index], key: firstKey + Int64(index), to: &stream)
                if stream[0].byteCount > 1 << 16 { try put(&stream[0]) }
            }
        }
        stream[0].append(fieldCount: -1)
        try put(&stream[0])
        guard PQputCopyEnd(link, nil) == 1 else { throw connection.failure("COPY") }
        let ended = PQgetResult(link)
        defer { PQclear(ended) }
        try connection.check(ended, PGRES_COMMAND_OK, PGRES_COMMAND_OK, "COPY")
        while let more = PQgetResult(link) { PQclear(more) }
        try connection.execute("COMMIT")
    }

    private func put(_ stream: inout FieldBuffer) throws {
        let sent = stream.withBytes {
            PQputCopyData(connection.connection, $0.baseAddress, Int32($0.count))
        }
        guard sent == 1 else { throw connection.failure("COPY") }
        stream.begin()
    }

    private func reserveKeys(_ count: Int) throws -> Int64 {
        let last = try connection.integers(
            """
            UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + \(count) WHERE Z_ENT = \(entityNumber) \
            RETURNING Z_MAX
            """)
        return Int64(last.first ?? 0) - Int64(count) + 1
    }

    /// Appends an item to a buffer for each column, or to a single one for the whole row.
    @inline(__always)
    private func append(_ item: ItemRow, key: Int64, to buffers: inout [FieldBuffer]) {
        let step = buffers.count == 1 ? 0 : 1
        buffers[0].append(key)
        buffers[step].append(Int64(entityNumber))
        buffers[2 * step].append(Int64(1))
        buffers[3 * step].append(item.number)
        buffers[4 * step].append(Int64(item.quantity))
        buffers[5 * step].append(item.delayMinutes.map { Int64($0) })
        buffers[6 * step].append(item.price)
        buffers[7 * step].append(item.createdAt.timeIntervalSinceReferenceDate)
        buffers[8 * step].append(item.name)
        buffers[9 * step].append(item.maker)
        buffers[10 * step].append(item.city)
        buffers[11 * step].append(item.address)
        buffers[12 * step].append(item.note)
    }

    private func send(_ sql: String) throws {
        guard PQsendQueryParams(connection.connection, sql, 0, nil, nil, nil, nil, 1) == 1 else {
            throw connection.failure(sql)
        }
    }

    /// Takes all results up to the end of the pipeline.
    private func takeResults() throws {
        while true {
            guard let result = PQgetResult(connection.connection) else { continue }
            defer { PQclear(result) }
            if PQresultStatus(result) == PGRES_PIPELINE_SYNC { return }
            try connection.check(result, PGRES_COMMAND_OK, PGRES_TUPLES_OK, "insert")
        }
    }
}

extension ItemRecord {
    /// Reads a row of the columns Z_PK, Z_OPT and `insertedColumns` in binary format.
    @inline(__always)
    fileprivate init(_ result: OpaquePointer, _ row: Int32) {
        self.init(
            key: result.integer(row, 0), number: result.integer(row, 2),
            price: result.real(row, 5),
            createdAt: Date(timeIntervalSinceReferenceDate: result.real(row, 6)),
            quantity: Int32(truncatingIfNeeded: result.integer(row, 3)),
            delayMinutes: PQgetisnull(result, row, 4) == 1
                ? nil : Int32(truncatingIfNeeded: result.integer(row, 4)),
            version: Int32(truncatingIfNeeded: result.integer(row, 1)),
            name: result.text(row, 7), maker: result.text(row, 8), city: result.text(row, 9),
            address: result.text(row, 10),
            note: PQgetisnull(result, row, 11) == 1 ? nil : result.text(row, 11))
    }
}

extension OpaquePointer {
    // Of a result whose columns have these types.

    @inline(__always)
    fileprivate func integer(_ row: Int32, _ column: Int32) -> Int64 {
        Int64(
            bigEndian: UnsafeRawPointer(PQgetvalue(self, row, column)).loadUnaligned(
                as: Int64.self))
    }

    @inline(__always)
    fileprivate func real(_ row: Int32, _ column: Int32) -> Double {
        Double(bitPattern: UInt64(bitPattern: integer(row, column)))
    }

    @inline(__always)
    fileprivate func text(_ row: Int32, _ column: Int32) -> String {
        let bytes = UnsafeRawBufferPointer(
            start: PQgetvalue(self, row, column), count: Int(PQgetlength(self, row, column)))
        return String(decoding: bytes, as: UTF8.self)
    }
}
#endif
