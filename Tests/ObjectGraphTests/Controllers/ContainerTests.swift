import Foundation
import ObjectGraph
import TestSupport
import Testing

@Suite struct `PersistentContainer (§11.2)` {
    let folder = TemporaryFolder()

    private func container() throws -> PersistentContainer {
        PersistentContainer(
            name: "Library", model: try makeLibraryModel(), folder: folder.url("data"))
    }

    @Test func `the store lies in the folder under the container's name (§11.2.2)`() throws {
        let container = try container()
        try container.loadPersistentStores()
        #expect(
            FileManager.default.fileExists(
                atPath: folder.url("data").appending(path: "Library.sqlite").path))
    }

    @Test func `a store that fails does not keep others from being loaded (§11.2.2)`() throws {
        let container = try container()
        var missing = PersistentStoreDescription.sqlite(at: folder.url("missing.sqlite"))
        missing.isReadOnly = true
        container.persistentStoreDescriptions = [missing, .inMemory()]
        let error = try #require(throws: StoreLoadingError.self) {
            try container.loadPersistentStores()
        }
        let failures = error.failures
        #expect(failures.count == 1 && failures[0].store.url == missing.url)
        #expect((failures[0].error as? StoreError)?.reason == .missingFile)
        #expect(error.code == 260)
        #expect(error.localizedDescription == "\(failures[0].error)")
        #expect(container.coordinator.persistentStores.count == 1)
    }

    @Test func `the view is on the main queue and its siblings on their own (§11.2.3)`() throws {
        let container = try container()
        #expect(container.viewContext.concurrencyType == .mainQueue)
        #expect(container.viewContext.parent == nil)
        #expect(!container.viewContext.automaticallyMergesChangesFromParent)
        let background = container.newBackgroundContext()
        #expect(background.concurrencyType == .privateQueue && background.parent == nil)
        #expect(background.coordinator === container.coordinator)
    }

    @Test func `contexts of a container share its row cache (§11.2.4)`() throws {
        let container = try container()
        try container.loadPersistentStores()
        let (first, second) = (container.newBackgroundContext(), container.newBackgroundContext())
        let author = try first.performAndWait {
            let author = TestSupport.Author(context: first)
            author.name = "Lem"
            try first.save()
            return author.objectID
        }
        container.coordinator.resetCounters()
        second.performAndWait { #expect(second.author(author).name == "Lem") }
        #expect(container.coordinator.counters.statements == 0)
    }

    @Test func `each background task has a context of its own (§11.2.3)`() async throws {
        let container = try container()
        try container.loadPersistentStores()
        try await container.performBackgroundTask { context in
            TestSupport.Author(context: context).name = "Lem"
            try context.save()
            TestSupport.Author(context: context).name = "lost"
        }
        let count = try await container.performBackgroundTask {
            try TestSupport.Author.count(in: $0)
        }
        #expect(count == 1)
    }

    @Test func `a description has Core Data's defaults (§11.2.1)`() {
        let description = PersistentStoreDescription.sqlite(at: folder.url("a"))
        #expect(description.type == .sqlite && !description.isReadOnly)
        #expect(description.timeout == .seconds(240) && description.configuration == nil)
    }
}

@Suite struct `Asking a class for its objects (§13.1)` {
    let fixture: ContextFixture
    let context: ManagedObjectContext

    init() throws {
        fixture = try ContextFixture()
        context = fixture.context()
        for name in ["Borges", "Calvino", "Lem"] { try fixture.saveAuthor(name) }
    }

    @Test func `all, in order and by a condition (§13.1.1)`() throws {
        try context.performAndWait {
            let all = try TestSupport.Author.all(in: context, sortedBy: [.descending("name")])
            #expect(all.map(\.name) == ["Lem", "Calvino", "Borges"])
            let some = try TestSupport.Author.all(
                in: context, where: try ObjectPredicate("name BEGINSWITH %@", "C"))
            #expect(some.map(\.name) == ["Calvino"])
        }
    }

    @Test func `the first, with its values (§13.1.2)`() throws {
        try context.performAndWait {
            let first = try TestSupport.Author.findFirst(
                in: context, sortedBy: [.ascending("name")])
            #expect(first?.isFault == false && first?.name == "Borges")
            #expect(
                try TestSupport.Author.findFirst(
                    in: context, where: try ObjectPredicate("name == %@", "Eco"))
                    == nil)
        }
    }

    @Test func `how many (§13.1.3)`() throws {
        try context.performAndWait {
            let others = try ObjectPredicate("name != %@", "Lem")
            #expect(try TestSupport.Author.count(in: context) == 3)
            #expect(
                try TestSupport.Author.count(in: context, where: others) == 2)
        }
    }

    private class Shape: ManagedObject {
        static let name = Attribute<String?>("name")
        override class var managedProperties: [any ManagedProperty] { [name] }
    }
    private final class Circle: Shape {}
    private final class Square: Shape {}

    @Test(arguments: [false, true])
    func `all objects are counted, those of subentities too (§13.1.1, §13.1.3)`(
        _ isAbstract: Bool
    ) throws {
        let store = try StoreFixture(
            ManagedObjectModel(entities: [
                EntityDescription(Shape.self, isAbstract: isAbstract),
                EntityDescription(Circle.self), EntityDescription(Square.self),
            ]))
        try store.run { context in
            for _ in 0..<3 { _ = Circle(context: context) }
            for _ in 0..<2 { _ = Square(context: context) }
            if !isAbstract { _ = Shape(context: context) }
            for _ in 0..<2 {
                let all = try Shape.all(in: context)
                #expect(all.count == (isAbstract ? 5 : 6))
                #expect(try Shape.count(in: context) == all.count)
                #expect(try Circle.count(in: context) == 3)
                try context.save()
            }
        }
    }

    @Test func `removing all, or all but some (§13.1.4)`() throws {
        try context.performAndWait {
            let kept = try #require(try TestSupport.Author.findFirst(in: context))
            try TestSupport.Author.removeAll(in: context, except: [kept])
            try context.save()
            #expect(try TestSupport.Author.all(in: context) == [kept])
            try TestSupport.Author.removeAll(in: context)
            try context.save()
            #expect(try TestSupport.Author.count(in: context) == 0)
        }
    }

    @Test func `a class of no entity is refused (§13.1.5)`() throws {
        final class Stranger: ManagedObject {}
        context.performAndWait {
            _ = #expect(throws: FetchError.self) { try Stranger.all(in: context) }
        }
    }

    @Test func `a class makes the request for its objects (§13.1.1)`() throws {
        try context.performAndWait {
            let authors = try context.fetch(TestSupport.Author.fetchRequest())
            #expect(Set(authors.map(\.name)) == ["Borges", "Calvino", "Lem"])
            var request = TestSupport.Author.fetchRequest()
            request.predicate = try ObjectPredicate("name > %@", "C")
            request.sortKeys = [.descending("name")]
            request.fetchLimit = 1
            #expect(try context.fetch(request).map(\.name) == ["Lem"])
            request.fetchLimit = 0
            #expect(try context.count(for: request) == 2)
            #expect(try request.request(in: fixture.coordinator.model).entityName == "Author")
        }
    }

    @Test func `a request for a class of no entity is refused (§13.1.5)`() throws {
        final class Stranger: ManagedObject {}
        context.performAndWait {
            _ = #expect(throws: FetchError.unknownEntity("Stranger")) {
                try context.fetch(Stranger.fetchRequest())
            }
        }
    }
}
