import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// The library on a file with 20 authors born from 1900 on, each with two books and a magazine that
/// share three topics.
final class FetchFixture: Sendable {
    let folder = TemporaryFolder()
    let recorder = StatementRecorder()
    let coordinator: PersistentStoreCoordinator

    static let authorCount = 20

    init() throws {
        coordinator = PersistentStoreCoordinator(
            model: try makeLibraryModel(), debug: recorder.debug)
        try coordinator.addPersistentStore(.sqlite(at: folder.url("library.sqlite")))
        try fill()
    }

    private func fill() throws {
        let context = context()
        try context.performAndWait {
            let topics = ["art", "biology", "chess"].map { name in
                let topic = Topic(context: context)
                topic.name = name
                return topic
            }
            for number in 0..<Self.authorCount {
                let author = TestSupport.Author(context: context)
                author.name = "Author \(number)"
                author.birthYear = 1900 + number
                for part in 0..<3 {
                    let publication: Publication =
                        part < 2 ? Book(context: context) : Magazine(context: context)
                    publication.title = "Title \(number).\(part)"
                    publication.year = 1950 + number
                    publication.author = author
                    publication.topics = [topics[part], topics[number % 3]]
                }
            }
            try context.save()
        }
    }

    func context() -> ManagedObjectContext {
        ManagedObjectContext(.privateQueue, coordinator: coordinator)
    }

    /// A context with this number of ancestors.
    func context(depth: Int) -> ManagedObjectContext {
        (0..<depth).reduce(context()) { parent, _ in
            ManagedObjectContext(.privateQueue, parent: parent)
        }
    }

    /// The number of statements that the body runs.
    func statements(_ body: () throws -> Void) rethrows -> Int {
        let before = coordinator.counters.statements
        try body()
        return Int(coordinator.counters.statements - before)
    }

    /// Expects the body to run this number of statements.
    func expect(
        _ count: Int, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
    ) rethrows {
        let statements = try statements(body)
        #expect(statements == count, sourceLocation: sourceLocation)
    }

    /// Changes the file through another connection, unnoticed by the coordinators.
    func execute(_ sql: String) throws {
        let connection = try Connection(SQLiteConfiguration(path: folder.path("library.sqlite")))
        try connection.execute(sql)
        try connection.close()
    }

    static func authors(_ change: (inout FetchRequest) -> Void = { _ in }) -> FetchRequest {
        var request = FetchRequest(entityName: "Author", sortKeys: [.ascending("birthYear")])
        change(&request)
        return request
    }
}

extension ManagedObjectContext {
    func authors(
        _ change: (inout FetchRequest) -> Void = { _ in }
    ) throws -> FetchedObjects<TestSupport.Author> {
        try fetch(FetchFixture.authors(change))
    }

    func author(bornIn year: Int) throws -> TestSupport.Author {
        let found: FetchedObjects<TestSupport.Author> = try fetch(
            FetchRequest(
                entityName: "Author", predicate: try ObjectPredicate("birthYear == %@", year)))
        return found[0]
    }
}
