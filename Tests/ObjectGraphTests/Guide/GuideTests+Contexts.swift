import Foundation
import ObjectGraph
import TestSupport
import Testing

// What other contexts do.
extension `Guide` {
    @Test func `an observer hears of a save, and merges it`() throws {
        let context = try makeContext()
        let view = ManagedObjectContext(.privateQueue, coordinator: context.coordinator)
        let id = try saveAuthor(in: context)
        #expect(name(of: id, in: view) == "Ursula K. Le Guin")

        let observation = context.observe { notification in
            guard case .didSave(let changes) = notification else { return }
            view.perform { view.mergeChanges(changes) }
        }

        try rename(id, "Ursula Le Guin", in: context)
        #expect(name(of: id, in: view) == "Ursula Le Guin")
        observation.cancel()
    }

    // Not formatted, since the guide has the list on a line.
    // swift-format-ignore
    @Test func `a list stays current`() throws {
        let context = try makeContext()
        let view = ManagedObjectContext(.privateQueue, coordinator: context.coordinator)
        let list = BookList()

        view.automaticallyMergesChangesFromParent = true
        let observation = view.observe { notification in
            guard case .objectsDidChange = notification else { return }
            do { list.books = try Book.all(in: view, sortedBy: [.ascending("title")]) }
            catch { list.error = error }
        }

        let id = try saveAuthor(in: context)
        #expect(view.performAndWait { list.books.map(\.title) } == ["Lavinia", "The Dispossessed"])
        try context.performAndWait {
            (context.object(with: id) as? Author)?.books.first?.title = "Tehanu"
            try context.save()
        }
        #expect(view.performAndWait { list.books.map(\.title) } == ["Lavinia", "Tehanu"])
        observation.cancel()
        #expect(view.performAndWait { list.error == nil })
    }

    @Test func `books that others delete are left out`() throws {
        let context = try makeContext()
        let view = ManagedObjectContext(.privateQueue, coordinator: context.coordinator)
        _ = try saveAuthor(in: context)
        let shown = try view.performAndWait {
            let books = try Book.all(in: view, sortedBy: [.ascending("title")])
            try context.performAndWait {
                context.delete(
                    try #require(try Book.all(in: context).first { $0.title == "Lavinia" }))
                try context.save()
            }

            var titles: [String] = []
            for book in books {
                let title = book.title
                if !book.isDeleted { titles.append(title) }
            }

            return titles
        }
        #expect(shown == ["The Dispossessed"])
    }

    /// A list of a view, used on its queue.
    // @unchecked Sendable: used inside `performAndWait` and observers of the view only.
    final class BookList: @unchecked Sendable {
        var books: [Book] = []
        var error: (any Error)?
    }

    @Test func `notifications are a sequence`() async throws {
        let context = try makeContext()
        let notifications = context.notifications
        _ = try saveAuthor(in: context)

        for await case .didSave(let changes) in notifications {
            #expect(changes.inserted.count == 3)
            break
        }
    }

    @Test func `a property is observed`() throws {
        try run { context in
            let book = Book(context: context)
            var changeCount = 0

            let observation = try book.observe("title") { _ in changeCount += 1 }
            book.title = "The Dispossessed"
            observation.cancel()

            book.title = "Lavinia"
            #expect(changeCount == 1)
        }
    }

    @Test func `the values of an attribute are a sequence`() async throws {
        let context = try makeContext()
        let view = ManagedObjectContext(.privateQueue, coordinator: context.coordinator)
        _ = try saveAuthor(in: context)
        var shown: [String] = []
        // Ends the sequence, once there is one.
        let resetting = Task {
            while !Task.isCancelled {
                await view.perform(schedule: .enqueued) { view.reset() }
                await Task.yield()
            }
        }

        let titles = try await view.perform { try Book.all(in: view)[0].values(for: Book.title) }
        for await title in titles { shown.append(title) }

        resetting.cancel()
        #expect(shown.count == 1)
    }

    @Test func `a view takes over what others save`() throws {
        let context = try makeContext()
        let view = ManagedObjectContext(.privateQueue, coordinator: context.coordinator)
        let id = try saveAuthor(in: context)
        #expect(name(of: id, in: view) == "Ursula K. Le Guin")

        view.automaticallyMergesChangesFromParent = true

        try rename(id, "Ursula Le Guin", in: context)
        #expect(name(of: id, in: view) == "Ursula Le Guin")
    }

    @Test func `a pinned view goes on reading one state`() throws {
        let context = try makeContext()
        let view = ManagedObjectContext(.privateQueue, coordinator: context.coordinator)
        _ = try saveAuthor(in: context)
        @Sendable func addBook(in context: ManagedObjectContext) throws {
            try context.performAndWait {
                Book(context: context).title = "Malafrena"
                try context.save()
            }
        }
        let counts = try view.performAndWait {
            try view.setQueryGeneration(from: .current)
            let shown = try Book.count(in: view)
            try addBook(in: context)
            let unchanged = try Book.count(in: view)
            try view.setQueryGeneration(from: .current)
            let newest = try Book.count(in: view)
            return [shown, unchanged, newest]
        }
        #expect(counts == [2, 2, 3])
    }

    @Test func `a merge policy settles a conflict`() throws {
        let context = try makeContext()
        let other = ManagedObjectContext(.privateQueue, coordinator: context.coordinator)
        let id = try saveAuthor(in: context)
        try context.performAndWait {
            (context.object(with: id) as? Author)?.name = "mine"
            try rename(id, "theirs", in: other)

            #expect(throws: SaveError.self) { try context.save() }
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.save()
        }
        #expect(name(of: id, in: try makeContext()) == "mine")
    }

    @Test func `a child saves into its parent`() throws {
        let context = try makeContext()
        let id = try saveAuthor(in: context)

        let draft = ManagedObjectContext(.privateQueue, parent: context)
        try draft.performAndWait {
            (draft.object(with: id) as? Author)?.name = "Ursula Kroeber Le Guin"
            try draft.save()
        }
        try context.performAndWait { try context.save() }

        #expect(name(of: id, in: try makeContext()) == "Ursula Kroeber Le Guin")
    }

    @Test func `an event is undone`() throws {
        try run { context in
            let book = Book(context: context)

            context.undoManager = UndoManager()
            book.title = "The Dispossessed"
            context.processPendingChanges()
            book.title = "Lavinia"
            context.undo()

            #expect(book.title == "The Dispossessed")
        }
    }
}
