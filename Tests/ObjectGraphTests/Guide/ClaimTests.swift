import Foundation
import ObjectGraph
import TestSupport
import Testing

/// Something that the engine cannot do, and a word by which the error names it.
struct EngineLimit: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let word: String
    let attempt: @Sendable (ManagedObjectContext) throws -> Void

    init(
        _ description: String, _ word: String,
        _ attempt: @escaping @Sendable (ManagedObjectContext) throws -> Void
    ) {
        testDescription = description
        self.word = word
        self.attempt = attempt
    }

    /// Fetches authors by a predicate.
    static func predicate(_ format: String, _ word: String) -> EngineLimit {
        EngineLimit("the predicate \(format)", word) { context in
            let request = FetchRequest(
                entityName: "Author", predicate: try ObjectPredicate(format))
            _ = try context.fetch(request, as: ManagedObject.self)
        }
    }

    static let all = [
        predicate("random() < 1", "random"), predicate("median:({1, birthYear}) == 1", "median:"),
        predicate("publications[birthYear] == nil", "index"),
        predicate("publications.title == 'x'", "publications.title"),
        predicate("ANY publications.topics.name == 'x'", "publications.topics.name"),
        predicate("birthYear == 'x'", "birthYear"), predicate("shoeSize == 1", "shoeSize"),
        predicate("distanceToLocation:fromLocation:(name, name) == 1", "distanceToLocation"),
        predicate("name soundsLike 'x'", "soundsLike"), predicate("$name == name", "$name"),
        predicate("SELF isKindOfClass: 'Ship'", "Ship"),
        EngineLimit("a block in SQL", "block") { context in
            let block = ObjectPredicate.block(PredicateBlock { _ in true })
            _ = try context.count(for: FetchRequest(entityName: "Author", predicate: block))
        },
        EngineLimit("a sort key with many values", "publications.@count") { context in
            let request = FetchRequest(
                entityName: "Author", sortKeys: [.ascending("publications.@count")])
            _ = try context.fetchObjectIDs(request)
        },
        EngineLimit("a batch update to values of a relationship", "publications") { context in
            _ = try context.execute(
                BatchUpdateRequest(
                    entityName: "Author",
                    propertiesToUpdate: ["birthYear": .keyPath("publications.@count")]))
        },
        EngineLimit("a batch request in memory", "batch delete") { context in
            let coordinator = PersistentStoreCoordinator(model: context.coordinator.model)
            try coordinator.addPersistentStore(.inMemory())
            let other = ManagedObjectContext(.privateQueue, coordinator: coordinator)
            try other.performAndWait {
                _ = try other.execute(
                    BatchDeleteRequest(fetchRequest: FetchRequest(entityName: "Author")))
            }
        },
        EngineLimit("a store of another model", "model") { context in
            let model = try ManagedObjectModel(entities: [EntityDescription(name: "Ship")])
            let file = try #require(context.coordinator.persistentStores.first?.url)
            try PersistentStoreCoordinator(model: model).addPersistentStore(.sqlite(at: file))
        },
        EngineLimit("a transformer of a text", "transformer") { _ in
            _ = try ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Ship",
                    attributes: [
                        AttributeDescription("cargo", .string, transformer: .codable(String.self))
                    ])
            ])
        },
    ]
}

@Suite struct `Whatever cannot be done` {
    let fixture: ContextFixture

    init() throws { fixture = try ContextFixture() }

    @Test(arguments: EngineLimit.all)
    func `throws an error that names it`(limit: EngineLimit) throws {
        let context = fixture.context()
        let error = try #require(throws: (any Error).self) {
            try context.performAndWait { try limit.attempt(context) }
        }
        #expect("\(error)".localizedCaseInsensitiveContains(limit.word), "\(error)")
    }
}
