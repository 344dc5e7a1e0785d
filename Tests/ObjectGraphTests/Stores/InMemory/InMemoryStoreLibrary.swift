import Foundation
import ObjectGraph

final class Writer: ManagedObject {
    static let name = Attribute<String?>("name")
    static let works = ToMany<Work>("works")
}

class Work: ManagedObject {
    static let title = Attribute<String>("title")
    static let pages = Attribute<Int?>("pages")
    static let writer = ToOne<Writer>("writer")
    static let subjects = ToMany<Subject>("subjects")
}

final class Play: Work {
    static let acts = Attribute<Int>("acts")
}

final class Subject: ManagedObject {
    static let name = Attribute<String>("name")
    static let works = ToMany<Work>("works")
}

/// A coordinator on an in-memory store, with a few works:
///
/// - Emma (474 pages) and Persuasion (no pages) by Austen, the play Hamlet (342, 5 acts) by
///   Shakespeare, and Beowulf (120) without an author.
/// - Emma and Hamlet are about love, Hamlet and Beowulf about death.
struct InMemoryStoreLibrary {
    let coordinator: PersistentStoreCoordinator

    init() throws {
        coordinator = try Self.emptyCoordinator()
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            let austen = Writer(context: context)
            austen[Writer.name] = "Austen"
            let shakespeare = Writer(context: context)
            shakespeare[Writer.name] = "Shakespeare"
            let love = Subject(context: context)
            love[Subject.name] = "love"
            let death = Subject(context: context)
            death[Subject.name] = "death"
            func add(_ work: Work, _ title: String, _ pages: Int?, _ writer: Writer?) -> Work {
                work[Work.title] = title
                work[Work.pages] = pages
                work[Work.writer] = writer
                return work
            }
            let emma = add(Work(context: context), "Emma", 474, austen)
            emma[Work.subjects] = [love]
            _ = add(Work(context: context), "Persuasion", nil, austen)
            let play = Play(context: context)
            play[Play.acts] = 5
            add(play, "Hamlet", 342, shakespeare)[Work.subjects] = [love, death]
            add(Work(context: context), "Beowulf", 120, nil)[Work.subjects] = [death]
            try context.save()
        }
    }

    static func emptyCoordinator() throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(
            model: try ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Writer", managedObjectClass: Writer.self,
                    attributes: [AttributeDescription("name", .string)],
                    relationships: [.toMany("works", "Work", inverse: "writer")],
                    uniquenessConstraints: [["name"]]),
                EntityDescription(
                    name: "Work", managedObjectClass: Work.self,
                    attributes: [
                        AttributeDescription("title", .string, isOptional: false),
                        AttributeDescription("pages", .integer32),
                        AttributeDescription("draft", .string, isTransient: true),
                    ],
                    relationships: [
                        .toOne("writer", "Writer", inverse: "works"),
                        .toMany("subjects", "Subject", inverse: "works"),
                    ]),
                EntityDescription(
                    name: "Play", managedObjectClass: Play.self, superentity: "Work",
                    attributes: [AttributeDescription("acts", .integer16)]),
                EntityDescription(
                    name: "Subject", managedObjectClass: Subject.self,
                    attributes: [AttributeDescription("name", .string)],
                    relationships: [.toMany("works", "Work", inverse: "subjects")]),
            ]))
        try coordinator.addPersistentStore(.inMemory())
        return coordinator
    }

    /// A context without registered objects.
    func newContext() -> ManagedObjectContext {
        ManagedObjectContext(.privateQueue, coordinator: coordinator)
    }

    /// The titles of the works that a new context fetches.
    func titles(
        _ predicate: ObjectPredicate? = nil, _ sortKeys: [SortKey] = [.ascending("title")],
        entity: String = "Work", _ change: (inout FetchRequest) -> Void = { _ in }
    ) throws -> [String] {
        var request = FetchRequest(entityName: entity, predicate: predicate, sortKeys: sortKeys)
        change(&request)
        let final = request
        let context = newContext()
        return try context.performAndWait {
            try context.fetch(final, as: Work.self).map { $0[Work.title] }
        }
    }

    func dictionaries(_ request: FetchRequest) throws -> [[String: AttributeValue]] {
        let context = newContext()
        return try context.performAndWait { try context.fetchDictionaries(request) }
    }
}

extension ManagedObjectContext {
    /// The work with this title; on the context's queue.
    func work(_ title: String) throws -> Work {
        let request = FetchRequest(
            entityName: "Work", predicate: try ObjectPredicate("title == %@", title))
        return try fetch(request, as: Work.self).first!
    }
}
