import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Stores over a fork (§11.5)` {
    /// Swift does not offer it, since a child has none of the other threads: this one only reports
    /// what a request throws, by its exit status.
    private static let fork = unsafeBitCast(
        dlsym(nil, "fork"), to: (@convention(c) () -> pid_t).self)

    private static let requests: [(name: String, run: @Sendable (ConnectionPool) throws -> Void)] =
        [
            ("read", { try $0.read { _ in } }), ("write", { try $0.write { _ in } }),
            ("pin", { _ = try $0.pin() }),
        ]

    @Test(arguments: requests.indices)
    func `the child is refused, and the parent goes on (§11.5.8)`(_ position: Int) throws {
        let folder = TemporaryFolder()
        let pool = try ConnectionPool(
            configuration: SQLiteConfiguration(path: folder.url("store.sqlite").path),
            maximumReaderCount: 2)
        try pool.write { try $0.execute("CREATE TABLE t (a)") }
        let request = Self.requests[position].run
        let status = Self.statusOfChild { try request(pool) }
        #expect(status == 3 << 8, "\(Self.requests[position].name)")
        try request(pool)
        try pool.write { try $0.execute("INSERT INTO t VALUES (1)") }
    }

    @Test func `the child of a list has the identities that were read (§11.5.8)`() throws {
        let first = (1...3).map { EntityKey(entityIndex: 0, key: $0) }
        let stream = KeyStream(
            startingWith: first, count: 9, forkError: SQLiteError.openedBeforeFork(path: ""))
        let status = Self.statusOfChild {
            guard try stream.keys(at: 1..<3).map(\.key) == [2, 3] else { _exit(7) }
            _ = try stream.keys(at: 2..<4)
        }
        #expect(status == 3 << 8)
    }

    /// How a child ends that runs the body: with 3 if it is refused because of the fork.
    private static func statusOfChild(_ body: () throws -> Void) -> Int32 {
        let child = fork()
        if child == 0 {
            alarm(60)
            do { try body() } catch let error as SQLiteError {
                _exit(error.code == 21 && error.message.contains("forked") ? 3 : 4)
            } catch { _exit(5) }
            _exit(6)
        }
        var status: Int32 = 0
        while waitpid(child, &status, 0) == -1, errno == EINTR {}
        return status
    }
}
