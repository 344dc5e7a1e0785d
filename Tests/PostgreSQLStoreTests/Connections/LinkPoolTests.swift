#if PostgreSQL
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import PostgreSQLStore

@Suite(.onServer) struct `Pool of links` {
    static let one = Command("SELECT 1")

    @Test func `never more links than the maximum`() throws {
        let settings = try LinkSettings(
            #require(TestServer.url), applicationName: "pool-\(UUID().uuidString.prefix(8))")
        let pool = LinkPool(settings, maximumCount: 3)
        let observer = try TestServer.link()
        let name = try pool.read { try $0.run(Command("SHOW application_name")).text(0, 0) }
        let counts = ReaderCounts()
        withThreads(8) {
            for _ in 0..<5 {
                do {
                    try pool.read { link in
                        counts.begin()
                        defer { counts.end() }
                        _ = try link.run(Command("SELECT pg_sleep(0.002)"))
                    }
                } catch {
                    counts.fail()
                }
            }
        }
        #expect((1...3).contains(counts.most))
        #expect(counts.failures == 0)
        let sessionCount = try observer.integer(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1", [.text(name)])
        #expect((1...3).contains(sessionCount))
        #expect(pool.idleCount == sessionCount)
        #expect(pool.statistics.statementCount == 41)
    }

    @Test func `waiting for a link ends with the timeout`() throws {
        let pool = try LinkPool(TestServer.settings(timeout: .seconds(2)), maximumCount: 1)
        let error = try postgreSQLError {
            try pool.read { _ in try pool.read { _ = try $0.run(Self.one) } }
        }
        #expect(error.kind == .poolTimeout)
        _ = try pool.read { try $0.run(Self.one) }
    }

    @Test func `a broken idle link is replaced before it is lent`() throws {
        let pool = try LinkPool(TestServer.settings(), maximumCount: 1)
        let first = try pool.read { $0.processID }
        let killer = try TestServer.link()
        _ = try killer.run(
            Command("SELECT pg_terminate_backend($1::bigint::int, 10000)", [.integer(Int64(first))])
        )
        let second = try pool.write { link in
            _ = try link.run(Self.one)
            return link.processID
        }
        #expect(second != first)
    }

    @Test func `a read runs once more if its link breaks before an answer`() throws {
        let pool = try LinkPool(TestServer.settings(), maximumCount: 1)
        let killer = try TestServer.link()
        var runCount = 0
        let value = try pool.read { link in
            runCount += 1
            if runCount == 1 { try killer.terminate(link) }
            return try link.integer("SELECT 1")
        }
        #expect(value == 1 && runCount == 2)
    }

    @Test func `a read that had an answer does not run again`() throws {
        let pool = try LinkPool(TestServer.settings(), maximumCount: 1)
        let killer = try TestServer.link()
        var runCount = 0
        let error = try postgreSQLError {
            try pool.read { link in
                runCount += 1
                _ = try link.run(Self.one)
                try killer.terminate(link)
                _ = try link.run(Self.one)
            }
        }
        #expect(error.kind == .connectionLost && runCount == 1)
        _ = try pool.read { try $0.run(Self.one) }
    }

    @Test func `a write never runs again`() throws {
        let pool = try LinkPool(TestServer.settings(), maximumCount: 1)
        let killer = try TestServer.link()
        var runCount = 0
        let error = try postgreSQLError {
            try pool.write { link in
                runCount += 1
                try killer.terminate(link)
                _ = try link.run([Command("BEGIN"), Self.one])
            }
        }
        #expect(error.kind == .connectionLost && runCount == 1)
    }

    @Test func `only in a write is a lost commit an error of its own`() throws {
        let schema = TestSchema()
        _ = try schema.link(`Interrupted commands`.endsDuringCommit)
        let pool = try LinkPool(schema.settings(), maximumCount: 1)
        let commands = [Command("BEGIN"), Command("INSERT INTO t VALUES (1)"), Command("COMMIT")]
        let ofWrite = try postgreSQLError { _ = try pool.write { try $0.run(commands) } }
        let ofRead = try postgreSQLError { _ = try pool.read { try $0.run(commands) } }
        #expect(ofWrite.kind == .commitUnknown)
        #expect(ofRead.kind == .connectionLost)
    }

    @Test func `a transaction that is left open is rolled back`() throws {
        let schema = TestSchema()
        _ = try schema.link("CREATE TABLE t (v bigint)")
        let pool = try LinkPool(schema.settings(), maximumCount: 1)
        let processID = try pool.write { $0.processID }
        let error = try postgreSQLError {
            try pool.write { link in
                _ = try link.run([Command("BEGIN"), Command("INSERT INTO t VALUES (1)")])
            }
        }
        #expect(error.kind == .transactionLeftOpen)
        #expect(throws: PostgreSQLError.self) {
            try pool.write { link in
                _ = try link.run([
                    Command("BEGIN"), Command("INSERT INTO t VALUES (1)"), Command("SELECT 1/0"),
                ])
            }
        }
        #expect(try pool.read { try $0.integer("SELECT count(*) FROM t") } == 0)
        #expect(try pool.read { $0.processID } == processID)
    }

    @Test func `a pinned link keeps its snapshot beside the others`() throws {
        let schema = TestSchema()
        _ = try schema.link("CREATE TABLE t AS SELECT 1::bigint AS v")
        let pool = try LinkPool(schema.settings(), maximumCount: 1)
        let count = "SELECT count(*) FROM t"
        var pin: PinnedLink? = try pool.pin()
        let before = try pin?.use { link in
            _ = try link.run(Command("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"))
            return try link.integer(count)
        }
        _ = try pool.write { try $0.run(Command("INSERT INTO t VALUES (2)")) }
        #expect(try before == 1 && pin?.use { try $0.integer(count) } == 1)
        #expect(try pool.read { try $0.integer(count) } == 2)
        pin = nil
        #expect(pool.idleCount == 1)
        #expect(try pool.read { try $0.integer(count) } == 2)
    }

    @Test func `a listener is not lent to others`() throws {
        let pool = try LinkPool(TestServer.settings(), maximumCount: 1)
        var pin: PinnedLink? = try pool.pin()
        try pin?.use { link in
            try link.execute("LISTEN c")
            _ = try link.waitForNotification(timeout: .zero)
        }
        pin = nil
        #expect(pool.idleCount == 0)
    }

    @Test func `pinned links have a limit`() throws {
        let pool = try LinkPool(TestServer.settings(), maximumCount: 1)
        var pins: [PinnedLink] = []
        for _ in 0..<LinkPool.maximumPinnedCount { pins.append(try pool.pin()) }
        #expect(try postgreSQLError { _ = try pool.pin() }.kind == .poolTimeout)
        pins.removeLast()
        _ = try pool.pin()
    }

    @Test func `a closed pool is an error`() throws {
        let pool = try LinkPool(TestServer.settings(), maximumCount: 2)
        _ = try pool.read { try $0.run(Self.one) }
        let pin = try pool.pin()
        pool.close()
        pool.close()
        #expect(pool.idleCount == 0)
        #expect(try postgreSQLError { try pool.read { _ in } }.kind == .closed)
        #expect(try postgreSQLError { try pool.write { _ in } }.kind == .closed)
        #expect(try postgreSQLError { _ = try pool.pin() }.kind == .closed)
        _ = try pin.use { try $0.run(Self.one) }
    }
}

/// How many readers run at a time.
private final class ReaderCounts: Sendable {
    private struct State {
        var running = 0
        var most = 0
        var failures = 0
    }

    private let state = Mutex(State())

    var most: Int { state.withLock { $0.most } }
    var failures: Int { state.withLock { $0.failures } }

    func begin() {
        state.withLock { state in
            state.running += 1
            state.most = max(state.most, state.running)
        }
    }

    func end() { state.withLock { $0.running -= 1 } }
    func fail() { state.withLock { $0.failures += 1 } }
}

@Suite(.onServer) struct `A server that goes and comes back` {
    static let one = Command("SELECT 1")

    @Test func `reads go on after a restart`() throws {
        let server = try OwnServer()
        let pool = try LinkPool(LinkSettings(server.url), maximumCount: 2)
        _ = try pool.read { try $0.run(Self.one) }
        for isCrash in [false, true] {
            if isCrash { try server.kill() } else { try server.stop() }
            try withThread {
                // The reader below waits for the server.
                usleep(50_000)
                try? server.start()
            } during: {
                _ = try pool.read { try $0.run(Self.one) }
            }
        }
    }

    @Test func `a stopped server is an error`() throws {
        let server = try OwnServer()
        try server.stop()
        let pool = try LinkPool(LinkSettings(server.url), maximumCount: 1)
        // Without an earlier connection it does not wait.
        let error = try postgreSQLError { try pool.read { _ in } }
        #expect(error.kind == .connectionFailed)
        #expect(error.canBeRetried)
    }

    @Test func `waiting for the server ends with the timeout`() throws {
        let server = try OwnServer()
        let pool = try LinkPool(
            LinkSettings(server.url, timeout: .seconds(3)), maximumCount: 1)
        _ = try pool.read { try $0.run(Self.one) }
        try server.stop()
        #expect(
            try postgreSQLError { _ = try pool.read { try $0.run(Self.one) } }.kind
                == .connectionFailed)
    }

    @Test func `a pool takes its own connection if the server has no other (§11.8.49)`() throws {
        let server = try OwnServer()
        let limit = "ALTER ROLE stackbench NOSUPERUSER CONNECTION LIMIT 1"
        do { try Link(LinkSettings(server.url)).execute(limit) }
        let pool = try LinkPool(LinkSettings(server.url), maximumCount: 2)
        _ = try pool.read { try $0.run(Self.one) }
        let isHeld = DispatchSemaphore(value: 0)
        try withThread {
            try? pool.read { _ in
                isHeld.signal()
                usleep(200_000)
            }
        } during: {
            isHeld.wait()
            _ = try pool.read { try $0.run(Self.one) }
        }
        #expect(pool.idleCount == 1)
    }

    @Test func `too many connections are an error after the timeout`() throws {
        let server = try OwnServer()
        let first = try Link(LinkSettings(server.url))
        try first.execute("ALTER ROLE stackbench NOSUPERUSER CONNECTION LIMIT 1")
        let pool = try LinkPool(
            LinkSettings(server.url, timeout: .seconds(3)), maximumCount: 1)
        #expect(try postgreSQLError { try pool.read { _ in } }.kind == .tooManyConnections)
    }
}
#endif
