#if PostgreSQL
import TestSupport
import Testing

@testable import ObjectGraph
@testable import PostgreSQLStore

@Suite(.onServer) struct `Round trips of a save` {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Thing",
                attributes: [
                    AttributeDescription("name", .string), AttributeDescription("size", .double),
                    AttributeDescription("count", .integer32),
                ],
                relationships: [
                    .toMany("tags", "Tag", inverse: "things"),
                    .toMany("ranking", "Tag", inverse: "rankings", isOrdered: true),
                    .toOne("owner", "Thing", inverse: "parts"),
                    .toMany("parts", "Thing", inverse: "owner", isOrdered: true),
                ]),
            EntityDescription(
                name: "Part", superentity: "Thing",
                attributes: [AttributeDescription("note", .binaryData)]),
            EntityDescription(
                name: "Tag", attributes: [AttributeDescription("label", .string)],
                relationships: [
                    .toMany("things", "Thing", inverse: "tags"),
                    .toMany("rankings", "Thing", inverse: "ranking"),
                ], uniquenessConstraints: [["label"]]),
        ])
    }

    @Test(arguments: [1, 10, 10_000])
    func `two, whatever is saved and however many (§11.8.28)`(count: Int) throws {
        let fixture = WritingFixture(try Self.model())
        let context = try fixture.context()
        let store = context.coordinator.postgreSQL
        try context.performAndWait {
            var things: [ManagedObject] = []
            let tags = try (0..<3).map { try context.insert("Tag", ["label": "tag \($0)"]) }
            for number in 0..<count {
                let thing = try context.insert(
                    number % 3 == 0 ? "Part" : "Thing", ["name": "thing \(number)"])
                try thing.setValue(Set([tags[number % 3]]), forKey: "tags")
                try thing.setValue([tags[2], tags[0]], forKey: "ranking")
                if number > 0 { try thing.setValue(things[number / 2], forKey: "owner") }
                things.append(thing)
            }
            try context.obtainPermanentIDs(for: things + tags)
            store.resetStatistics()
            try context.save()
            #expect(store.statistics.roundTrips == 2)

            // Updates of several shapes, deletions, pairs added and removed, orders.
            for (number, thing) in things.enumerated() {
                switch number % 4 {
                case 0: try thing.setValue("new \(number)", forKey: "name")
                case 1: try thing.setValue(1.5, forKey: "size")
                case 2:
                    try thing.setValue(number, forKey: "count")
                    try thing.setValue([tags[0], tags[1], tags[2]], forKey: "ranking")
                default: try thing.setValue(Set([tags[0], tags[2]]), forKey: "tags")
                }
            }
            if count > 5 { context.delete(things[count - 1]) }
            context.detectConflicts(for: tags[1])
            // What a deletion reads is not of the save.
            context.processPendingChanges()
            store.resetStatistics()
            try context.save()
            #expect(store.statistics.roundTrips == 2)
        }
        #expect(
            try fixture.schema.texts("SELECT count(*) FROM zthing") == [
                "\(count > 5 ? count - 1 : count)"
            ]
        )
    }
}

@Suite(.onServer) struct `Round trips of deletions and conflicts` {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Owner", attributes: [AttributeDescription("name", .string)],
                relationships: [
                    .toMany("members", "Member", inverse: "owner", deleteRule: .cascade)
                ]),
            EntityDescription(
                name: "Member", attributes: [AttributeDescription("name", .string)],
                relationships: [
                    .toOne("owner", "Owner", inverse: "members"),
                    .toMany("tags", "Tag", inverse: "members"),
                ]),
            EntityDescription(
                name: "Tag", relationships: [.toMany("members", "Member", inverse: "tags")]),
        ])
    }

    /// A store of owners with five members each, which have one tag.
    private func fill(ownerCount: Int) throws -> WritingFixture {
        let fixture = WritingFixture(try Self.model())
        try fixture.run { context in
            let tag = try context.insert("Tag")
            for _ in 0..<ownerCount {
                let owner = try context.insert("Owner", ["name": "old"])
                for _ in 0..<5 {
                    try context.insert(
                        "Member", ["name": "old", "owner": owner, "tags": Set([tag])])
                }
            }
            try context.save()
        }
        return fixture
    }

    @Test(arguments: [10, 1000])
    func `a cascade is four, however many are deleted`(ownerCount: Int) throws {
        let fixture = try fill(ownerCount: ownerCount)
        let context = try fixture.context()
        let store = context.coordinator.postgreSQL
        try context.performAndWait {
            let owners = try context.all("Owner")
            store.resetStatistics()
            for owner in owners { context.delete(owner) }
            try context.save()
            #expect(store.statistics.roundTrips == 4)
        }
        #expect(try fixture.schema.texts("SELECT count(*) FROM zmember") == ["0"])
    }

    @Test(arguments: [10, 1000])
    func `a conflict is five, however many rows are in it`(ownerCount: Int) throws {
        let fixture = try fill(ownerCount: ownerCount)
        let context = try fixture.context()
        let store = context.coordinator.postgreSQL
        try context.performAndWait {
            context.mergePolicy = .mergeByPropertyObjectTrump
            for owner in try context.all("Owner") { try owner.setValue("mine", forKey: "name") }
            try fixture.run { other in
                for owner in try other.all("Owner") { try owner.setValue("theirs", forKey: "name") }
                try other.save()
            }
            store.resetStatistics()
            try context.save()
            #expect(store.statistics.roundTrips == 5)
        }
        #expect(
            try fixture.schema.texts("SELECT count(*) FROM zowner WHERE zname = 'mine'")
                == ["\(ownerCount)"])
    }
}
#endif
