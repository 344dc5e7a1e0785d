#if PostgreSQL
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import PostgreSQLStore

@Suite(.onServer) struct `Interrupted commands` {
    @Test func `a cancelled command fails, and the link stays usable`() throws {
        let link = try TestServer.link()
        var askedCount = 0
        let error = try postgreSQLError {
            try link.whileCancellable(by: {
                askedCount += 1
                return askedCount > 3
            }) { _ = try link.run(Command("SELECT pg_sleep(3600)")) }
        }
        #expect(error.kind == .cancelled)
        #expect(try link.integer("SELECT 1") == 1)
    }

    @Test func `nothing is sent if the cancellation came before`() throws {
        let link = try TestServer.link()
        let error = try postgreSQLError {
            try link.whileCancellable(by: { true }) { _ = try link.run(Command("SELECT 1")) }
        }
        #expect(error.kind == .cancelled)
        #expect(link.statistics.roundTripCount == 0)
    }

    @Test func `another thread cancels`() throws {
        let link = try TestServer.link()
        let canceller = link.canceller
        let isDone = Flag()
        try withThread {
            // It may come before the command has begun.
            while !isDone.isSet {
                canceller.cancel()
                usleep(1000)
            }
        } during: {
            let error = try postgreSQLError {
                _ = try link.run(Command("SELECT pg_sleep(3600)"))
            }
            isDone.set()
            #expect(error.kind == .cancelled)
        }
    }

    @Test func `a link whose session was ended is lost`() throws {
        let link = try TestServer.link()
        try TestServer.link().terminate(link)
        let error = try postgreSQLError { _ = try link.run(Command("SELECT 1")) }
        #expect(error.kind == .connectionLost)
        #expect(error.canBeRetried)
        #expect(link.isBroken)
        #expect(
            try postgreSQLError { _ = try link.run(Command("SELECT 1")) }.kind == .connectionLost)
        #expect(try postgreSQLError { try link.execute("SELECT 1") }.kind == .connectionLost)
    }

    @Test func `a session that ends itself is lost`() throws {
        let link = try TestServer.link()
        let error = try postgreSQLError {
            _ = try link.run([
                Command("SELECT 1"), Command("SELECT pg_terminate_backend(pg_backend_pid())"),
                Command("SELECT 2"),
            ])
        }
        #expect(error.kind == .connectionLost)
        #expect(error.commandIndex == 1)
        #expect(link.isBroken)
    }

    @Test func `a connection that ends before the commit has committed nothing`() throws {
        let schema = TestSchema()
        let link = try schema.link("CREATE TABLE t (v bigint)")
        let error = try postgreSQLError {
            _ = try link.run([
                Command("BEGIN"), Command("INSERT INTO t VALUES (1)"),
                Command("SELECT pg_terminate_backend(pg_backend_pid())"), Command("COMMIT"),
            ])
        }
        #expect(error.kind == .connectionLost)
        #expect(try schema.link().integer("SELECT count(*) FROM t") == 0)
    }

    /// Ends the session when a transaction that inserts is about to commit.
    static let endsDuringCommit = """
        CREATE TABLE t (v bigint);
        CREATE FUNCTION end_session() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
        CREATE CONSTRAINT TRIGGER ending AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION end_session();
        """

    @Test func `a connection that ends during the commit leaves it unknown`() throws {
        let schema = TestSchema()
        let insert = Command("INSERT INTO t VALUES (1)")
        _ = try schema.link(Self.endsDuringCommit)
        for commands in [[Command("BEGIN"), insert, Command("COMMIT")], [insert]] {
            let link = try schema.link()
            let error = try postgreSQLError { _ = try link.run(commands) }
            #expect(error.kind == .commitUnknown)
            #expect(!error.canBeRetried)
        }
        let link = try schema.link()
        #expect(
            try postgreSQLError { try link.execute("INSERT INTO t VALUES (1)") }.kind
                == .commitUnknown)
    }

    @Test func `an abandoned link fails at once`() throws {
        let link = try TestServer.link()
        link.isWriting = false
        let canceller = link.canceller
        try withThread {
            usleep(1000)
            canceller.abandon()
        } during: {
            let error = try postgreSQLError {
                _ = try link.run(Command("SELECT pg_sleep(3600)"))
            }
            #expect(error.kind == .connectionLost)
        }
    }

    /// In a process of its own, where no other test takes the number of the socket.
    @Test func `abandoning a lost link leaves the next connection alone, which has its number`()
        async
    {
        await #expect(processExitsWith: .success) {
            let lost = try TestServer.link()
            lost.canceller.abandon()
            // libpq notices the end, and closes its socket.
            _ = try postgreSQLError { _ = try lost.run(Command("SELECT 1")) }
            let next = try TestServer.link()
            lost.canceller.abandon()
            #expect(try next.integer("SELECT 1") == 1)
        }
    }

    @Test func `a lock that is held longer than the timeout is an error`() throws {
        let schema = TestSchema()
        let holder = try schema.link("CREATE TABLE t (v bigint)")
        _ = try holder.run([Command("BEGIN"), Command("LOCK TABLE t")])
        let link = try schema.link("SET lock_timeout = 20")
        let error = try postgreSQLError { _ = try link.run(Command("SELECT * FROM t")) }
        #expect(error.kind == .lockTimeout)
        #expect(error.canBeRetried)
    }
}

@Suite(.onServer) struct Notifications {
    @Test func `a notification of another session arrives`() throws {
        let listener = try TestServer.link()
        let sender = try TestServer.link()
        let channel = "c\(UUID().uuidString.prefix(8))".lowercased()
        try listener.execute("LISTEN \(channel)")
        #expect(try listener.waitForNotification(timeout: .zero).isEmpty)
        _ = try sender.run([
            Command("SELECT pg_notify($1, $2)", [.text(channel), .text("first")]),
            Command("SELECT pg_notify($1, $2)", [.text(channel), .text("second")]),
        ])
        var received: [ServerNotification] = []
        while received.count < 2 {
            received += try listener.waitForNotification(timeout: .seconds(60))
        }
        #expect(received.map(\.payload) == ["first", "second"])
        #expect(received.allSatisfy { $0.channel == channel && $0.processID == sender.processID })
    }

    @Test func `a listener notices that its session ended`() throws {
        let listener = try TestServer.link()
        try listener.execute("LISTEN c")
        try TestServer.link().terminate(listener)
        #expect(
            try postgreSQLError {
                while try listener.waitForNotification(timeout: .seconds(60)).isEmpty {}
            }.kind == .connectionLost)
    }

    @Test func `another thread ends the wait`() throws {
        let pool = try LinkPool(TestServer.settings(), maximumCount: 1)
        let pin = try pool.pin()
        let canceller = pin.canceller
        try withThread {
            usleep(1000)
            canceller.abandon()
        } during: {
            let error = try postgreSQLError {
                _ = try pin.use { try $0.waitForNotification(timeout: .seconds(3600)) }
            }
            #expect(error.kind == .connectionLost)
        }
    }
}

final class Flag: Sendable {
    private let value = Atomic<Bool>(false)

    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
}

/// Runs the body in so many threads at once, and waits for all.
func withThreads(_ count: Int, _ body: @escaping @Sendable () -> Void) {
    let group = DispatchGroup()
    for number in 0..<count {
        DispatchQueue(label: "withThreads \(number)").async(group: group, execute: body)
    }
    group.wait()
}

/// Runs the first body in another thread while the second one runs, and waits for both.
///
/// The thread is new: those of queues may all be waiting for others.
func withThread(
    _ other: @escaping @Sendable () -> Void, during body: () throws -> Void
) throws {
    let end = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        other()
        end.signal()
    }
    defer { end.wait() }
    try body()
}
#endif
