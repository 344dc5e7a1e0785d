import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// Rows that are read one by one, while another process writes.
@Suite struct `Reading a row by its key (§3.2, §3.5)` {
    let folder = TemporaryFolder()

    @Test func `a row that exists is found whichever reader is lent (§3.5.1)`() throws {
        let model = try makeLibraryModel()
        let url = folder.url("library.sqlite")
        let store = try SQLiteStore(.sqlite(at: url), model: model, debug: DebugOptions())
        let author = try #require(model.entity(named: "Author"))
        func countAuthors(_ connection: Connection) throws -> Int64 {
            let statement = try connection.statement("SELECT count(*) FROM ZAUTHOR")
            defer { statement.reset() }
            return try statement.step() ? statement.value(at: 0).integer : -1
        }
        let outsider = try Connection(SQLiteConfiguration(path: url.path))
        // The reader that is lent first has the older snapshot. It is returned last, so it is the
        // next one to be lent.
        try store.pool.read(keepingSnapshot: true) { older in
            #expect(try countAuthors(older) == 0)
            try outsider.execute(
                "INSERT INTO ZAUTHOR (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 1, 'Lem')")
            let count = try store.pool.read(keepingSnapshot: true, countAuthors)
            #expect(count == 1)
        }
        #expect(try store.row(1, entity: author, ReadOptions(keepsSnapshot: true))?.key == 1)
        #expect(try store.row(2, entity: author, ReadOptions(keepsSnapshot: true)) == nil)
        try outsider.close()
        try store.close()
    }
}
