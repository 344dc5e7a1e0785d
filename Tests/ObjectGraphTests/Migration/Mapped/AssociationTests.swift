import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// Which objects were made of which: random associations against a list.
@Suite struct `Associations of a migration` {
    private struct Made: Hashable {
        let plan: Int
        let source: Int64
        let destination: Int64
    }

    @Test func `runs and single associations are found from both sides (§9.3.8)`() throws {
        let random = SeededGenerator.fromEnvironment()
        let seed = random.seed
        let fixture = MigrationFixture()
        let item = fixture.entity("Item", [AttributeDescription("number", .integer64)])
        let coordinator = PersistentStoreCoordinator(
            model: try ManagedObjectModel(entities: [item]))
        try coordinator.addPersistentStore(.sqlite(at: fixture.url))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait { [random] in
            var random = random
            let associations = try Associations(path: fixture.folder.url("pairs").path, vfs: nil)
            var made: [Made] = []
            for plan in 0..<2 {
                var source: Int64 = 0
                for _ in 0..<Int.random(in: 1...6, using: &random) {
                    var pending: [(source: Int64, object: ManagedObject)] = []
                    for _ in 0..<Int.random(in: 1...40, using: &random) {
                        source += Int.random(in: 0..<10, using: &random) == 0 ? 2 : 1
                        let count = [0, 1, 1, 1, 1, 1, 1, 2, 3].randomElement(using: &random)!
                        for _ in 0..<count {
                            let object = try context.insertObject(entityName: "Item")
                            associations.add(
                                Association(
                                    plan: plan, source: source, destination: object, isAlone: true))
                            pending.append((source, object))
                        }
                        // Pending ones are found before they are written.
                        let found = try associations.destinations(of: source, plan: plan)
                        #expect(found.count == count, "TEST_SEED=\(seed)")
                    }
                    try context.save()
                    try associations.flush()
                    made += pending.map {
                        Made(plan: plan, source: $0.source, destination: $0.object.reference)
                    }
                    context.reset()
                }
            }
            for association in made {
                let expected = made.filter {
                    $0.plan == association.plan && $0.source == association.source
                }.map(\.destination)
                let found = try associations.destinations(
                    of: association.source, plan: association.plan
                ).map { found -> Int64 in
                    if case .stored(let key) = found { key.key } else { -1 }
                }
                #expect(found == expected, "TEST_SEED=\(seed)")
                let object = context.object(
                    association.destination, entityIndex: 0, storeNumber: 1)
                #expect(
                    try associations.sources(of: object, plan: association.plan)
                        == [association.source], "TEST_SEED=\(seed)")
                #expect(
                    try associations.sources(of: object, plan: 1 - association.plan).isEmpty,
                    "TEST_SEED=\(seed)")
            }
            for plan in 0..<2 {
                var found: Set<Made> = []
                try associations.forEachChunk(of: plan, size: 7) { pairs in
                    for pair in pairs {
                        found.insert(
                            Made(
                                plan: plan, source: pair.source, destination: pair.destination.key))
                    }
                }
                #expect(found == Set(made.filter { $0.plan == plan }), "TEST_SEED=\(seed)")
            }
            try associations.close()
        }
    }
}
