import Datasets
import Foundation
import RunRecords
import Testing

@testable import StackBench

/// A sample's checks of the store find values in a wrong row or column.
@Suite struct `Verifying what was written` {
    private func makeStore() throws -> StoreReader {
        try StoreReader(URL(filePath: "\(URL.inMemory)/\(UUID())"))
    }

    /// A store of items, changed by a statement.
    private func verification(ofItemsAfter change: String) throws -> String? {
        let items = ItemRow.generated(count: 100)
        let store = try makeStore()
        try store.execute(
            """
            CREATE TABLE ZITEM (ZNUMBER INTEGER, ZQUANTITY INTEGER, ZDELAYMINUTES INTEGER, \
            ZPRICE REAL, ZCREATEDAT REAL, ZNAME TEXT, ZMAKER TEXT, ZCITY TEXT, ZADDRESS TEXT, \
            ZNOTE TEXT)
            """)
        for item in items {
            let note = item.note.map { "'\($0)'" } ?? "NULL"
            let delay = item.delayMinutes.map { "\($0)" } ?? "NULL"
            try store.execute(
                """
                INSERT INTO ZITEM VALUES (\(item.number), \(item.quantity), \(delay), \
                \(item.price), \(item.createdAt.timeIntervalSinceReferenceDate), '\(item.name)', \
                '\(item.maker)', '\(item.city)', '\(item.address)', \(note))
                """)
        }
        try store.execute(change)
        var verifier = Verifier()
        try verifier.checkItems(in: store, are: ItemSum.facts(of: items))
        return verifier.verification.problem
    }

    @Test func `items that were written rightly pass`() throws {
        #expect(try verification(ofItemsAfter: "SELECT 1") == nil)
    }

    // Texts of one length, values of two rows, and a column that was left out.
    @Test(arguments: [
        ("UPDATE ZITEM SET ZNAME = ZCITY, ZCITY = ZNAME", "names"),
        ("UPDATE ZITEM SET ZMAKER = upper(ZMAKER) WHERE ZNUMBER = 7", "makers"),
        (exchange("ZCITY"), "cities"), (exchange("ZADDRESS"), "addresses"),
        (exchange("ZNOTE"), "notes"), (exchange("ZPRICE"), "prices in cents"),
        (exchange("ZCREATEDAT"), "dates"), (exchange("ZQUANTITY"), "weighted quantities"),
        ("UPDATE ZITEM SET ZDELAYMINUTES = NULL", "delays"),
        ("DELETE FROM ZITEM WHERE ZNUMBER = 3", "items"),
    ])
    func `values in a wrong column or row are found`(change: String, name: String) throws {
        let problem = try #require(try verification(ofItemsAfter: change))
        #expect(problem.hasPrefix("\(name) is "))
    }

    /// Exchanges the values of items 2 and 5.
    private static func exchange(_ column: String) -> String {
        """
        CREATE TEMP TABLE old AS SELECT ZNUMBER, \(column) FROM ZITEM; \
        UPDATE ZITEM SET \(column) = old.\(column) FROM old \
        WHERE old.ZNUMBER = 7 - ZITEM.ZNUMBER AND ZITEM.ZNUMBER IN (2, 5)
        """
    }

    @Test(arguments: [
        ("SELECT 1", nil),
        ("UPDATE ZAIRLINE SET ZNAME = upper(ZNAME) WHERE rowid = 2", "name"),
        ("UPDATE ZAIRLINE SET ZCARRIER = ZNAME, ZNAME = ZCARRIER", "carrier"),
        (
            """
            CREATE TEMP TABLE old AS SELECT rowid AS row, ZNAME FROM ZAIRLINE; \
            UPDATE ZAIRLINE SET ZNAME = old.ZNAME FROM old \
            WHERE old.row = 3 - ZAIRLINE.rowid AND ZAIRLINE.rowid < 3
            """, "name"
        ),
    ])
    func `rows of the data set are checked by column and row`(
        change: String, column: String?
    ) throws {
        let airlines = FlightsDataset.generated(seed: 1, scale: 0.01).airlines
        let store = try makeStore()
        try store.execute("CREATE TABLE ZAIRLINE (ZCARRIER TEXT, ZNAME TEXT)")
        for airline in airlines {
            try store.execute(
                "INSERT INTO ZAIRLINE VALUES ('\(airline.carrier)', '\(airline.name)')")
        }
        try store.execute(change)
        var verifier = Verifier()
        try verifier.check(airlines, in: "ZAIRLINE", of: store)
        let problem = verifier.verification.problem
        #expect((problem == nil) == (column == nil))
        if let column { #expect(problem?.contains("\(column) ") == true) }
    }
}

extension Verification {
    fileprivate var problem: String? {
        if case .failed(let reason) = self { reason } else { nil }
    }
}
