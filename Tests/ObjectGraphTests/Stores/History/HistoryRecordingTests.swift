import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `History of saves (§10.4)` {
    @Test func `a save and its changes are one transaction, an empty save is none (§10.4.1)`()
        throws
    {
        let fixture = try HistoryFixture()
        try fixture.run { context in
            let team = try context.insert("Team", ["name": "Reds"])
            for name in ["Ada", "Bob"] {
                try context.insert("Player", ["name": name, "team": team])
            }
            try context.save()
            try context.save()
            #expect(try context.fetchHistory().count == 1)
            #expect(
                try context.fetchHistory()[0].changes!.map(\.text).sorted()
                    == ["insert Player", "insert Player", "insert Team"])
            try team.setValue("Blues", forKey: "name")
            try context.save()
        }
        let history = try fixture.history()
        #expect(history.map(\.transactionNumber) == [1, 2])
        #expect(history.map { $0.changes!.count } == [3, 1])
        #expect(history.flatMap { $0.changes! }.map(\.changeID) == [1, 2, 3, 4])
        #expect(history.allSatisfy { $0.storeID == fixture.identifier })
    }

    @Test func `a transaction says who wrote, where and when (§10.4.2, §4.6.1)`() throws {
        let fixture = try HistoryFixture()
        let before = Date()
        try fixture.save("Team", "Reds")
        let named = ManagedObjectContext(
            .privateQueue, coordinator: fixture.coordinator, name: "import")
        try named.performAndWait {
            named.transactionAuthor = "server"
            try named.insert("Team")
            try named.save()
            try named.insert("Team")
            try named.save()
        }
        let history = try fixture.history()
        #expect(history.map(\.author) == [nil, "server", "server"])
        #expect(history.map(\.contextName) == [nil, "import", "import"])
        let process = ProcessInfo.processInfo.processName
        #expect(history.allSatisfy { $0.processID == process && $0.bundleID?.isEmpty == false })
        #expect(history.allSatisfy { $0.timestamp >= before && $0.timestamp <= Date() })
        // Each name is stored once.
        let names = try fixture.store.sql(
            "SELECT ZNAME FROM ATRANSACTIONSTRING WHERE ZNAME IN ('server', 'import')")
        #expect(names.count == 2)
        #expect(
            try fixture.store.sql("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16002") == [["3"]])
        #expect(
            try fixture.store.sql(
                "SELECT count(*) FROM ATRANSACTION WHERE ZAUTHOR NOT NULL OR Z_ENT != 16002 OR Z_OPT NOT NULL"
            )
                == [["0"]])
    }

    @Test func `an update names the properties whose values differ (§10.4.3)`() throws {
        let fixture = try HistoryFixture()
        try fixture.run { context in
            let player = try context.insert("Keeper", ["name": "Ada", "goals": 1])
            try context.save()
            try player.setValue("Ada", forKey: "name")
            try player.setValue(2, forKey: "goals")
            try player.setValue(3, forKey: "saves")
            try player.setValue("merry", forKey: "mood")
            try context.save()
        }
        #expect(try fixture.lastChanges() == ["update Keeper goals saves"])
        let changes = try fixture.history().flatMap { $0.changes! }
        #expect(changes[0].updatedProperties == nil && changes.allSatisfy { $0.tombstone == nil })
    }

    @Test func `pairs, places and owners are updates of both ends (§10.4.4)`() throws {
        let fixture = try HistoryFixture()
        let (team, ada, bob, badge, coach) = try fixture.run { context in
            let objects = [
                try context.insert("Team"), try context.insert("Player"),
                try context.insert("Player"), try context.insert("Badge"),
                try context.insert("Coach"),
            ]
            try objects[0].setValue([objects[1], objects[2]], forKey: "players")
            try context.save()
            let ids = objects.map(\.objectID)
            return (ids[0], ids[1], ids[2], ids[3], ids[4])
        }
        func change(_ body: @Sendable (ManagedObjectContext) throws -> Void) throws -> [String] {
            try fixture.run { context in
                try body(context)
                try context.save()
            }
            return try fixture.lastChanges().sorted()
        }
        let pairs = try change { context in
            try context.object(with: badge)
                .setValue(Set([context.object(with: ada)]), forKey: "players")
        }
        #expect(pairs == ["update Badge players", "update Player badges"])
        let owner = try change { context in
            try context.object(with: ada).setValue(context.object(with: coach), forKey: "coach")
        }
        #expect(owner == ["update Coach players", "update Player coach"])
        let order = try change { context in
            try context.object(with: team).setValue(
                [context.object(with: bob), context.object(with: ada)], forKey: "players")
        }
        #expect(order.contains("update Team players") && order.contains("update Player team"))
        let removed = try change { context in
            try context.object(with: badge).setValue(Set<ManagedObject>(), forKey: "players")
        }
        #expect(removed == ["update Badge players", "update Player badges"])
    }

    @Test func `cascades and nullified ends have their own changes (§10.4.4)`() throws {
        let fixture = try HistoryFixture()
        try fixture.run { context in
            let team = try context.insert("Team", ["name": "Reds"])
            let coach = try context.insert("Coach")
            try context.insert("Player", ["team": team, "coach": coach])
            try context.insert("Keeper", ["team": team])
            try context.save()
            context.delete(team)
            try context.save()
        }
        #expect(
            try fixture.lastChanges().sorted()
                == ["delete Keeper", "delete Player", "delete Team", "update Coach players"])
    }

    @Test func `a deletion keeps preserved values, in alphabetical slots (§10.4.5)`() throws {
        let fixture = try HistoryFixture()
        try fixture.run { context in
            let first = try context.insert(
                "Team", ["name": "Reds", "code": 7, "founded": 1892, "logo": Data([1])])
            let second = try context.insert("Team")
            try context.save()
            context.delete(first)
            try context.save()
            context.delete(second)
            try context.save()
            context.delete(try context.insert("Player"))
            try context.save()
        }
        let deletions = try fixture.history().flatMap { $0.changes! }
            .filter { $0.changeType == .delete }
        #expect(deletions.map(\.tombstone) == [["name": "Reds", "code": 7], [:]])
        #expect(
            try fixture.store.sql(
                "SELECT ZTOMBSTONE0, ZTOMBSTONE1, ZTOMBSTONE2, ZCOLUMNS FROM ACHANGE WHERE ZCHANGETYPE = 2 AND ZTOMBSTONE2 NOT NULL"
            ) == [["7", nil, "Reds", nil]])
    }

    @Test func `a save that the merge policy repeats is recorded once (§10.4.7)`() throws {
        let fixture = try HistoryFixture()
        let id = try fixture.save("Team", "Reds")
        let other = fixture.store.makeContext()
        try other.performAndWait {
            other.mergePolicy = .mergeByPropertyObjectTrump
            try other.object(with: id).setValue(1900, forKey: "founded")
            try fixture.run { context in
                try context.object(with: id).setValue("Blues", forKey: "name")
                try context.save()
            }
            // Another coordinator has changed the row too, which only the store finds.
            let foreign = try fixture.reopened()
            try foreign.performAndWait {
                try foreign.object(with: id).setValue(8, forKey: "code")
                try foreign.save()
            }
            try other.save()
        }
        let history = try fixture.history()
        #expect(
            history.map { $0.changes!.map(\.text) }.suffix(3)
                == [["update Team name"], ["update Team code"], ["update Team founded"]])
        #expect(history.map(\.transactionNumber) == [1, 2, 3, 4])
    }

    @Test func `a save that is refused leaves no history (§10.4.7)`() throws {
        let fixture = try HistoryFixture()
        try fixture.save("Badge", "gold")
        try fixture.run { context in
            try context.insert("Badge", ["name": "gold"])
            #expect(throws: SaveError.self) { try context.save() }
            context.rollback()
        }
        #expect(try fixture.history().count == 1)
        #expect(try fixture.store.sql("SELECT count(*) FROM ACHANGE") == [["1"]])
    }

    @Test func `a deletion of a row that is gone is no change (§10.4.7)`() throws {
        let fixture = try HistoryFixture()
        let id = try fixture.save("Team", "Reds")
        let other = try fixture.reopened()
        try fixture.run { context in
            let team = context.object(with: id)
            _ = try team.value(forKey: "name")
            try other.performAndWait {
                other.delete(other.object(with: id))
                try other.save()
            }
            context.delete(team)
            try context.save()
        }
        #expect(try fixture.history().count == 2)
    }

    @Test func `child contexts are recorded by the root that saves (§10.4.2)`() throws {
        let fixture = try HistoryFixture()
        fixture.run { $0.transactionAuthor = "root" }
        let child = ManagedObjectContext(.privateQueue, parent: fixture.context, name: "child")
        try child.performAndWait {
            child.transactionAuthor = "child"
            try child.insert("Team")
            try child.save()
        }
        #expect(try fixture.history().isEmpty)
        try fixture.run { try $0.save() }
        #expect(try fixture.history().map(\.author) == ["root"])
    }

    @Test func `1,000 rows take few statements (§10.4.1)`() throws {
        func statements(_ tracksHistory: Bool) throws -> Int64 {
            let fixture = try HistoryFixture(tracksHistory: tracksHistory)
            try fixture.save("Team", "first")
            return try fixture.store.statements {
                try fixture.run { context in
                    for _ in 0..<1000 { try context.insert("Team") }
                    try context.save()
                }
            }
        }
        let (with, without) = (try statements(true), try statements(false))
        #expect(with - without <= 1000 / 64 + 5, "\(with), \(without)")
    }

    @Test func `without tracking a store has no tables of a history (§10.4.1, §11.4.8)`() throws {
        let fixture = try HistoryFixture(tracksHistory: false)
        try fixture.save("Team", "Reds")
        #expect(
            try fixture.store.sql("SELECT name FROM sqlite_schema WHERE name LIKE 'A%'").isEmpty)
        #expect(try fixture.history().isEmpty)
        #expect(try fixture.token().transactionNumbers.isEmpty)
    }

    @Test func `a store in memory ignores tracking (§10.4.1, §11.3.6)`() throws {
        let store = try StoreFixture(HistoryFixture.model, inMemory: true, tracksHistory: true)
        try store.run { context in
            try context.insert("Team")
            try context.save()
            #expect(try context.fetchHistory().isEmpty)
        }
    }
}
