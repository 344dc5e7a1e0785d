import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// A library of 20 authors with a context to be pinned and one that writes.
struct GenerationFixture: Sendable {
    let library: FetchFixture
    let view: ManagedObjectContext
    let writer: ManagedObjectContext

    init() throws {
        library = try FetchFixture()
        view = library.context()
        writer = library.context()
    }

    /// Pins the view to the newest generation and reads, so that the generation is fixed.
    func pin() throws {
        try view.performAndWait {
            try view.setQueryGeneration(from: .current)
            _ = try view.count(for: FetchRequest(entityName: "Author"))
        }
    }

    /// Changes, deletes and inserts something of each entity.
    func write() throws {
        try writer.performAndWait {
            writer.refreshAllObjects()
            let authors = try TestSupport.Author.all(in: writer, sortedBy: [.ascending("name")])
            authors[0].name = "A new name"
            authors[1].publications.first?.title = "A new title"
            authors[1].publications.first?.topics = []
            authors[2].publications = authors[3].publications
            writer.delete(authors[4])
            let new = TestSupport.Author(context: writer)
            new.name = "Another author"
            let book = Book(context: writer)
            book.title = "Another title"
            book.author = new
            try writer.save()
        }
    }

    /// Another coordinator on the same file.
    func otherCoordinator() throws -> PersistentStoreCoordinator {
        let other = PersistentStoreCoordinator(model: try makeLibraryModel())
        try other.addPersistentStore(.sqlite(at: library.folder.url("library.sqlite")))
        return other
    }

    func names(_ context: ManagedObjectContext) throws -> [String] {
        try context.performAndWait {
            try TestSupport.Author.all(in: context, sortedBy: [.ascending("name")]).map(\.name)
        }
    }

    /// Copies the WAL into the file and empties it, which fails while something reads an earlier
    /// state.
    func truncateWAL() throws {
        var configuration = SQLiteConfiguration(
            path: library.folder.path("library.sqlite"), mode: .readWrite)
        configuration.busyTimeout = .zero
        let connection = try Connection(configuration)
        try connection.checkpoint(.truncate)
        try connection.close()
    }
}

/// The ways to read.
enum KindOfRead: CaseIterable, Sendable {
    case objects, faults, identifiers, keys, count, dictionaries, batches, faultsByIdentifier
    case existingObjects, members, sharedMembers, prefetched, subquery

    /// A description of all that is read.
    func callAsFunction(_ context: ManagedObjectContext) throws -> [String] {
        try context.performAndWait {
            var request = FetchRequest(
                entityName: "Author", sortKeys: [.ascending("birthYear"), .ascending("name")])
            switch self {
            case .objects:
                request.returnsObjectsAsFaults = false
                return try names(context, request)
            case .faults: return try names(context, request)
            case .identifiers:
                return try context.fetchObjectIDs(request).map(\.description)
            case .keys:
                request.includesPropertyValues = false
                return try names(context, request)
            case .count:
                request.predicate = try ObjectPredicate("name BEGINSWITH 'Author'")
                let others = try context.count(for: request)
                request.predicate = nil
                return ["\(others) \(try context.count(for: request))"]
            case .dictionaries:
                request.propertiesToFetch = ["name", "birthYear"]
                return try context.fetchDictionaries(request).map { "\($0["name"] ?? .null)" }
            case .batches:
                request.fetchBatchSize = 3
                return try names(context, request)
            case .faultsByIdentifier:
                let ids = try context.fetchObjectIDs(request)
                context.refreshAllObjects()
                return ids.map { context.author($0).name }
            case .existingObjects:
                return try context.fetchObjectIDs(request).map {
                    (try context.existingObject(with: $0) as! TestSupport.Author).name
                }
            case .members: return try titles(context, request)
            case .sharedMembers:
                return try Topic.all(in: context, sortedBy: [.ascending("name")]).map {
                    $0.publications.map(\.title).sorted().joined(separator: ", ")
                }
            case .prefetched:
                request.relationshipKeyPathsForPrefetching = ["publications.topics"]
                return try titles(context, request)
            case .subquery:
                request.predicate = try ObjectPredicate("ANY publications.title BEGINSWITH 'A'")
                return try names(context, request)
            }
        }
    }

    private func names(
        _ context: ManagedObjectContext, _ request: FetchRequest
    ) throws -> [String] {
        try context.fetch(request, as: TestSupport.Author.self).map(\.name)
    }

    private func titles(
        _ context: ManagedObjectContext, _ request: FetchRequest
    ) throws -> [String] {
        try context.fetch(request, as: TestSupport.Author.self).map { author in
            author.publications.map { publication in
                "\(publication.title) \(publication.topics.map(\.name).sorted())"
            }.sorted().joined(separator: ", ")
        }
    }
}
