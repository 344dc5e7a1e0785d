#if PostgreSQL
import Foundation
import ObjectGraph
import Synchronization
import Testing

@testable import PostgreSQLStore

@Suite(.onServer) struct `Commands of a link` {
    @Test func `several commands take one round trip`() throws {
        let link = try TestServer.link()
        let commands = (1...100).map { Command("SELECT \($0)::bigint") }
        let results = try link.run(commands)
        #expect(try results.map { try $0.integer(0, 0) } == (1...100).map { Int64($0) })
        #expect(link.statistics.roundTripCount == 1)
        #expect(link.statistics.statementCount == 100)
        #expect(link.statistics.rowCount == 100)
        #expect(try link.run([]).isEmpty)
    }

    @Test func `a statement is prepared once`() throws {
        let link = try TestServer.link()
        for number in 1...5 {
            #expect(try link.integer("SELECT $1 + 1", [.integer(Int64(number))]) == number + 1)
        }
        #expect(link.statistics.preparedCount == 1)
        #expect(link.statistics.roundTripCount == 5)
    }

    @Test func `the error names the command, and those after it do not run`() throws {
        let schema = TestSchema()
        let link = try schema.link("CREATE TABLE t (v bigint)")
        let error = try postgreSQLError {
            _ = try link.run([
                Command("INSERT INTO t VALUES (1)"), Command("SELECT 1 / $1", [.integer(0)]),
                Command("INSERT INTO t VALUES (2)"),
            ])
        }
        #expect(error.commandIndex == 1)
        #expect(error.sql == "SELECT 1 / $1")
        #expect(error.sqlState == "22012")
        #expect(error.kind == .valueOutOfRange)
        #expect(try link.integer("SELECT count(*) FROM t") == 0)
    }

    @Test func `a statement that cannot be prepared is named too`() throws {
        let link = try TestServer.link()
        let commands = [Command("SELECT 1"), Command("SELEC 2"), Command("SELECT 3")]
        let error = try postgreSQLError { _ = try link.run(commands) }
        #expect(error.commandIndex == 1)
        #expect(error.sql == "SELEC 2")
        // The first stayed prepared, the last was not.
        #expect(try link.run([commands[0], commands[2]]).count == 2)
    }

    @Test func `a transaction goes on over several calls`() throws {
        let schema = TestSchema()
        let link = try schema.link("CREATE TABLE t (v bigint)")
        _ = try link.run([Command("BEGIN"), Command("INSERT INTO t VALUES (1)")])
        #expect(link.isInTransaction)
        _ = try link.run(Command("COMMIT"))
        #expect(!link.isInTransaction)
        #expect(try schema.link().integer("SELECT count(*) FROM t") == 1)
    }

    @Test func `the number of changed rows`() throws {
        let schema = TestSchema()
        let link = try schema.link("CREATE TABLE t (v bigint)")
        let results = try link.run([
            Command("INSERT INTO t SELECT generate_series(1, 10)"),
            Command("UPDATE t SET v = v + 1 WHERE v > 5 RETURNING v"),
            Command("DELETE FROM t WHERE false"),
        ])
        #expect(results.map(\.affectedCount) == [10, 5, 0])
        #expect(results.map(\.count) == [0, 5, 0])
    }

    @Test func `more than libpq and the server can buffer goes both ways at once`() throws {
        let link = try TestServer.link()
        let text = String(repeating: "x", count: 200_000)
        let results = try link.run(
            Array(repeating: Command("SELECT $1", [.text(text)]), count: 100))
        #expect(results.count == 100)
        #expect(results.allSatisfy { $0.bytes(0, 0).count == 200_000 })
        #expect(link.statistics.roundTripCount == 1)
    }

    @Test func `a thousand statements more than the cache holds`() throws {
        let link = try TestServer.link()
        for number in 1...1256 {
            #expect(try link.integer("SELECT $1 + \(number)", [.integer(1)]) == number + 1)
        }
        #expect(link.statistics.roundTripCount == 1256)
        // The count itself is one of them.
        #expect(try link.integer("SELECT count(*) FROM pg_prepared_statements") == 256)
        let all = (1...600).map { Command("SELECT $1 + \($0)", [.integer(1)]) }
        #expect(try link.run(all).map { try $0.integer(0, 0) } == (2...601).map { Int64($0) })
        #expect(link.statements.count == 256)
    }

    @Test func `the cache survives failures while it is full`() throws {
        let link = try TestServer.link()
        for round in 0..<40 {
            let commands = (0..<40).map { Command("SELECT \($0) + \(round * 30)") }
            #expect(throws: PostgreSQLError.self) {
                _ = try link.run(
                    Array(commands[..<20]) + [Command("SELECT 1/0")] + Array(commands[20...]))
            }
            #expect(try link.run(commands).count == 40)
        }
        #expect(
            try link.integer("SELECT count(*) FROM pg_prepared_statements") == link.statements.count
        )
    }

    @Test func `a table that changes is an error once`() throws {
        let schema = TestSchema()
        let link = try schema.link("CREATE TABLE t AS SELECT 1::bigint AS v")
        #expect(try link.run(Command("SELECT * FROM t")).columnCount == 1)
        try schema.link().execute("ALTER TABLE t ADD w bigint")
        #expect(throws: PostgreSQLError.self) { _ = try link.run(Command("SELECT * FROM t")) }
        #expect(try link.run(Command("SELECT * FROM t")).columnCount == 2)
    }

    @Test func `an error at the end of the transaction is thrown`() throws {
        let schema = TestSchema()
        let link = try schema.link("CREATE TABLE t (v bigint UNIQUE DEFERRABLE INITIALLY DEFERRED)")
        let insert = Command("INSERT INTO t VALUES (1)")
        let error = try postgreSQLError { _ = try link.run([insert, insert]) }
        #expect(error.kind == .uniqueViolation)
        #expect(try link.integer("SELECT count(*) FROM t") == 0)
    }

    @Test func `a script is one transaction`() throws {
        let schema = TestSchema()
        let link = try schema.link("CREATE TABLE t (v bigint)")
        let error = try postgreSQLError {
            try link.execute("INSERT INTO t VALUES (1); SELECT 1/0; INSERT INTO t VALUES (2)")
        }
        #expect(error.sqlState == "22012")
        #expect(try link.integer("SELECT count(*) FROM t") == 0)
        #expect(link.statistics.roundTripCount == 3)
    }

    @Test func `a unique violation names its constraint`() throws {
        let schema = TestSchema()
        let link = try schema.link("CREATE TABLE t (v bigint CONSTRAINT only_once UNIQUE)")
        let insert = Command("INSERT INTO t VALUES ($1)", [.integer(4711)])
        _ = try link.run(insert)
        let error = try postgreSQLError { _ = try link.run(insert) }
        #expect(error.kind == .uniqueViolation)
        #expect(error.constraint == "only_once")
        #expect(error.table == "t")
        #expect(error.detail?.contains("4711") == true)
        #expect(!error.description.contains("4711"))
    }

    @Test func `too many parameters are an error before anything is sent`() throws {
        let link = try TestServer.link()
        let command = Command("SELECT 1", Array(repeating: .null, count: 65_536))
        #expect(try postgreSQLError { _ = try link.run(command) }.kind == .tooLarge)
        #expect(link.statistics.roundTripCount == 0)
    }

    @Test func `the session has the schema and the settings of the store`() throws {
        let name = "Odd \"name\\ of it"
        let quoted = "\"\(name.replacing("\"", with: "\"\""))\""
        let link = try Link(TestServer.settings(schema: name, timeout: .milliseconds(90_500)))
        try link.execute("CREATE SCHEMA IF NOT EXISTS \(quoted)")
        defer { try? link.execute("DROP SCHEMA \(quoted)") }
        #expect(try link.run(Command("SELECT current_schema()::text")).text(0, 0) == name)
        for (setting, value) in [
            ("lock_timeout", "90500ms"), ("jit", "off"), ("statement_timeout", "0"),
            ("transaction_isolation", "read committed"), ("client_encoding", "UTF8"),
            ("application_name", "ObjectGraph"),
        ] {
            #expect(
                try link.run(Command("SELECT current_setting($1)", [.text(setting)])).text(0, 0)
                    == value)
        }
    }

    @Test(arguments: [
        ("work_mem", "7MB"), ("jit", "on"), ("lock_timeout", "1234ms"),
        ("statement_timeout", "5678ms"), ("idle_in_transaction_session_timeout", "91234ms"),
    ])
    func `options of the URL are kept (§11.8.47)`(_ setting: String, _ value: String) throws {
        let url =
            try #require(TestServer.url).absoluteString + "&options=-c%20\(setting)%3D\(value)"
        let link = try Link(LinkSettings(#require(URL(string: url))))
        #expect(try link.run(Command("SHOW \(setting)")).text(0, 0) == value)
    }

    @Test func `a statement that its time-out ends is no cancelled one (§11.8.47)`() throws {
        let url =
            try #require(TestServer.url).absoluteString + "&options=-c%20statement_timeout%3D20"
        let link = try Link(LinkSettings(#require(URL(string: url))))
        let error = try postgreSQLError { try link.execute("SELECT pg_sleep(60)") }
        #expect(error.kind == .statementEnded)
        #expect(error.description.contains("statement_timeout"))
    }

    @Test func `no two connections give a statement the same name (§11.8.48)`() throws {
        let names = try (0..<2).flatMap { _ in
            let link = try TestServer.link()
            _ = try link.run(Command("SELECT 1"))
            let rows = try link.run(Command("SELECT name FROM pg_prepared_statements"))
            return try (0..<rows.count).map { try rows.text($0, 0) }
        }
        #expect(Set(names).count == names.count && names.count >= 2)
    }

    @Test func `each command has a duration of its own (§11.8.21)`() throws {
        var settings = try TestServer.settings()
        let durations = Mutex<[Duration]>([])
        settings.trace = { _, duration in durations.withLock { $0.append(duration) } }
        let link = try Link(settings)
        let commands = [Command("SELECT 1 FROM pg_sleep(0.5)"), Command("SELECT 1")]
        let whole = try ContinuousClock().measure { _ = try link.run(commands) }
        // Durations since the start would have the first command twice.
        #expect(durations.withLock { $0.count == 2 && $0[0] + $0[1] <= whole })
    }

    @Test func `tracers see each command with its rows, and copied rows`() throws {
        let schema = TestSchema()
        let link = try schema.link("CREATE TABLE traced (v bigint)")
        let tracer = StatementTracer()
        EventTracing.attach(tracer)
        defer { EventTracing.detach(tracer) }
        try link.copy(into: "traced", ["v"]) { writer in
            for number in 1...3 {
                try writer.beginRow()
                writer.append(integer: Int64(number))
            }
        }
        _ = try link.run([
            Command("SELECT v FROM traced WHERE v > $1", [.integer(1)]),
            Command("SELECT 1 FROM traced, pg_sleep(0.01)"),
        ])
        let events = tracer.events.withLock { $0 }.filter { $0.name.text.contains("traced") }
        #expect(
            events.map(\.name.text) == [
                "COPY traced (v) FROM STDIN (FORMAT binary)", "SELECT v FROM traced WHERE v > $1",
                "SELECT 1 FROM traced, pg_sleep(0.01)",
            ])
        #expect(events.map(\.count) == [3, 2, 3])
        #expect(events.allSatisfy { $0.track.text == "postgresql" })
        for (event, next) in zip(events, events.dropFirst()) {
            #expect(event.startNanoseconds + event.durationNanoseconds <= next.startNanoseconds)
        }
        // The server may send both results of a pipeline at its end.
        #expect(events.suffix(2).map(\.durationNanoseconds).reduce(0, +) >= 10_000_000)
    }

    private final class StatementTracer: EventTracer {
        let events = Mutex<[TraceEvent]>([])

        func record(_ event: TraceEvent) {
            if event.kind == .statement { events.withLock { $0.append(event) } }
        }
    }
}
#endif
