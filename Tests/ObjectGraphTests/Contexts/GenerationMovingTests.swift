import TestSupport
import Testing

@testable import ObjectGraph

private typealias Author = TestSupport.Author

@Suite struct `How a pinned context moves (§4.7)` {
    let fixture: GenerationFixture
    var view: ManagedObjectContext { fixture.view }

    init() throws {
        fixture = try GenerationFixture()
        try fixture.pin()
    }

    private var seesNewAuthor: Bool {
        get throws { try fixture.names(view).contains("Another author") }
    }

    @Test(arguments: Move.allCases)
    func `setting, saving, merging and resetting move to the newest generation (§4.7.7)`(
        _ move: Move
    ) throws {
        try fixture.write()
        #expect(try seesNewAuthor == false)
        try view.performAndWait { try move(view) }
        #expect(try seesNewAuthor)
        // It is pinned again.
        let before = try fixture.names(view)
        try fixture.write()
        #expect(try fixture.names(view) == before)
    }

    enum Move: CaseIterable, Sendable {
        case setting, saving, savingNothing, merging, resetting

        func callAsFunction(_ context: ManagedObjectContext) throws {
            switch self {
            case .setting: try context.setQueryGeneration(from: .current)
            case .saving:
                Topic(context: context).name = "dance"
                try context.save()
            case .savingNothing: try context.save()
            case .merging: context.mergeChanges(ObjectChanges())
            case .resetting: context.reset()
            }
        }
    }

    @Test func `refreshing, rolling back and fetching do not move it (§4.7.7)`() throws {
        try fixture.write()
        try view.performAndWait {
            let author = try view.author(bornIn: 1900)
            author.name = "unsaved"
            view.refresh(author, mergeChanges: true)
            view.rollback()
            view.refresh(author, mergeChanges: false)
            view.refreshAllObjects()
            #expect(author.name == "Author 0")
        }
        #expect(try seesNewAuthor == false)
    }

    @Test func `an automatic merge moves it too (§4.7.7, §4.3.4)`() async throws {
        let view = view
        view.automaticallyMergesChangesFromParent = true
        let author = try view.performAndWait { ObjectBox(object: try view.author(bornIn: 1900)) }
        view.performAndWait { #expect((author.object as! Author).name == "Author 0") }
        try fixture.write()
        // After the merge, which waits on the queue already.
        await view.perform(schedule: .enqueued) {
            #expect((author.object as! Author).name == "A new name")
        }
        #expect(try seesNewAuthor)
    }

    @Test func `a merge reads the rows of the save (§4.7.7, §4.3.4)`() throws {
        let changes = Recorder<ObjectChanges>()
        let observation = fixture.writer.observe {
            if case .didSave(let saved) = $0 { changes.values.append(saved) }
        }
        defer { observation.cancel() }
        let author = try view.performAndWait { ObjectBox(object: try view.author(bornIn: 1900)) }
        view.performAndWait { #expect((author.object as! Author).name == "Author 0") }
        try fixture.write()
        let saved = changes.values[0]
        view.performAndWait {
            view.mergeChanges(saved)
            #expect((author.object as! Author).name == "A new name")
            let inserted = saved.inserted.filter { $0.entityName == "Author" }
            #expect(inserted.map { view.author($0).name } == ["Another author"])
        }
    }

    @Test func `moving refreshes no realised object, but faults read again (§4.7.8, §14.33)`()
        throws
    {
        try view.performAndWait {
            let realised = try view.author(bornIn: 1900)
            #expect(realised.name == "Author 0")
            let fault = try view.author(bornIn: 1901)
            let title = fault.publications.map(\.title).sorted()
            view.refresh(fault, mergeChanges: false)
            _ = try view.fetch(FetchRequest(entityName: "Author"), as: Author.self)
            #expect(fault.isFault)
            try fixture.writer.performAndWait {
                try fixture.writer.author(bornIn: 1900).name = "new"
                try fixture.writer.author(bornIn: 1901).name = "new"
                try fixture.writer.author(bornIn: 1901).publications = []
                try fixture.writer.save()
            }
            try view.setQueryGeneration(from: .current)
            #expect(realised.name == "Author 0")
            #expect(fault.name == "new")
            #expect(fault.publications.isEmpty && !title.isEmpty)
        }
    }

    @Test func `a row that the generation lacks is looked for again after a move (§4.7.8)`() throws
    {
        let id = try fixture.writer.performAndWait {
            let author = Author(context: fixture.writer)
            author.name = "Later"
            try fixture.writer.save()
            return author.objectID
        }
        try view.performAndWait {
            let author = view.author(id)
            #expect(author.name == "")
            #expect(author.isDeleted)
            #expect(throws: FetchError.noSuchObject(id)) { try view.existingObject(with: id) }
            try view.setQueryGeneration(from: .current)
            #expect(author.name == "Later")
            #expect(!author.isDeleted)
        }
    }

    @Test func `a result reads each batch in the generation of that moment (§4.7.7)`() throws {
        try view.performAndWait {
            let authors = try view.fetch(
                FetchFixture.authors { $0.fetchBatchSize = 10 }, as: Author.self)
            #expect(authors[0].name == "Author 0")
            try fixture.writer.performAndWait {
                for author in try Author.all(in: fixture.writer) { author.name += "!" }
                try fixture.writer.save()
            }
            #expect(authors[10].name == "Author 10")
            try view.setQueryGeneration(from: .current)
            #expect(authors[0].name == "Author 0")
            #expect(authors[11].name == "Author 11!")
            view.refreshAllObjects()
            #expect(authors.map(\.name) == (0..<20).map { "Author \($0)!" })
        }
    }
}

@Suite struct `Saves of a pinned context (§4.7)` {
    let fixture: GenerationFixture
    var view: ManagedObjectContext { fixture.view }

    init() throws {
        fixture = try GenerationFixture()
        try fixture.pin()
    }

    @Test func `a save meets the newest rows, and a failed one stays where it was (§4.7.9)`() throws
    {
        let token = view.performAndWait { view.queryGenerationToken }
        try fixture.write()
        try view.performAndWait {
            let author = try view.author(bornIn: 1900)
            author.name = "mine"
            do {
                try view.save()
                Issue.record("The save should conflict.")
            } catch SaveError.mergeConflicts(let conflicts) {
                #expect(conflicts.map(\.objectID) == [author.objectID])
                #expect(conflicts[0].objectSnapshot["name"] == .string("Author 0"))
                let newest = conflicts[0].cachedSnapshot ?? conflicts[0].persistedSnapshot
                #expect(newest?["name"] == .string("A new name"))
            }
            #expect(view.queryGenerationToken == token)
            #expect(author.name == "mine")
            view.rollback()
            view.refreshAllObjects()
            #expect(author.name == "Author 0")
            #expect(try view.author(bornIn: 1912).name == "Author 12")
        }
    }

    @Test func `hooks and observers of a save see what was saved (§4.7.7)`() throws {
        let seen = Recorder<[String]>()
        let deleted = Recorder<[ManagedObjectID]>()
        let observation = view.observe { [view] notification in
            guard case .didSave(let changes) = notification else { return }
            deleted.values.append(changes.deleted)
            seen.values.append((try? Topic.all(in: view).map(\.name).sorted()) ?? [])
        }
        defer { observation.cancel() }
        let later = try fixture.writer.performAndWait {
            let author = Author(context: fixture.writer)
            author.name = "Later"
            try fixture.writer.save()
            return author.objectID
        }
        try view.performAndWait {
            // Gone in the generation, but nothing that this save deletes.
            let missing = view.author(later)
            #expect(missing.name == "" && missing.isDeleted)
            Topic(context: view).name = "dance"
            try view.save()
            #expect(view.author(later).name == "Later")
        }
        #expect(seen.values == [["art", "biology", "chess", "dance"]])
        #expect(deleted.values == [[]])
    }

    @Test(arguments: [
        (MergePolicy.Kind.mergeByPropertyStoreTrump, "A new name"),
        (.mergeByPropertyObjectTrump, "mine"), (.overwrite, "mine"), (.rollback, "A new name"),
    ])
    func `a merge policy settles it (§4.7.9)`(_ policy: MergePolicy.Kind, _ name: String) throws {
        try fixture.write()
        try view.performAndWait {
            view.mergePolicy = MergePolicy(policy)
            let author = try view.author(bornIn: 1900)
            author.name = "mine"
            try view.save()
            #expect(author.name == name)
        }
        #expect(try fixture.names(fixture.library.context()).contains(name))
    }

    @Test func `a row that was deleted since conflicts as well (§4.7.9)`() throws {
        try fixture.write()
        try view.performAndWait {
            let author = try view.author(bornIn: 1912)
            author.name = "mine"
            #expect(throws: SaveError.self) { try view.save() }
            view.mergePolicy = .mergeByPropertyStoreTrump
            try view.save()
        }
        #expect(try fixture.names(view).contains("mine") == false)
    }

    @Test func `a unique value that was taken since is found (§4.7.9)`() throws {
        try fixture.writer.performAndWait {
            Topic(context: fixture.writer).name = "dance"
            try fixture.writer.save()
        }
        try view.performAndWait {
            let topic = Topic(context: view)
            topic.name = "dance"
            let book = Book(context: view)
            book.title = "Steps"
            book.topics = [topic]
            #expect(throws: SaveError.self) { try view.save() }
            view.mergePolicy = .mergeByPropertyObjectTrump
            try view.save()
            let dances = try Topic.all(in: view).filter { $0.name == "dance" }
            #expect(dances.count == 1)
            #expect(book.topics == Set(dances))
        }
    }
}

@Suite struct `Contexts below a pinned one (§4.7)` {
    let fixture: GenerationFixture
    let child: ManagedObjectContext
    let grandchild: ManagedObjectContext
    var view: ManagedObjectContext { fixture.view }

    init() throws {
        fixture = try GenerationFixture()
        child = ManagedObjectContext(.privateQueue, parent: fixture.view)
        grandchild = ManagedObjectContext(.privateQueue, parent: child)
        try fixture.pin()
    }

    @Test(arguments: KindOfRead.allCases)
    func `they read the root's generation (§4.7.10)`(_ read: KindOfRead) throws {
        let before = try read(fixture.library.context())
        try fixture.write()
        #expect(try read(grandchild) == before)
        #expect(try read(child) == before)
        let after = try read(fixture.library.context())
        try view.performAndWait {
            try view.setQueryGeneration(from: .current)
            view.refreshAllObjects()
        }
        child.performAndWait { child.refreshAllObjects() }
        grandchild.performAndWait { grandchild.refreshAllObjects() }
        #expect(try read(grandchild) == after)
        #expect(try read(child) == after)
    }

    @Test func `and the root's pending changes (§4.7.10)`() throws {
        try view.performAndWait { try view.author(bornIn: 1900).name = "pending" }
        try fixture.write()
        let names = try fixture.names(child)
        #expect(names.contains("pending") && !names.contains("Another author"))
    }

    @Test func `their faults follow when the root moves (§4.7.10)`() throws {
        let faults = try child.performAndWait {
            try Author.all(in: child, sortedBy: [.ascending("birthYear")]).map {
                ObjectBox(object: $0)
            }
        }
        try fixture.write()
        try view.performAndWait { try view.setQueryGeneration(from: .current) }
        child.performAndWait {
            #expect((faults[0].object as! Author).name == "A new name")
        }
    }

    @Test func `they cannot be pinned, and name the root's generation (§4.7.10)`() throws {
        let token = view.performAndWait { view.queryGenerationToken }
        try grandchild.performAndWait {
            #expect(grandchild.queryGenerationToken == token)
            #expect(throws: FetchError.self) { try grandchild.setQueryGeneration(from: .current) }
            #expect(throws: FetchError.self) { try grandchild.setQueryGeneration(from: nil) }
            _ = try grandchild.count(for: FetchRequest(entityName: "Author"))
        }
    }

    @Test func `a child's save moves nothing until the root saves (§4.7.10)`() throws {
        try fixture.write()
        try child.performAndWait {
            try child.author(bornIn: 1905).name = "From below"
            try child.save()
        }
        #expect(try fixture.names(view).contains("Another author") == false)
        try view.performAndWait { try view.save() }
        let names = try fixture.names(view)
        #expect(names.contains("Another author") && names.contains("From below"))
    }
}
