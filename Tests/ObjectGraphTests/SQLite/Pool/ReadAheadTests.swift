import Dispatch
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Reads that go on` {
    private let folder = TemporaryFolder()

    /// A pool on a table with the numbers 1 to 100.
    private func makePool(readers: Int) throws -> ConnectionPool {
        var configuration = SQLiteConfiguration(path: folder.path("store.db"))
        configuration.pragmas = [("journal_mode", "wal")]
        let pool = try ConnectionPool(configuration: configuration, maximumReaderCount: readers)
        try pool.write {
            try $0.execute(
                """
                CREATE TABLE item (number INTEGER PRIMARY KEY);
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
                INSERT INTO item SELECT i FROM n
                """)
        }
        return pool
    }

    /// Reads one number at once, and the others when it is allowed to.
    private final class Numbers: RestOfRead, @unchecked Sendable {
        // @unchecked Sendable: the test reads the values after `isAtEnd`.
        let isAllowed = DispatchSemaphore(value: 0)
        let isAtEnd = DispatchSemaphore(value: 0)
        let rowCount = 99
        private var statement: Statement?
        private(set) var values: [Int64] = []

        func start(in pool: ConnectionPool) throws {
            try pool.readAhead { connection -> (value: Void, rest: (any RestOfRead)?) in
                statement = try connection.statement("SELECT number FROM item ORDER BY number")
                if try statement!.step() { values.append(statement!.value(at: 0).integer) }
                return ((), self)
            }
        }

        func run(on connection: Connection) {
            isAllowed.wait()
            while (try? statement!.step()) == true {
                values.append(statement!.value(at: 0).integer)
            }
            statement = nil
        }

        func end() { isAtEnd.signal() }
    }

    @Test func `the rest of a read sees the state of its beginning`() throws {
        let pool = try makePool(readers: 2)
        let numbers = Numbers()
        pool.resetStatistics()
        try numbers.start(in: pool)
        // All of them, although another thread has still to read the rest.
        #expect(pool.statistics.rowsRead == 100)
        try pool.write { try $0.execute("DELETE FROM item WHERE number > 50") }
        numbers.isAllowed.signal()
        numbers.isAtEnd.wait()
        #expect(numbers.values == Array(1...100))
        #expect(pool.statistics.rowsRead == 100)
        #expect(try pool.write { try $0.checkpoint(.truncate) } == (0, 0))
        try pool.close()
    }

    @Test func `half of the readers remain, and a rest more runs at once`() throws {
        let pool = try makePool(readers: 4)
        let kept = [Numbers(), Numbers()]
        for numbers in kept { try numbers.start(in: pool) }
        let another = Numbers()
        another.isAllowed.signal()
        try another.start(in: pool)
        #expect(another.values == Array(1...100))
        try pool.read { try $0.execute("SELECT 1") }
        for numbers in kept {
            numbers.isAllowed.signal()
            numbers.isAtEnd.wait()
            #expect(numbers.values == Array(1...100))
        }
        try pool.close()
    }

    @Test func `a pool with one reader keeps none`() throws {
        let pool = try makePool(readers: 1)
        let numbers = Numbers()
        numbers.isAllowed.signal()
        try numbers.start(in: pool)
        #expect(numbers.values == Array(1...100))
        try pool.close()
    }

    @Test func `closing the pool waits for the rest`() throws {
        let pool = try makePool(readers: 2)
        let numbers = Numbers()
        try numbers.start(in: pool)
        DispatchQueue.global().async { numbers.isAllowed.signal() }
        try pool.close()
        numbers.isAtEnd.wait()
        #expect(numbers.values == Array(1...100))
        #expect(throws: SQLiteError.self) { try numbers.start(in: pool) }
    }

    @Test func `a body that throws returns its reader`() throws {
        struct Failure: Error {}
        let pool = try makePool(readers: 1)
        #expect(throws: Failure.self) {
            try pool.readAhead { connection -> (value: Int, rest: (any RestOfRead)?) in
                _ = try connection.statement("SELECT * FROM item").step()
                throw Failure()
            }
        }
        #expect(try pool.write { try $0.checkpoint(.truncate) } == (0, 0))
        try pool.close()
    }
}
