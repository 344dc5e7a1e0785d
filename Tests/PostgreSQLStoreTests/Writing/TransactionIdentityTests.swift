#if PostgreSQL
import TestSupport
import Testing

@testable import ObjectGraph
@testable import PostgreSQLStore

@Suite(.onServer) struct `What became of a transaction (§11.8.33)` {
    private func begin(_ link: Link) throws -> TransactionIdentity {
        try TransactionIdentity(link.run([Command("BEGIN"), TransactionIdentity.query])[1])
    }

    @Test(arguments: [
        ("COMMIT", TransactionIdentity.Fate.committed), ("ROLLBACK", .rolledBack),
        ("SELECT 1", .inProgress),
    ])
    func `the server knows it`(end: String, fate: TransactionIdentity.Fate) throws {
        let link = try TestServer.link()
        let identity = try begin(link)
        _ = try link.run(Command(end))
        #expect(try identity.fate(on: TestServer.link()) == fate)
    }

    @Test func `its session can be ended`() throws {
        let link = try TestServer.link()
        let identity = try begin(link)
        let other = try TestServer.link()
        try identity.endSession(on: other)
        while try identity.fate(on: other) == .inProgress {}
        #expect(try identity.fate(on: other) == .rolledBack)
    }

    /// Nothing of the transaction had reached the disk, so the server gives its number again.
    @Test func `after a crash, another transaction with its number is not taken for it`() throws {
        let server = try OwnServer(isDurable: true)
        let settings = try LinkSettings(server.url)
        let lostLink = try Link(settings)
        let lost = try begin(lostLink)
        try server.kill()
        try server.start()
        #expect(try postgreSQLError { try lostLink.execute("COMMIT") }.isConnectionLoss)
        let link = try Link(settings)
        #expect(try lost.fate(on: link) == .rolledBack, "the number is in the future")

        var others = 0
        while try lost.fate(on: link) == .rolledBack {
            let identity = try begin(link)
            #expect(try lost.fate(on: Link(settings)) == .rolledBack)
            _ = try link.run(Command("COMMIT"))
            #expect(try identity.fate(on: link) == .committed)
            others += 1
            try #require(others < 10_000)
        }
        #expect(try lost.fate(on: link) == .unknown)
    }

    @Test func `a standby that lags proves nothing, nor does one that became the primary`() throws {
        let server = try OwnServer()
        let standby = try server.standby()
        let link = try Link(LinkSettings(server.url))
        let identity = try begin(link)
        _ = try link.run(Command("COMMIT"))
        #expect(try identity.fate(on: link) == .committed)
        #expect(try identity.fate(on: Link(LinkSettings(standby.url))) == .unknown)
        try standby.promote()
        #expect(try identity.fate(on: Link(LinkSettings(standby.url))) == .unknown)
    }

    @Test func `a clean restart keeps what it knows`() throws {
        let server = try OwnServer()
        let settings = try LinkSettings(server.url)
        let link = try Link(settings)
        let identity = try begin(link)
        _ = try link.run(Command("COMMIT"))
        try server.stop()
        try server.start()
        #expect(try identity.fate(on: Link(settings)) == .committed)
    }
}
#endif
