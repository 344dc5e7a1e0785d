import TestSupport
import Testing

@testable import ObjectGraph

/// Things are unique by code and by place.
@Suite struct `Unique values that change hands (§5.5)` {
    private func makeStore(inMemory: Bool = false) throws -> StoreFixture {
        try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Thing",
                    attributes: [
                        AttributeDescription("code", .string),
                        AttributeDescription("place", .integer32),
                    ], uniquenessConstraints: [["code"], ["place"]])
            ]), inMemory: inMemory)
    }

    private func storedThings(_ store: StoreFixture) throws -> [[String?]] {
        try store.sql("SELECT ZCODE, ZPLACE FROM ZTHING ORDER BY Z_PK")
    }

    @Test(arguments: MergePolicy.Kind.allCases)
    func `an index that is none of the model's is no policy's to settle`(
        _ kind: MergePolicy.Kind
    ) throws {
        let store = try makeStore()
        try store.run { context in
            context.mergePolicy = MergePolicy(kind)
            try context.insert("Thing", ["code": "a"])
            try context.save()
            let connection = try Connection(
                SQLiteConfiguration(path: store.folder.path("store.sqlite"), mode: .readWrite))
            try connection.execute("CREATE UNIQUE INDEX own ON ZTHING (lower(ZCODE))")
            try connection.close()
            let upper = try context.insert("Thing", ["code": "A"])
            let other = try context.insert("Thing", ["code": "b"])

            let error = #expect(throws: StoreError.self) { try context.save() }

            #expect(error?.reason == .uniquenessViolated)
            #expect(context.insertedObjects == [upper, other])
            #expect(try storedThings(store) == [["a", nil]])
        }
    }

    @Test(arguments: MergePolicy.Kind.allCases)
    func `two objects swap their values, whatever the policy`(_ kind: MergePolicy.Kind) throws {
        for inMemory in [false, true] {
            let store = try makeStore(inMemory: inMemory)
            try store.run { context in
                context.mergePolicy = MergePolicy(kind)
                let things = try ["a", "b"].map { try context.insert("Thing", ["code": $0]) }
                try context.save()
                try things[0].setValue("b", forKey: "code")
                try things[1].setValue("a", forKey: "code")
                try context.save()
                #expect(!context.hasChanges)
            }
            let reader = store.makeContext()
            try reader.performAndWait {
                let things = try reader.all("Thing").sorted {
                    $0.objectID.reference < $1.objectID.reference
                }
                let codes = try things.map { try $0.value(forKey: "code") as? String }
                #expect(codes == ["b", "a"])
            }
        }
    }

    @Test func `values go round, and a new object takes one that is given up`() throws {
        let store = try makeStore()
        try store.run { context in
            let things = try (0..<3).map { number in
                try context.insert("Thing", ["code": "\(number)", "place": number])
            }
            try context.save()
            for (number, thing) in things.enumerated() {
                try thing.setValue("\(number + 1)", forKey: "code")
                try thing.setValue((number + 2) % 3, forKey: "place")
            }
            try context.insert("Thing", ["code": "0", "place": 3])
            try context.save()
        }
        #expect(try storedThings(store) == [["1", "2"], ["2", "0"], ["3", "1"], ["0", "3"]])
    }

    @Test func `a swap beside a conflict is no part of it (§5.5.1)`() throws {
        let store = try makeStore()
        try store.run { context in
            let things = try ["a", "b", "c"].map { try context.insert("Thing", ["code": $0]) }
            try context.save()
            try things[0].setValue("b", forKey: "code")
            try things[1].setValue("a", forKey: "code")
            let duplicate = try context.insert("Thing", ["code": "c"])
            let error = #expect(throws: SaveError.self) { try context.save() }
            guard case .constraintConflicts(let conflicts)? = error else { return }
            #expect(conflicts.map(\.values) == [[.string("c")]])
            #expect(conflicts.map(\.databaseObjectID) == [things[2].objectID])
            #expect(conflicts.map(\.conflictingObjectIDs) == [[duplicate.objectID]])
        }
        #expect(try storedThings(store).map(\.first) == ["a", "b", "c"])
    }

    @Test func `an object that gives a value up is not the one that has it (§5.5.2)`() throws {
        let store = try makeStore()
        try store.run { context in
            let things = try ["a", "b"].map { try context.insert("Thing", ["code": $0]) }
            try context.save()
            try things[1].setValue("z", forKey: "code")
            try things[0].setValue("b", forKey: "code")
            let duplicate = try context.insert("Thing", ["code": "b"])
            let error = #expect(throws: SaveError.self) { try context.save() }
            guard case .constraintConflicts(let conflicts)? = error else { return }
            #expect(conflicts.map(\.databaseObjectID) == [nil])
            #expect(
                conflicts.map(\.conflictingObjectIDs) == [[things[0].objectID, duplicate.objectID]])
            context.mergePolicy = .overwrite
            try context.save()
            #expect(duplicate.managedObjectContext == nil)
        }
        #expect(try storedThings(store).map(\.first) == ["b", "z"])
    }

    /// The new object takes over the stored `b`, whose code is then free.
    @Test func `what one conflict has settled is no conflict any more (§5.5.6, §5.5.9)`() throws {
        let store = try makeStore()
        try store.run { context in
            context.mergePolicy = .mergeByPropertyObjectTrump
            let thing = try context.insert("Thing", ["code": "a", "place": 0])
            try context.insert("Thing", ["code": "b", "place": 2])
            try context.save()
            try thing.setValue("b", forKey: "code")
            try context.insert("Thing", ["code": "n", "place": 2])
            try context.save()
        }
        #expect(try storedThings(store) == [["b", "0"], ["n", "2"]])
    }
}
