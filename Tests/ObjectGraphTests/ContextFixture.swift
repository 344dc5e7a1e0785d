import Foundation
import ObjectGraph
import TestSupport

/// The library on a SQLite file, with any number of coordinators.
final class ContextFixture: Sendable {
    let folder = TemporaryFolder()
    let coordinator: PersistentStoreCoordinator
    let store: PersistentStoreHandle

    var url: URL { folder.url("library.sqlite") }

    init(debug: DebugOptions = DebugOptions()) throws {
        coordinator = PersistentStoreCoordinator(model: try makeLibraryModel(), debug: debug)
        store = try coordinator.addPersistentStore(.sqlite(at: folder.url("library.sqlite")))
    }

    func context(_ policy: MergePolicy = .error) -> ManagedObjectContext {
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        context.performAndWait { context.mergePolicy = policy }
        return context
    }

    func child(of parent: ManagedObjectContext) -> ManagedObjectContext {
        ManagedObjectContext(.privateQueue, parent: parent)
    }

    /// Another coordinator on the same file.
    func otherCoordinator() throws -> PersistentStoreCoordinator {
        let other = PersistentStoreCoordinator(model: try makeLibraryModel())
        try other.addPersistentStore(.sqlite(at: url))
        return other
    }

    /// Saves an author and returns its identifier.
    @discardableResult
    func saveAuthor(_ name: String, birthYear: Int? = nil) throws -> ManagedObjectID {
        let context = context()
        return try context.performAndWait {
            let author = TestSupport.Author(context: context)
            author.name = name
            author.birthYear = birthYear
            try context.save()
            return author.objectID
        }
    }

    /// The stored names, read through a new coordinator.
    func storedAuthors() throws -> [String] {
        let context = ManagedObjectContext(.privateQueue, coordinator: try otherCoordinator())
        return try context.performAndWait {
            try TestSupport.Author.all(in: context, sortedBy: [.ascending("name")]).map(\.name)
        }
    }
}

extension ManagedObjectContext {
    func author(_ id: ManagedObjectID) -> TestSupport.Author {
        object(with: id) as! TestSupport.Author
    }
}

/// The recorded values, in order.
final class Recorder<Value: Sendable>: @unchecked Sendable {
    // @unchecked Sendable: tests record on one thread at a time.
    var values: [Value] = []
}

/// Carries an object to a queue where it must not be used.
struct ObjectBox: @unchecked Sendable {
    // @unchecked Sendable: the tests of forbidden use need it.
    let object: ManagedObject
}
