import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `History of batch requests (§10.4)` {
    @Test func `a batch insert is one transaction with each row (§10.4.6)`() throws {
        let fixture = try HistoryFixture()
        let result = try fixture.run { context in
            context.transactionAuthor = "import"
            return try context.execute(
                BatchInsertRequest(
                    entityName: "Keeper",
                    objects: (0..<200).map { ["goals": .integer($0)] }), resultType: .objectIDs)
        }
        let history = try fixture.history()
        #expect(history.count == 1 && history[0].author == "import")
        #expect(history[0].changes!.map(\.changedObjectID) == result.changes.inserted)
        #expect(history[0].changes!.allSatisfy { $0.changeType == .insert })
        #expect(result.changes.historyToken == history[0].token)
    }

    @Test func `an upsert records what it inserts and what it updates (§10.4.6)`() throws {
        let fixture = try HistoryFixture()
        try fixture.save("Badge", "gold")
        for (kind, expected) in [
            (MergePolicy.Kind.mergeByPropertyObjectTrump, ["update Badge name", "insert Badge"]),
            (.mergeByPropertyStoreTrump, ["insert Badge"]),
        ] {
            try fixture.run { context in
                context.mergePolicy = MergePolicy(kind)
                let names = ["gold", "new \(kind)", "new \(kind)"]
                try context.execute(
                    BatchInsertRequest(
                        entityName: "Badge", objects: names.map { ["name": .string($0)] }))
            }
            let changes = try fixture.lastChanges()
            #expect(changes.filter { $0.hasPrefix("insert") } == ["insert Badge"])
            #expect(changes.first == expected.first)
        }
    }

    @Test(arguments: [BatchResultType.count, .objectIDs])
    func `a batch update records the rows that match (§10.4.6)`(_ type: BatchResultType) throws {
        let fixture = try HistoryFixture()
        for entity in ["Player", "Keeper", "Player"] { try fixture.save(entity, entity) }
        let request = BatchUpdateRequest(
            entityName: "Player", predicate: try ObjectPredicate("name != 'Keeper'"),
            propertiesToUpdate: ["goals": .constant(5), "name": .constant("x")])
        let result = try fixture.run { try $0.execute(request, resultType: type) }
        #expect(result.count == 2)
        #expect(
            try fixture.lastChanges() == ["update Player goals name", "update Player goals name"])
        // No row matches any more.
        try fixture.run { context in
            var none = request
            none.predicate = try ObjectPredicate("name == 'nobody'")
            try context.execute(none)
        }
        #expect(try fixture.history().count == 4)
    }

    @Test func `a batch delete records cascades, nullified ends and lost pairs (§10.4.6)`() throws {
        let fixture = try HistoryFixture()
        try fixture.run { context in
            let team = try context.insert("Team", ["name": "Reds", "code": 1])
            let coach = try context.insert("Coach")
            let badge = try context.insert("Badge")
            try context.insert(
                "Player", ["team": team, "coach": coach, "badges": Set<ManagedObject>([badge])])
            try context.insert("Keeper", ["team": team])
            try context.save()
            try context.execute(
                BatchDeleteRequest(fetchRequest: FetchRequest(entityName: "Team")))
        }
        let changes = try fixture.lastChanges()
        #expect(
            changes.filter { $0.hasPrefix("delete") }.sorted()
                == ["delete Keeper", "delete Player", "delete Team"])
        #expect(changes.contains("update Badge players"))
        let tombstones = try fixture.history().last!.changes!.compactMap(\.tombstone)
        #expect(tombstones == [["name": "Reds", "code": 1]])

        try fixture.run { context in
            let coach = try context.insert("Coach")
            try context.insert("Player", ["coach": coach])
            try context.save()
            try context.execute(
                BatchDeleteRequest(fetchRequest: FetchRequest(entityName: "Coach")))
        }
        let nullified = try fixture.lastChanges().sorted()
        #expect(nullified == ["delete Coach", "delete Coach", "update Player coach"])
    }

    @Test func `a batch request that fails leaves no history (§10.4.7)`() throws {
        let fixture = try HistoryFixture()
        try fixture.save("Badge", "gold")
        fixture.run { context in
            _ = #expect(throws: StoreError.self) {
                try context.execute(
                    BatchInsertRequest(
                        entityName: "Badge", objects: [["name": "new"], ["name": "gold"]]))
            }
        }
        #expect(try fixture.history().count == 1)
        try fixture.save("Badge", "silver")
        #expect(try fixture.history().map { $0.changes!.map(\.changeID) } == [[1], [2]])
    }
}
