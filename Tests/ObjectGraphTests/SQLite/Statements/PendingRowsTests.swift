import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ObjectGraph

/// Rows that are inserted 64 at a time, from a virtual table over their memory.
@Suite struct `Rows inserted together` {
    func makeThings() throws -> StoreFixture {
        try StoreFixture(
            AttributeDescription("number", .integer64), AttributeDescription("name", .string),
            uniquenessConstraints: [["number"]])
    }

    @Test(arguments: [(1, 1), (63, 1), (64, 1), (65, 2), (150, 3)])
    func `a statement takes 64 rows`(rowCount: Int, statementCount: Int) throws {
        let recorder = StatementRecorder()
        let folder = TemporaryFolder()
        let coordinator = PersistentStoreCoordinator(
            model: try ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Thing", attributes: [AttributeDescription("number", .integer64)])
            ]), debug: recorder.debug)
        try coordinator.addPersistentStore(.sqlite(at: folder.url("store.sqlite")))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let statements = try recorder.statements {
            try context.performAndWait {
                for number in 1...rowCount {
                    try context.insertObject(entityName: "Thing")
                        .setValue(number, forKey: "number")
                }
                try context.save()
            }
        }
        let inserts = statements.filter { $0.hasPrefix("INSERT INTO ZTHING") }
        #expect(inserts.count == statementCount)
        #expect(
            inserts[0].hasPrefix(
                "INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZNUMBER) SELECT key, 1, 1, value0 FROM OGPendingRows ← 1, 1"
            ))
    }

    @Test func `what cannot be bound as it is comes back as documented`() throws {
        let fixture = try StoreFixture(
            AttributeDescription("real", .double), AttributeDescription("text", .string),
            AttributeDescription("data", .binaryData))
        try fixture.run { context in
            let rows: [[String: AttributeValue]] = [
                ["real": .null, "text": .string(""), "data": .data(Data())],
                ["real": .double(-.infinity), "text": .string("it's \0 ö 😀")],
                ["data": .data(Data([0, 39, 255]))],
            ]
            _ = try context.execute(
                BatchInsertRequest(entityName: "Thing", objects: rows))
        }
        let found = try fixture.sql(
            "SELECT ZREAL, hex(ZTEXT), typeof(ZTEXT), hex(ZDATA), typeof(ZDATA) FROM ZTHING ORDER BY Z_PK"
        )
        #expect(
            found == [
                [nil, "", "text", "", "blob"],
                ["-Inf", "69742773200020C3B620F09F9880", "text", "", "null"],
                [nil, "", "null", "0027FF", "blob"],
            ])
    }

    @Test(arguments: [0, 57, 63, 64, 149])
    func `of a statement's rows only the one that collides is named`(taken: Int) throws {
        let fixture = try makeThings()
        try fixture.run { context in
            try context.insertObject(entityName: "Thing").setValue(taken, forKey: "number")
            try context.save()
            context.mergePolicy = .mergeByPropertyStoreTrump
            for number in 0..<150 {
                let thing = try context.insertObject(entityName: "Thing")
                try thing.setValue(number, forKey: "number")
                try thing.setValue("\(number)", forKey: "name")
            }
            try context.save()
        }
        #expect(try fixture.sql("SELECT count(*), sum(ZNUMBER) FROM ZTHING") == [["150", "11175"]])
        #expect(
            try fixture.sql("SELECT ZNUMBER FROM ZTHING WHERE ZNAME IS NULL OR ZNAME <> ZNUMBER")
                == [["\(taken)"]])
    }

    @Test(arguments: [false, true])
    func `a batch insert of many statements keeps each row's values`(usesHandler: Bool) throws {
        let fixture = try makeThings()
        let rows = (0..<150).map { number -> [String: AttributeValue] in
            // Of different lengths, so that rows start at different addresses than earlier ones.
            [
                "number": .integer(Int64(number)),
                "name": .string(String(repeating: "k", count: number)),
            ]
        }
        let position = Atomic(0)
        let request =
            usesHandler
            ? BatchInsertRequest(entityName: "Thing") { row in
                let index = position.add(1, ordering: .relaxed).oldValue
                guard index < rows.count else { return true }
                for (key, value) in rows[index] { try row.set(value, forKey: key) }
                return false
            } : BatchInsertRequest(entityName: "Thing", objects: rows)
        try fixture.run { _ = try $0.execute(request) }
        let found = try fixture.sql(
            "SELECT count(*), count(DISTINCT ZNUMBER), sum(length(ZNAME) = ZNUMBER) FROM ZTHING")
        #expect(found == [["150", "150", "150"]])
    }

    @Test func `a batch insert of which a row collides inserts nothing (§6.1.1)`() throws {
        let fixture = try makeThings()
        let rows = (0..<150).map { ["number": AttributeValue.integer(Int64($0 % 140))] }
        #expect(throws: StoreError.self) {
            try fixture.run { context in
                _ = try context.execute(BatchInsertRequest(entityName: "Thing", objects: rows))
            }
        }
        #expect(try fixture.sql("SELECT count(*) FROM ZTHING") == [["0"]])
    }

    @Test func `nobody but an insert finds rows in the table`() throws {
        let fixture = try makeThings()
        let connection = try Connection(
            SQLiteConfiguration(path: fixture.folder.path("store.sqlite")))
        try connection.registerPendingRows(slotCount: 2)
        #expect(throws: SQLiteError.self) {
            try connection.execute("SELECT * FROM OGPendingRows")
        }
    }
}
