import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `History requests (§10.4)` {
    /// A store with three transactions of the authors a, b and none.
    private func makeStore() throws -> HistoryFixture {
        let fixture = try HistoryFixture()
        for author in ["a", "b", nil] {
            try fixture.run { context in
                context.transactionAuthor = author
                try context.insert("Team", ["name": author ?? "none"])
                try context.insert("Keeper")
                try context.save()
            }
        }
        return fixture
    }

    private func numbers(
        in fixture: HistoryFixture, _ configure: (inout PersistentHistoryRequest) throws -> Void
    ) throws -> [Int64] {
        var request = PersistentHistoryRequest()
        try configure(&request)
        return try fixture.run { [request] in
            try $0.fetchHistory(request).map(\.transactionNumber)
        }
    }

    @Test func `the history begins after a token, a date or a transaction (§10.4.8)`() throws {
        let fixture = try makeStore()
        let all = try fixture.history()
        #expect(all.map(\.transactionNumber) == [1, 2, 3])
        for position in [
            PersistentHistoryPosition.token(all[0].token), .transaction(all[0]),
            .date(all[0].timestamp),
        ] {
            #expect(try numbers(in: fixture) { $0.start = position } == [2, 3], "\(position)")
        }
        #expect(try numbers(in: fixture) { $0.start = .date(.distantPast) } == [1, 2, 3])
        #expect(try numbers(in: fixture) { $0.start = .date(.distantFuture) } == [])
        #expect(try numbers(in: fixture) { $0.start = .token(all[2].token) } == [])
        #expect(try fixture.token() == all[2].token)
    }

    @Test func `a token of no transactions stands before the first (§10.4.8, §10.4.11)`() throws {
        let fixture = try HistoryFixture()
        let initial = try fixture.token()
        #expect(initial.transactionNumbers == [fixture.identifier: 0])
        try fixture.save("Team", "Reds")
        #expect(try numbers(in: fixture) { $0.start = .token(initial) } == [1])
        #expect(
            try numbers(in: fixture) {
                $0.transactionPredicate = try ObjectPredicate("token > %@", initial)
            } == [1])
    }

    @Test func `several stores share a token, and the last one is the place in all (§10.4.8)`()
        throws
    {
        let fixture = try HistoryFixture()
        var second = PersistentStoreDescription.sqlite(
            at: fixture.store.folder.url("second.sqlite"))
        second.tracksHistory = true
        let other = try fixture.coordinator.addPersistentStore(second)
        for (entity, store) in [
            ("Team", 0), ("Coach", 1), ("Badge", 0), ("Coach", 1), ("Coach", 1),
        ] {
            let identifier = fixture.coordinator.persistentStores[store].identifier
            try fixture.run { context in
                var request = BatchInsertRequest(entityName: entity, objects: [[:]])
                request.affectedStores = [identifier]
                try context.execute(request)
            }
        }
        let all = try fixture.history()
        #expect(all.map(\.storeID).filter { $0 == other.identifier }.count == 3)
        #expect(all.map(\.timestamp) == all.map(\.timestamp).sorted())
        #expect(
            all.last!.token.transactionNumbers == [fixture.identifier: 2, other.identifier: 3])
        #expect(try fixture.token() == all.last!.token)
        for (index, transaction) in all.enumerated() {
            #expect(
                try fixture.history(after: .token(transaction.token)) == Array(all[(index + 1)...]))
        }
        #expect(
            try numbers(in: fixture) { $0.affectedStores = [other.identifier] } == [1, 2, 3])
        let one = try fixture.coordinator.currentPersistentHistoryToken(from: [other])
        #expect(one.transactionNumbers == [other.identifier: 3])
        // A store that the token lacks is read from its beginning.
        #expect(
            try fixture.history(after: .token(one)).map(\.storeID)
                == [fixture.identifier, fixture.identifier])
    }

    @Test(arguments: [
        ("author == 'a'", [1]), ("author != 'a'", [2, 3]), ("author == nil", [3]),
        ("author IN {'a', 'b'} AND transactionNumber > 1", [2]), ("bundleID == 'nobody'", []),
        ("processID == nil OR contextName != nil", []), ("timestamp > %@", [1, 2, 3]),
    ])
    func `a predicate selects transactions (§10.4.9)`(_ format: String, _ expected: [Int64]) throws
    {
        let fixture = try makeStore()
        let found = try numbers(in: fixture) {
            $0.transactionPredicate =
                format.contains("%")
                ? try ObjectPredicate(format, Date.distantPast) : try ObjectPredicate(format)
        }
        #expect(found == expected)
    }

    @Test(arguments: [
        ("token == %@", [2]), ("token > %@", [3]), ("token >= %@", [2, 3]),
        ("token <= %@", [1, 2]),
    ])
    func `tokens are compared (§10.4.9)`(_ format: String, _ expected: [Int64]) throws {
        let fixture = try makeStore()
        let token = try fixture.history()[1].token
        let found = try numbers(in: fixture) {
            $0.transactionPredicate = try ObjectPredicate(format, token)
        }
        #expect(found == expected)
    }

    @Test func `a predicate selects changes (§10.4.9)`() throws {
        let fixture = try makeStore()
        let id = try fixture.save("Player", "Ada")
        try fixture.run { context in
            try context.object(with: id).setValue(1, forKey: "goals")
            try context.save()
        }
        func changes(_ predicate: ObjectPredicate) throws -> [String] {
            var request = PersistentHistoryRequest()
            request.changePredicate = predicate
            return try fixture.run { [request] in
                try $0.fetchHistoryChanges(request).map(\.text)
            }
        }
        // An entity does not stand for its subentities.
        #expect(try changes(ObjectPredicate("changedEntity == 'Player'")).count == 2)
        #expect(try changes(ObjectPredicate("changedEntity == 'Keeper'")).count == 3)
        #expect(
            try changes(ObjectPredicate("changedObjectID == %@", id))
                == ["insert Player", "update Player goals"])
        #expect(try changes(ObjectPredicate("changeType == 1")) == ["update Player goals"])
        #expect(
            try numbers(in: fixture) {
                $0.changePredicate = try ObjectPredicate("changeType == 1")
                $0.includesChanges = false
            } == [5])
    }

    @Test func `an unknown key is an error (§10.4.9)`() throws {
        let fixture = try makeStore()
        #expect(throws: FetchError.self) {
            try numbers(in: fixture) {
                $0.transactionPredicate = try ObjectPredicate("changeType == 1")
            }
        }
        #expect(throws: FetchError.self) {
            try numbers(in: fixture) { $0.changePredicate = try ObjectPredicate("author == 'a'") }
        }
    }

    @Test func `batches, counts and requests without changes (§10.4.10)`() throws {
        let fixture = try makeStore()
        for size in [0, 1, 2, 3, 100] {
            #expect(try numbers(in: fixture) { $0.fetchBatchSize = size } == [1, 2, 3])
        }
        var heads = PersistentHistoryRequest()
        heads.includesChanges = false
        try fixture.run { [heads] context in
            let found = try context.fetchHistory(heads)
            #expect(found.count == 3 && found.allSatisfy { $0.changes == nil })
            #expect(try context.countHistory() == 3)
            #expect(try context.fetchHistoryChanges().count == 6)
        }
    }

    @Test func `the body of an enumeration may save and delete (§10.4.10)`() throws {
        let fixture = try makeStore()
        var request = PersistentHistoryRequest()
        request.fetchBatchSize = 1
        try fixture.run { [request] context in
            var numbers: [Int64] = []
            try context.enumerateHistory(request) { transaction in
                numbers.append(transaction.transactionNumber)
                try context.deleteHistory(before: .transaction(transaction))
                guard numbers.count == 2 else { return }
                try context.insert("Team")
                try context.save()
            }
            #expect(numbers == [1, 2, 3, 4])
            #expect(try context.fetchHistory().map(\.transactionNumber) == [4])
        }
    }

    @Test func `tokens are equal everywhere, and can be encoded and combined (§10.4.11)`() throws {
        let fixture = try makeStore()
        let token = try fixture.token()
        #expect(try fixture.reopened().coordinator.currentPersistentHistoryToken() == token)
        let decoded = try JSONDecoder().decode(
            PersistentHistoryToken.self, from: JSONEncoder().encode(token))
        #expect(decoded == token && decoded.hashValue == token.hashValue)
        let first = try fixture.history()[0].token
        #expect(token.includes(first) && !first.includes(token) && token.includes(token))
        var both = first
        both.formUnion(token)
        #expect(both == token)
        let foreign = try HistoryFixture().token()
        #expect(!token.includes(foreign))
    }

    @Test func `deletion is strict, and numbers are not given again (§10.4.12)`() throws {
        let fixture = try makeStore()
        let all = try fixture.history()
        func delete(_ position: PersistentHistoryPosition) throws -> [Int64] {
            try fixture.run { context in
                try context.deleteHistory(before: position)
                return try context.fetchHistory().map(\.transactionNumber)
            }
        }
        #expect(try delete(.transaction(all[0])) == [1, 2, 3])
        #expect(try delete(.token(all[1].token)) == [2, 3])
        #expect(try delete(.date(all[2].timestamp)) == [3])
        #expect(try delete(.date(.distantFuture)) == [])
        #expect(try fixture.store.sql("SELECT count(*) FROM ACHANGE") == [["0"]])
        #expect(try fixture.token() == all[2].token)
        #expect(try numbers(in: fixture) { $0.start = .token(all[2].token) } == [])
        try fixture.save("Team", "Reds")
        let history = try fixture.history()
        #expect(history.map(\.transactionNumber) == [4] && history[0].changes![0].changeID == 7)
        #expect(try numbers(in: fixture) { $0.start = .token(all[2].token) } == [4])
    }

    @Test func `an expired place is an error with its code (§10.4.13)`() throws {
        let fixture = try HistoryFixture()
        let initial = try fixture.token()
        for name in ["a", "b", "c"] { try fixture.save("Team", name) }
        let all = try fixture.history()
        try fixture.run { try $0.deleteHistory(before: .transaction(all[2])) }
        for position in [
            PersistentHistoryPosition.token(initial), .token(all[0].token), .transaction(all[0]),
        ] {
            let error = #expect(throws: StoreError.self) { try fixture.history(after: position) }
            #expect(error?.code == 134301 && "\(error!)".contains("3 to 3"))
        }
        #expect(throws: StoreError.self) {
            try numbers(in: fixture) {
                $0.transactionPredicate = try ObjectPredicate("token > %@", all[0].token)
            }
        }
        #expect(try fixture.history(after: .token(all[1].token)).count == 1)
        // A store that was restored from a backup does not have what the token has seen.
        let ahead = PersistentHistoryToken([fixture.identifier: 9])
        let error = #expect(throws: StoreError.self) { try fixture.history(after: .token(ahead)) }
        #expect(error?.reason == .historyExpired(after: 9, oldest: 3, newest: 3))
        #expect(throws: StoreError.self) {
            try fixture.run { try $0.deleteHistory(before: .token(ahead)) }
        }
        #expect(try fixture.history().count == 1)
    }

    @Test func `a place of another store is an error that names it (§10.4.13)`() throws {
        let (fixture, other) = (try makeStore(), try makeStore())
        let foreign = try other.history()[1]
        for position in [
            PersistentHistoryPosition.token(foreign.token), .transaction(foreign),
        ] {
            let error = #expect(throws: StoreError.self) { try fixture.history(after: position) }
            #expect(error?.reason == .foreignHistory(stores: [other.identifier]))
            #expect(throws: StoreError.self) {
                try fixture.run { try $0.deleteHistory(before: position) }
            }
        }
        #expect(throws: StoreError.self) {
            try numbers(in: fixture) {
                $0.transactionPredicate = try ObjectPredicate("token > %@", foreign.token)
            }
        }
        #expect(try fixture.history().count == 3)
    }

    @Test func `a save posts its token (§10.4.14)`() throws {
        let fixture = try HistoryFixture()
        let tokens = Recorder<PersistentHistoryToken?>()
        let observation = fixture.context.observe {
            if case .didSave(let changes) = $0 { tokens.values.append(changes.historyToken) }
        }
        try fixture.save("Team", "Reds")
        try fixture.run { try $0.save() }
        withExtendedLifetime(observation) {}
        #expect(tokens.values == [try fixture.token(), nil])
    }

    @Test func `a transaction merges into contexts of another coordinator (§10.4.15)`() throws {
        let fixture = try HistoryFixture()
        let id = try fixture.save("Team", "Reds")
        let gone = try fixture.save("Team", "Greens")
        let view = try fixture.reopened()
        let start = try view.performAndWait {
            #expect(try view.object(with: id).value(forKey: "name") as? String == "Reds")
            _ = try view.object(with: gone).value(forKey: "name")
            return try view.coordinator.currentPersistentHistoryToken()
        }
        try fixture.run { context in
            try context.object(with: id).setValue("Blues", forKey: "name")
            context.delete(context.object(with: gone))
            try context.insert("Coach")
            try context.save()
        }
        let transactions = try view.performAndWait {
            try view.fetchHistory(PersistentHistoryRequest(after: .token(start)))
        }
        #expect(transactions.count == 1)
        let changes = transactions[0].objectChanges
        #expect(changes.updated == [id] && changes.deleted == [gone])
        #expect(changes.inserted.map(\.entityName) == ["Coach"])
        ManagedObjectContext.mergeChanges(changes, into: [view])
        try view.performAndWait {
            let name = try view.object(with: id).value(forKey: "name") as? String
            #expect(name == "Blues")
            #expect(view.registeredObject(for: gone)?.isDeleted ?? true)
            // Nothing lasts that nobody holds.
            #expect(!view.hasChanges || view.deletedObjects.count == 1)
        }
    }

    @Test func `without tracking a store with a history is only read (§10.4.16)`() throws {
        let fixture = try makeStore()
        let reader = try fixture.reopened { _ in }
        try reader.performAndWait {
            #expect(try reader.fetchHistory().count == 3)
            try reader.insert("Team")
            let error = #expect(throws: StoreError.self) { try reader.save() }
            #expect(error?.reason == .hasHistory && "\(error!)".contains("tracksHistory"))
            #expect(throws: StoreError.self) {
                try reader.deleteHistory(before: .date(.distantFuture))
            }
        }
        try fixture.run { try $0.deleteHistory(before: .date(.distantFuture)) }
        let writer = try fixture.reopened { _ in }
        try writer.performAndWait {
            try writer.insert("Team")
            try writer.save()
            #expect(try writer.fetchHistory().isEmpty)
        }
    }
}
