import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Histories of Core Data (§8.7)` {
    /// The transactions of a store, opened with tracking unless told otherwise.
    private func history(
        of store: CoreDataStore, _ model: ManagedObjectModel? = nil,
        _ configure: (inout PersistentStoreDescription) -> Void = { $0.tracksHistory = true }
    ) throws -> [PersistentHistoryTransaction] {
        let context = try store.context(model, configure)
        return try context.performAndWait { try context.fetchHistory() }
    }

    @Test func `a history goes on with its numbers and names (§8.7.11)`() throws {
        let store = try CoreDataStore(.history)
        // Numbers that were given and lost are not given again.
        try store.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 7 WHERE Z_ENT = 16002")
        let context = try store.context { $0.tracksHistory = true }
        let token = try context.coordinator.currentPersistentHistoryToken()
        #expect(Array(token.transactionNumbers.values) == [1])
        try context.performAndWait {
            context.transactionAuthor = "org.example.app"
            try context.insert("Album", ["title": "new"])
            try context.save()
        }
        let history = try history(of: store)
        #expect(history.map(\.transactionNumber) == [1, 8])
        #expect(history.map(\.bundleID).first == "org.example.app")
        #expect(history[0].timestamp == Date(timeIntervalSinceReferenceDate: 737057651.5))
        #expect(history[1].author == "org.example.app")
        #expect(history.flatMap { $0.changes! }.map(\.changeID) == [1, 2])
        #expect(
            history.flatMap { $0.changes! }.map(\.changedObjectID.entityName) == ["Album", "Album"])
        // The name was there already.
        #expect(
            try store.dump(
                "SELECT Z_PK, count(*) FROM ATRANSACTIONSTRING WHERE ZNAME = 'org.example.app'")
                == [["1", "1"]])
        #expect(
            try store.dump("SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT IN (16001, 16002)")
                == [["16001", "2"], ["16002", "8"]])
        #expect(
            try store.dump(
                "SELECT Z_ENT, typeof(Z_OPT), ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, typeof(ZCOLUMNS) FROM ACHANGE WHERE Z_PK = 2"
            ) == [["16001", "null", "0", "1", "8", "8", "null"]])
        #expect(try store.dump("PRAGMA integrity_check") == [["ok"]])
    }

    @Test func `the tables and indexes are Core Data's (§8.7.11)`() throws {
        let store = try CoreDataStore()
        let schema = try store.dump("SELECT name, sql FROM sqlite_schema ORDER BY name")
        let context = try store.context { $0.tracksHistory = true }
        #expect(
            try store.dump("SELECT name FROM sqlite_schema WHERE tbl_name LIKE 'A%' ORDER BY 1")
                .map { $0[0] } == [
                    "ACHANGE", "ACHANGE_ZTRANSACTIONID_INDEX", "ATRANSACTION",
                    "ATRANSACTIONSTRING", "ATRANSACTION_ZAUTHORTS_INDEX",
                    "ATRANSACTION_ZBUNDLEIDTS_INDEX", "ATRANSACTION_ZCONTEXTNAMETS_INDEX",
                    "ATRANSACTION_ZPROCESSIDTS_INDEX", "Z_TRANSACTIONSTRING_UNIQUE_NAME",
                    "Z_TRANSACTION_TransactionAuthorIndex",
                    "Z_TRANSACTION_TransactionTimestampIndex",
                ])
        // The rows of the entities come with the first change.
        let rows = "SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 16000"
        #expect(try store.dump(rows).isEmpty)
        try context.performAndWait {
            try context.insert("Album")
            try context.save()
        }
        #expect(
            try store.dump(rows).map { $0.prefix(3) } == [
                ["16001", "CHANGE", "0"], ["16002", "TRANSACTION", "0"],
                ["16003", "TRANSACTIONSTRING", "0"],
            ])
        let others = try store.dump("SELECT name, sql FROM sqlite_schema ORDER BY name").filter {
            !$0[1].contains("ATRANSACTION") && !$0[1].contains("ACHANGE")
        }
        #expect(others == schema)
    }

    @Test func `bitmaps are Core Data's for entities without other columns (§8.7.12)`() throws {
        let store = try CoreDataStore(.history)
        let context = try store.context { $0.tracksHistory = true }
        try context.performAndWait {
            // Album: rating, title, then assets, lists.
            let album = try #require(try context.all("Album", by: "title").last)
            try album.setValue("new", forKey: "title")
            try context.save()
            try album.setValue(4, forKey: "rating")
            try album.setValue(Set<ManagedObject>(), forKey: "lists")
            try context.save()
        }
        #expect(
            try store.dump(
                "SELECT hex(ZCOLUMNS), ZENTITY FROM ACHANGE WHERE ZCHANGETYPE = 1 AND ZENTITY = 1")
                == [["40", "1"], ["90", "1"]])
        let updates = try history(of: store).flatMap { $0.changes! }
            .filter { $0.changeType == .update && $0.changedObjectID.entityName == "Album" }
        #expect(updates.map(\.updatedProperties) == [["title"], ["rating", "lists"]])
    }

    @Test func `where Core Data's order is unknown, all properties are reported (§8.7.12)`() throws
    {
        let store = try CoreDataStore(.history)
        let context = try store.context { $0.tracksHistory = true }
        try context.performAndWait {
            // An asset has a place in its album, and a person an entity of its favourite.
            for entity in ["Movie", "Person"] {
                let object = try #require(try context.all(entity, by: "name").first)
                try object.setValue("new", forKey: "name")
            }
            try context.save()
        }
        let columns = try store.dump(
            "SELECT hex(ZCOLUMNS), ZENTITY FROM ACHANGE WHERE ZCHANGETYPE = 1 ORDER BY ZENTITY")
        // 14 properties and a place; 6 and an entity.
        #expect(columns == [["FFFE", "4"], ["FE", "7"]])
        let updates = try history(of: store).flatMap { $0.changes! }
            .filter { $0.changeType == .update }
        for update in updates {
            let description = try store.model().entity(named: update.changedObjectID.entityName)!
            let names = description.properties.filter { !$0.isHidden }.map(\.name)
            #expect(update.updatedProperties == Set(names))
        }
    }

    @Test func `bitmaps of another length report all properties (§8.7.12)`() throws {
        let store = try CoreDataStore(.history)
        try store.execute(
            "INSERT INTO ACHANGE VALUES (2, 16001, NULL, 1, 1, 1, 1, x'8000'), (3, 16001, NULL, 1, 1, 1, 1, NULL), (4, 16001, NULL, 1, 1, 1, 1, x'80')"
        )
        let changes = try history(of: store)[0].changes!
        let all: Set = ["rating", "title", "assets", "lists"]
        #expect(changes.map(\.updatedProperties) == [nil, all, all, ["rating"]])
    }

    @Test func `tombstones get their columns when the model needs them (§8.7.11, §10.4.5)`() throws
    {
        let store = try CoreDataStore(.history)
        let model = try ManagedObjectModel(
            entities: CoreDataStore.model(isRenamed: false).entities.map { entity in
                var description = entity.description
                for index in description.attributes.indices where description.name == "Album" {
                    description.attributes[index].preservesValueInHistoryOnDeletion = true
                }
                return description
            })
        let context = try store.context(model) { $0.tracksHistory = true }
        try context.performAndWait {
            context.delete(try #require(try context.all("Album", by: "title").last))
            try context.save()
        }
        #expect(
            try store.dump(
                "SELECT ZTOMBSTONE0, ZTOMBSTONE1, typeof(ZTOMBSTONE1) FROM ACHANGE WHERE ZCHANGETYPE = 2"
            ) == [["", "Zoo", "text"]])
        let deletion = try history(of: store, model).last!.changes!
            .first { $0.changeType == .delete }
        #expect(deletion?.tombstone == ["title": "Zoo"])
    }

    @Test func `names in the columns of early versions are read (§8.7.11)`() throws {
        let store = try CoreDataStore(.history)
        try store.execute(
            """
            ALTER TABLE ATRANSACTION DROP COLUMN ZAUTHORTS;
            UPDATE ATRANSACTION SET ZAUTHOR = 'early', ZCONTEXTNAME = 'view';
            """)
        let reading = try history(of: store) { $0.isReadOnly = true }
        #expect(reading[0].author == "early" && reading[0].contextName == "view")
        #expect(reading[0].processID == "org.example.app")
        // Tracking adds the column that is missing.
        #expect(try history(of: store)[0].author == "early")
        #expect(
            try store.dump(
                "SELECT count(*) FROM pragma_table_info('ATRANSACTION') WHERE name = 'ZAUTHORTS'")
                == [["1"]])
    }

    @Test func `objects of unknown entities are left out, damage is an error (§8.7.11)`() throws {
        let store = try CoreDataStore(.history)
        try store.execute("INSERT INTO ACHANGE VALUES (2, 16001, NULL, 0, 99, 1, 1, NULL)")
        #expect(try history(of: store)[0].changes!.count == 1)
        try store.execute("UPDATE ACHANGE SET ZCHANGETYPE = 5 WHERE Z_PK = 1")
        let error = #expect(throws: StoreError.self) { try history(of: store) }
        #expect(error?.code == 259)
        try store.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807 WHERE Z_ENT = 16001")
        let context = try store.context { $0.tracksHistory = true }
        try context.performAndWait {
            try context.insert("Album")
            let error = #expect(throws: StoreError.self) { try context.save() }
            #expect(error?.code == 259)
        }
    }

    @Test(arguments: CoreDataStore.Oddity.allCases.filter { $0 != .log })
    func `any store of Core Data can begin a history (§8.7.11)`(_ oddity: CoreDataStore.Oddity)
        throws
    {
        let store = try CoreDataStore(oddity)
        if oddity == .externalFiles { try store.makeExternalFile(Data([7, 8])) }
        let context = try store.context { $0.tracksHistory = true }
        try context.performAndWait {
            let movie = try #require(try context.all("Movie").first)
            try movie.setValue("new", forKey: "name")
            context.delete(try #require(try context.all("Photo").first))
            try context.insert("Keyword", ["word": "new"])
            try context.save()
            let changes = try #require(try context.fetchHistory().last?.changes)
            let kinds = Set(changes.map { "\($0.changeType) \($0.changedObjectID.entityName)" })
            #expect(kinds.isSuperset(of: ["insert Keyword", "update Movie", "delete Photo"]))
            #expect(changes.contains { $0.changedObjectID == movie.objectID })
        }
        #expect(
            try store.dump("SELECT count(*) FROM ACHANGE WHERE ZENTITY = \(store.sql("{movie}"))")
                == [["1"]])
        #expect(try store.dump("PRAGMA integrity_check") == [["ok"]])
    }
}
