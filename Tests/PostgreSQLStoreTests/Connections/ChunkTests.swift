#if PostgreSQL
import Testing

@testable import PostgreSQLStore

@Suite(.onServer) struct `Rows in chunks` {
    /// The server makes these one by one.
    static let numbers = "SELECT generate_series(1::bigint, $1)"

    @Test(arguments: [(0, 10), (1, 10), (10, 10), (11, 10), (1000, 7), (25, 1000)])
    func `all rows arrive in order`(_ count: Int, _ rowsPerChunk: Int) throws {
        let link = try TestServer.link()
        var seen: [Int64] = []
        try link.runInChunks(
            Command(Self.numbers, [.integer(Int64(count))]), rowsPerChunk: rowsPerChunk
        ) { rows in
            #expect(rows.count <= rowsPerChunk)
            for row in 0..<rows.count { seen.append(try rows.integer(row, 0)) }
            return true
        }
        #expect(seen == (0..<count).map { Int64($0 + 1) })
        #expect(!link.isInTransaction)
    }

    @Test func `the reader may stop`() throws {
        let link = try TestServer.link()
        var chunkCount = 0
        try link.runInChunks(Command(Self.numbers, [.integer(1_000_000_000)]), rowsPerChunk: 100) {
            _ in
            chunkCount += 1
            return chunkCount < 3
        }
        #expect(chunkCount == 3)
        #expect(try link.integer("SELECT 1") == 1)
    }

    @Test func `the error of the reader ends the query`() throws {
        struct Stop: Error {}
        let link = try TestServer.link()
        #expect(throws: Stop.self) {
            try link.runInChunks(
                Command(Self.numbers, [.integer(1_000_000_000)]), rowsPerChunk: 100
            ) { _ in throw Stop() }
        }
        #expect(try link.integer("SELECT 1") == 1)
    }

    @Test func `an error in a later chunk is thrown after the rows before it`() throws {
        let link = try TestServer.link()
        var rowCount = 0
        let error = try postgreSQLError {
            try link.runInChunks(
                Command("SELECT 1 / (100 - v) FROM generate_series(1::bigint, 200) v"),
                rowsPerChunk: 10
            ) { rows in
                rowCount += rows.count
                return true
            }
        }
        #expect(error.kind == .valueOutOfRange)
        #expect(rowCount == 90)
        #expect(try link.integer("SELECT 1") == 1)
    }

    @Test func `within a transaction, it stays open`() throws {
        let link = try TestServer.link()
        _ = try link.run(Command("BEGIN ISOLATION LEVEL REPEATABLE READ"))
        for _ in 0..<2 {
            var rowCount = 0
            try link.runInChunks(Command(Self.numbers, [.integer(30)]), rowsPerChunk: 20) {
                rowCount += $0.count
                return true
            }
            #expect(rowCount == 30)
            #expect(link.isInTransaction)
        }
        _ = try link.run(Command("COMMIT"))
    }
}
#endif
