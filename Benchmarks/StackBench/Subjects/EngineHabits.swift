import Foundation
import ObjectGraph

/// The habits with the engine: a context for each, as an app's view has one.
final class EngineHabits: HabitSubject, Sendable {
    private let coordinator: PersistentStoreCoordinator
    private let store: PersistentStoreHandle
    private let questions: HabitQuestions

    init(habits configuration: SubjectConfiguration, _ questions: HabitQuestions) throws {
        self.questions = questions
        coordinator = PersistentStoreCoordinator(
            model: try HabitModel.make(), lockPolicy: configuration.coordinatorLockPolicy)
        var description = PersistentStoreDescription.sqlite(at: configuration.storeURL)
        description.pragmas = configuration.pragmas
        store = try coordinator.addPersistentStore(description)
    }

    func settings(_ pragmas: [String]) throws -> [[String]] {
        try [coordinator.settings(pragmas, of: store)]
    }

    func close() throws { try coordinator.removePersistentStore(store) }

    private func makeContext() -> ManagedObjectContext {
        ManagedObjectContext(.privateQueue, coordinator: coordinator)
    }

    /// Runs the body on the queue of a new context.
    private func inContext<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        let context = makeContext()
        return try context.performAndWait { try body(context) }
    }

    /// All objects of a class, with their values.
    private static func all(_ entity: String, _ sortKeys: SortKey...) -> FetchRequest {
        var request = FetchRequest(entityName: entity, sortKeys: sortKeys)
        request.returnsObjectsAsFaults = false
        return request
    }

    private static func posts(first count: Int) -> FetchRequest {
        var request = all("Post", .ascending("number"))
        request.fetchLimit = count
        return request
    }

    // MARK: Reading

    func listChats() throws -> Int {
        try inContext { context in
            let unread = FetchedProperty(
                name: "unread", expression: .function("count:", [.keyPath("objectID")]))
            var counting = FetchRequest(entityName: "Post")
            counting.predicate = try ObjectPredicate("isRead == NO")
            counting.propertiesToFetch = ["chat", unread]
            counting.propertiesToGroupBy = ["chat"]
            var counts: [ManagedObjectID: Int] = [:]
            for row in try context.fetchDictionaries(counting) {
                guard case .objectID(let chat)? = row["chat"] else { continue }
                counts[chat] = Int(row["unread"]?.integer ?? 0)
            }
            var sum = 0
            let chats = try context.fetch(
                Self.all("Chat", .descending("updatedAt")), as: Chat.self)
            for (position, chat) in chats.enumerated() {
                let unread = counts[chat.objectID, default: 0]
                sum += (position + 1) * (chat[Chat.title].utf8.count + 31 * unread)
            }
            return sum
        }
    }

    func readCalendar() throws -> Int {
        let spans = questions.spans
        return try inContext { context in
            var sum = 0
            var request = Self.all("Post", .ascending("sentAt"))
            for span in spans {
                request.predicate = try ObjectPredicate(
                    "sentAt >= %@ AND sentAt < %@", span.lowerBound, span.upperBound)
                for post in try context.fetch(request, as: Post.self) {
                    sum += post[Post.text].utf8.count + post[Post.sender].utf8.count
                }
            }
            return sum
        }
    }

    func completeNames() throws -> Int {
        try inContext { context in
            var sum = 0
            var request = Self.all("Contact", .ascending("name"))
            request.fetchLimit = 10
            for prefix in HabitSizes.prefixes {
                request.predicate = try ObjectPredicate("name BEGINSWITH[cd] %@", prefix)
                for contact in try context.fetch(request, as: Contact.self) {
                    sum += contact[Contact.name].utf8.count
                }
            }
            return sum
        }
    }

    func countBySender() throws -> Int {
        try inContext { context in
            var request = FetchRequest(entityName: "Post")
            request.propertiesToFetch = [
                "sender",
                FetchedProperty(
                    name: "count", expression: .function("count:", [.keyPath("objectID")])),
            ]
            request.propertiesToGroupBy = ["sender"]
            return try context.fetchDictionaries(request).reduce(0) {
                let count = Int($1["count"]?.integer ?? 0)
                return $0 + ($1["sender"]?.string?.utf8.count ?? 0) * count * count
            }
        }
    }

    func walkBranches() throws -> Int {
        @Sendable func sum(_ branch: Branch, _ depth: Int) -> Int {
            branch[Branch.children].reduce(depth * branch[Branch.name].utf8.count) {
                $0 + sum($1, depth + 1)
            }
        }
        return try inContext { context in
            var roots = Self.all("Branch")
            roots.predicate = try ObjectPredicate("parent == nil")
            return try context.fetch(roots, as: Branch.self).reduce(0) { $0 + sum($1, 1) }
        }
    }

    func readWideRows() throws -> Int {
        try inContext { context in
            try context.fetch(Self.all("WideRow"), as: WideRow.self).reduce(0) {
                $0 + Int($1[WideRow.numbers[0]]) + Int($1[WideRow.numbers[29]])
                    + $1[WideRow.texts[29]].utf8.count
            }
        }
    }

    func readSparseRows() throws -> Int {
        try inContext { context in
            try context.fetch(Self.all("SparseRow"), as: SparseRow.self).reduce(0) { sum, row in
                SparseRow.values.reduce(sum) { $0 + Int(row[$1] ?? 0) }
            }
        }
    }

    func readShapes() throws -> Int {
        try inContext { context in
            try context.fetch(Self.all("Shape"), as: Shape.self).reduce(0) {
                $0 + Int($1[Shape.area]) + Int($1[Shape.sides[Int($1[Shape.kind])]] ?? 0)
            }
        }
    }

    func findInSmallContexts() throws -> Int {
        try questions.soughtNumbers.reduce(0) { sum, number in
            try inContext { context in
                let predicate = try ObjectPredicate("number == %ld", number)
                let post = try Post.findFirst(in: context, where: predicate)
                return sum + (post?[Post.text].utf8.count ?? 0)
            }
        }
    }

    func passIdentifiers() throws -> Int {
        let count = questions.sizes.edits
        let identifiers = try inContext { context in
            var request = Self.posts(first: count)
            request.includesPropertyValues = false
            return try context.fetchObjectIDs(request)
        }
        return try inContext { context in
            identifiers.reduce(0) {
                let post = context.object(with: $1) as? Post
                return $0 + (post?[Post.text].utf8.count ?? 0)
            }
        }
    }

    func listSections() throws -> Int {
        try inContext { context in
            var request = FetchRequest(
                entityName: "Post", sortKeys: [.ascending("sender"), .ascending("sentAt")])
            request.fetchBatchSize = 20
            let list = FetchedResultsController<Post>(
                request, in: context, sectionedBy: .keyPath("sender"))
            try list.performFetch()
            let sections = list.sections ?? []
            var sum = sections.reduce(0) {
                $0 + $1.name.utf8.count * $1.numberOfObjects * $1.numberOfObjects
            }
            for row in 0..<min(20, sections.first?.numberOfObjects ?? 0) {
                let post = try list.object(at: IndexPath(indexes: [0, row]))
                sum += post[Post.text].utf8.count
            }
            return sum
        }
    }

    func listPhotos() throws -> Int {
        try inContext { context in
            try context.fetch(Self.all("Photo"), as: Photo.self).reduce(0) {
                $0 + $1[Photo.name].utf8.count
            }
        }
    }

    // MARK: Writing

    func findOrCreateContacts() throws {
        let people = questions.emails
        try inContext { context in
            var request = FetchRequest(entityName: "Contact")
            request.predicate = .comparison(
                .init(
                    .keyPath("email"), .in,
                    .aggregate(people.map { .constant(.string($0.email)) })))
            request.returnsObjectsAsFaults = false
            let found = try context.fetch(request, as: Contact.self)
            let known = Set(found.map { $0[Contact.email] })
            for person in people where !known.contains(person.email) {
                let contact = Contact(context: context)
                contact[Contact.email] = person.email
                contact[Contact.name] = person.name
            }
            try context.save()
        }
    }

    func deleteOldest() throws {
        let count = questions.sizes.oldest
        try inContext { context in
            var request = FetchRequest(entityName: "Post", sortKeys: [.ascending("sentAt")])
            request.fetchLimit = count
            for post in try context.fetch(request, as: Post.self) { context.delete(post) }
            try context.save()
        }
    }

    func toggleFlags() throws {
        let count = questions.sizes.edits
        try inContext { context in
            for post in try context.fetch(Self.posts(first: count), as: Post.self) {
                post[Post.isRead].toggle()
                try context.save()
            }
        }
    }

    func moveTracks() throws {
        try inContext { context in
            let playlists = try context.fetch(
                Self.all("Playlist", .ascending("title")), as: Playlist.self)
            let tracks = playlists[0][Playlist.tracks]
            playlists[1][Playlist.tracks].insert(
                contentsOf: tracks.prefix(tracks.count / 2), at: 0)
            try context.save()
        }
    }

    func readAfterForeignUpdate() throws -> Int {
        try inContext { context in
            let posts = Array(try context.fetch(Self.all("Post"), as: Post.self))
            _ = try self.inContext {
                try $0.execute(
                    BatchUpdateRequest(
                        entityName: "Post", propertiesToUpdate: ["isRead": .constant(true)]))
            }
            // One fetch reads all rows. Faults would read each by itself.
            var request = Self.all("Post")
            request.shouldRefreshRefetchedObjects = true
            _ = try context.fetch(request, as: Post.self)
            return posts.count { $0[Post.isRead] }
        }
    }

    func editAndUndo() throws {
        let count = questions.sizes.edits
        try inContext { context in
            context.undoManager = UndoManager()
            for post in try context.fetch(Self.posts(first: count), as: Post.self) {
                post[Post.text] = "edited"
            }
            try context.save()
            context.undo()
            try context.save()
        }
    }

    func insertForms() throws {
        let forms = questions.forms
        try inContext { context in
            for values in forms {
                let form = Form(context: context)
                for (field, value) in zip(Form.fields, values) { form[field] = value }
            }
            try context.save()
        }
    }

    func editChangedPosts() throws {
        let count = questions.sizes.edits
        try inContext { context in
            let posts = Array(
                try context.fetch(Self.posts(first: count), as: Post.self))
            try self.inContext { other in
                for post in try other.fetch(Self.posts(first: count), as: Post.self) {
                    post[Post.text] = "first"
                }
                try other.save()
            }
            context.mergePolicy = .mergeByPropertyObjectTrump
            for post in posts { post[Post.text] = "second" }
            try context.save()
        }
    }
}

extension EngineHabits: CountingSubject {
    var counters: [String: Int64] { coordinator.counters.byMetric }

    func resetCounters() { coordinator.resetCounters() }
}
