#if PostgreSQL
import Foundation
import TestSupport
import Testing

@testable import ObjectGraph
@testable import PostgreSQLStore

@Suite(.onServer) struct `A history in PostgreSQL (§10.4)` {
    let schema = TestSchema()
    let coordinator: PersistentStoreCoordinator
    let context: ManagedObjectContext

    init() throws {
        coordinator = try schema.coordinator(Self.model) { $0.tracksHistory = true }
        context = ManagedObjectContext(.privateQueue, coordinator: coordinator, name: "view")
        context.transactionAuthor = "test"
    }

    private static let model = try! ManagedObjectModel(entities: [
        EntityDescription(
            name: "Team",
            attributes: [
                AttributeDescription(
                    "name", .string, preservesValueInHistoryOnDeletion: true),
                AttributeDescription("founded", .date, preservesValueInHistoryOnDeletion: true),
                AttributeDescription("code", .integer64, preservesValueInHistoryOnDeletion: true),
                AttributeDescription("logo", .binaryData, preservesValueInHistoryOnDeletion: true),
                AttributeDescription("size", .double),
            ],
            relationships: [.toMany("players", "Player", inverse: "team", deleteRule: .cascade)]),
        EntityDescription(
            name: "Player", attributes: [AttributeDescription("name", .string)],
            relationships: [
                .toOne("team", "Team", inverse: "players"),
                .toMany("badges", "Badge", inverse: "players"),
            ]),
        EntityDescription(
            name: "Badge", attributes: [AttributeDescription("name", .string)],
            relationships: [.toMany("players", "Player", inverse: "badges")],
            uniquenessConstraints: [["name"]]),
    ])

    private func history(
        after position: PersistentHistoryPosition? = nil
    ) throws -> [PersistentHistoryTransaction] {
        try context.performAndWait {
            try context.fetchHistory(PersistentHistoryRequest(after: position))
        }
    }

    private func lastChanges() throws -> [String] {
        try history().last?.changes?.map { change in
            ([String(describing: change.changeType), change.changedObjectID.entityName]
                + (change.updatedProperties ?? []).sorted()).joined(separator: " ")
        }.sorted() ?? []
    }

    @Test func `a save is a transaction with its changes`() throws {
        try context.performAndWait {
            let team = try context.insert("Team", ["name": "a"])
            let player = try context.insert("Player", ["name": "b", "team": team])
            try context.save()
            #expect(try lastChanges() == ["insert Player", "insert Team"])
            let transaction = try #require(try history().last)
            #expect(transaction.author == "test" && transaction.contextName == "view")
            #expect(abs(transaction.timestamp.timeIntervalSinceNow) < 60)
            #expect(transaction.transactionNumber == 1)

            try player.setValue("c", forKey: "name")
            try player.setValue(
                Set([try context.insert("Badge", ["name": "gold"])]), forKey: "badges")
            try context.save()
            #expect(
                try lastChanges() == ["insert Badge", "update Player badges name"])
            #expect(try history(after: .transaction(transaction)).map(\.transactionNumber) == [2])
            #expect(
                try coordinator.currentPersistentHistoryToken().transactionNumbers.values.first
                    == 2)
        }
    }

    @Test func `a deletion keeps the values that are preserved`() throws {
        let founded = Date(timeIntervalSinceReferenceDate: 0.1)
        try context.performAndWait {
            let team = try context.insert(
                "Team",
                [
                    "name": "a\"'\\ä", "founded": founded, "code": Int64.min,
                    "logo": Data([0, 255, 16]), "size": 1.0,
                ])
            let empty = try context.insert("Team")
            try context.save()
            context.delete(team)
            context.delete(empty)
            try context.save()
            let changes = try #require(try history().last?.changes)
            #expect(changes.map(\.changeType) == [.delete, .delete])
            #expect(
                changes.first { $0.changedObjectID == team.objectID }?.tombstone == [
                    "name": .string("a\"'\\ä"), "founded": .date(founded), "code": .integer(.min),
                    "logo": .data(Data([0, 255, 16])),
                ])
            #expect(changes.first { $0.changedObjectID == empty.objectID }?.tombstone == [:])
        }
    }

    @Test func `a save that changes nothing or fails leaves no transaction`() throws {
        struct Refusal: Error {}
        let entity = Self.model.entity(named: "Badge")!
        let store = coordinator.postgreSQL
        let plan = SavePlan(rows: [.make(.insert, entity, key: 1, text: "a")])
        #expect(throws: Refusal.self) {
            try store.save(plan, from: ChangeOrigin()) { throw Refusal() }
        }
        let number = try store.save(
            SavePlan(rows: [.make(.delete, entity, key: 9, previous: 1)]), from: ChangeOrigin(),
            beforeCommit: nil)
        #expect(number == nil)
        #expect(try history().isEmpty)
        #expect(try store.save(plan, from: ChangeOrigin(), beforeCommit: nil) == 1)
    }

    @Test func `batch requests are transactions`() throws {
        try context.performAndWait {
            context.mergePolicy = .overwrite
            let names = (0..<5).map { ["name": AttributeValue.string("\($0)")] }
            try context.execute(BatchInsertRequest(entityName: "Team", objects: names))
            #expect(try lastChanges() == Array(repeating: "insert Team", count: 5))
            try context.execute(BatchInsertRequest(entityName: "Badge", objects: names))
            try context.execute(
                BatchInsertRequest(entityName: "Badge", objects: [["name": "1"], ["name": "x"]]))
            #expect(try lastChanges() == ["insert Badge", "update Badge name"])
            try context.execute(
                BatchUpdateRequest(
                    entityName: "Team", predicate: try ObjectPredicate("name < '2'"),
                    propertiesToUpdate: ["size": .constant(2.0)]))
            #expect(try lastChanges() == ["update Team size", "update Team size"])
            let team = try context.all("Team")[0]
            try context.insert("Player", ["team": team])
            try context.save()
            try context.execute(BatchDeleteRequest(objectIDs: [team.objectID]))
            #expect(try lastChanges() == ["delete Player", "delete Team"])
            #expect(try history().map(\.transactionNumber) == Array(1...6))
        }
    }

    @Test func `transactions are numbered in the order of their commits (§11.8.39)`() throws {
        let entity = Self.model.entity(named: "Badge")!
        let other = try schema.coordinator(Self.model) { $0.tracksHistory = true }
        let finished = DispatchSemaphore(value: 0)
        let store = other.postgreSQL
        let numbers = Counter()
        let second = SavePlan(rows: [.make(.insert, entity, key: 2, text: "b")])
        let first = try coordinator.postgreSQL.save(
            SavePlan(rows: [.make(.insert, entity, key: 1, text: "a")]), from: ChangeOrigin()
        ) {
            Thread.detachNewThread {
                if (try? store.save(second, from: ChangeOrigin(), beforeCommit: nil)) == 2 {
                    numbers.next()
                }
                finished.signal()
            }
            try schema.waitForWaiter(in: "atransactioncounter")
            #expect(try history().isEmpty)
        }
        finished.wait()
        #expect(first == 1 && numbers.value == 1)
        #expect(try history().map(\.transactionNumber) == [1, 2])
    }

    @Test func `what is deleted is missing, and its numbers are not given again`() throws {
        try context.performAndWait {
            for number in 0..<3 {
                try context.insert("Team", ["name": "\(number)"])
                try context.save()
            }
            let tokens = try history().map(\.token)
            try context.deleteHistory(before: .token(tokens[2]))
            #expect(try history().map(\.transactionNumber) == [3])
            let error = #expect(throws: StoreError.self) { try history(after: .token(tokens[0])) }
            #expect(error?.code == 134301)
            try context.deleteHistory(before: .date(.distantFuture))
            #expect(try schema.texts("SELECT count(*)::text FROM achange") == ["0"])
            try context.insert("Team")
            try context.save()
            #expect(try history().map(\.transactionNumber) == [4])
        }
    }

    @Test func `a history that is deleted while it is read skips nothing (§10.4.18)`() throws {
        let other = ManagedObjectContext(
            .privateQueue,
            coordinator: try schema.coordinator(Self.model) { $0.tracksHistory = true })
        try context.performAndWait {
            for number in 0..<7 {
                try context.insert("Team", ["name": "\(number)"])
                try context.save()
            }
            let all = try history()
            var request = PersistentHistoryRequest()
            request.fetchBatchSize = 2
            var seen: [Int64] = []
            let error = #expect(throws: StoreError.self) {
                try context.enumerateHistory(request) { transaction in
                    seen.append(transaction.transactionNumber)
                    guard seen.count == 1 else { return }
                    try other.performAndWait {
                        try other.deleteHistory(before: .transaction(all[5]))
                    }
                }
            }
            #expect(seen == [1, 2])
            #expect(error?.reason == .historyExpired(after: 2, oldest: 6, newest: 7))
        }
    }

    @Test func `a store with a history is not written without it`() throws {
        try context.performAndWait {
            try context.insert("Team")
            try context.save()
        }
        let reader = try schema.coordinator(Self.model)
        #expect(reader.postgreSQL.isReadOnly)
        let error = #expect(throws: StoreError.self) {
            try reader.postgreSQL.reserveKeys(1, root: Self.model.entities[0])
        }
        #expect(error?.reason == .hasHistory)
        let writer = try schema.coordinator(Self.model) { $0.writesWithoutHistory = true }
        _ = try writer.postgreSQL.reserveKeys(1, root: Self.model.entities[0])
    }
}
#endif
