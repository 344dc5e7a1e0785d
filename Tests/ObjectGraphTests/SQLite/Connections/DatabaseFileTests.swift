import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `The bytes of a database file` {
    let folder = TemporaryFolder()

    @Test(arguments: ["WAL", "DELETE"]) func `the header tells the journal mode`(
        _ mode: String
    ) throws {
        let connection = try Connection(SQLiteConfiguration(path: folder.path("a.db")))
        try connection.execute("PRAGMA journal_mode = \(mode); CREATE TABLE note (body TEXT)")
        try connection.close()
        #expect(try DatabaseFile(path: folder.path("a.db")).isWAL() == (mode == "WAL"))
    }

    // One byte does not do: SQLite treats such a file as empty.
    @Test(arguments: [0, 2, 19, 4096, 1 << 20, 1_234_567])
    func `a copy has the same bytes`(_ byteCount: Int) throws {
        let bytes = Data((0..<byteCount).map { UInt8(truncatingIfNeeded: $0 / 11) })
        try bytes.write(to: folder.url("a"))
        let file = try DatabaseFile(path: folder.path("a"))
        #expect(try !file.isWAL())
        try file.copy(to: folder.url("b"))
        #expect(try Data(contentsOf: folder.url("b")) == bytes)
    }

    @Test func `a missing file cannot be opened`() throws {
        let error = #expect(throws: SQLiteError.self) {
            try DatabaseFile(path: folder.path("missing"))
        }
        #expect(error?.code == 14)
    }
}
