import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `What a pinned context reads (§4.7)` {
    let fixture: GenerationFixture
    var view: ManagedObjectContext { fixture.view }

    init() throws { fixture = try GenerationFixture() }

    @Test func `a context is not pinned unless it is asked to be (§4.7.1)`() throws {
        let before = try fixture.names(view)
        #expect(view.performAndWait { view.queryGenerationToken } == nil)
        try fixture.write()
        #expect(try fixture.names(view) != before)
    }

    @Test func `nil unpins a context (§4.7.1)`() throws {
        try fixture.pin()
        let before = try fixture.names(view)
        try fixture.write()
        #expect(try fixture.names(view) == before)
        try view.performAndWait { try view.setQueryGeneration(from: nil) }
        #expect(try fixture.names(view).contains("Another author"))
        #expect(view.performAndWait { view.queryGenerationToken } == nil)
    }

    @Test func `the newest generation is the one of the next read (§4.7.2)`() throws {
        try view.performAndWait {
            try view.setQueryGeneration(from: .current)
            #expect(view.queryGenerationToken == .current)
        }
        try fixture.write()
        let before = try fixture.names(view)
        #expect(before.contains("Another author"))
        let token = view.performAndWait { view.queryGenerationToken }
        #expect(token != nil && token != .current)
        try fixture.write()
        #expect(try fixture.names(view) == before)
        #expect(view.performAndWait { view.queryGenerationToken } == token)
    }

    @Test func `a fault is a read too (§4.7.2)`() throws {
        let ids = try view.performAndWait {
            try view.fetchObjectIDs(FetchRequest(entityName: "Author"))
        }
        try view.performAndWait {
            try view.setQueryGeneration(from: .current)
            _ = view.author(ids[5]).name
        }
        try fixture.write()
        #expect(try fixture.names(view).contains("Another author") == false)
    }

    @Test(arguments: KindOfRead.allCases)
    func `every kind of read sees the generation (§4.7.4)`(_ read: KindOfRead) throws {
        let before = try read(fixture.library.context())
        try fixture.pin()
        try fixture.write()
        let after = try read(fixture.library.context())
        #expect(after != before)
        #expect(try read(view) == before)
        // Once more, with what is cached, and as faults.
        #expect(try read(view) == before)
        view.performAndWait { view.refreshAllObjects() }
        #expect(try read(view) == before)
        try view.performAndWait {
            try view.setQueryGeneration(from: nil)
            view.refreshAllObjects()
        }
        #expect(try read(view) == after)
    }

    @Test(arguments: KindOfRead.allCases)
    func `the token of another context pins to the same generation (§4.7.3)`(
        _ read: KindOfRead
    ) throws {
        let before = try read(fixture.library.context())
        try fixture.pin()
        let token = view.performAndWait { view.queryGenerationToken }
        try fixture.write()
        let other = fixture.library.context()
        try other.performAndWait { try other.setQueryGeneration(from: token) }
        #expect(other.performAndWait { other.queryGenerationToken } == token)
        #expect(try read(other) == before)
        // The generation stays when the first context leaves it.
        try view.performAndWait { try view.setQueryGeneration(from: nil) }
        try fixture.write()
        other.performAndWait { other.refreshAllObjects() }
        #expect(try read(other) == before)
    }

    @Test func `a token keeps its generation, and equals itself (§4.7.3)`() throws {
        let before = try fixture.names(view)
        try fixture.pin()
        let token = view.performAndWait { view.queryGenerationToken }
        try fixture.write()
        try view.performAndWait { try view.setQueryGeneration(from: .current) }
        #expect(try fixture.names(view) != before)
        let next = view.performAndWait { view.queryGenerationToken }
        #expect(next != token && Set([next, token, token]).count == 2)
        try view.performAndWait { try view.setQueryGeneration(from: token) }
        view.performAndWait { view.refreshAllObjects() }
        #expect(try fixture.names(view) == before)
    }

    @Test func `a fault of a row that was deleted since still fires (§4.7.5, §3.5.5)`() throws {
        let writer = fixture.writer
        try fixture.pin()
        let author = try view.performAndWait {
            ObjectBox(object: try view.author(bornIn: 1907))
        }
        view.performAndWait { view.refreshAllObjects() }
        try writer.performAndWait {
            writer.delete(try writer.author(bornIn: 1907))
            try writer.save()
        }
        view.performAndWait {
            let author = author.object as! TestSupport.Author
            #expect(author.isFault)
            #expect(author.name == "Author 7")
            #expect(
                author.publications.map(\.title).sorted() == [
                    "Title 7.0", "Title 7.1", "Title 7.2",
                ])
            #expect(!author.isDeleted)
        }
    }

    @Test func `what is cached for one generation is not read in another (§4.7.6)`() throws {
        let author = try fixture.writer.performAndWait {
            try fixture.writer.author(bornIn: 1900).objectID
        }
        try fixture.pin()
        // The newest row is cached before and after the generation reads the earlier one.
        try fixture.write()
        #expect(view.performAndWait { view.author(author).name } == "Author 0")
        let other = fixture.library.context()
        #expect(other.performAndWait { other.author(author).name } == "A new name")
        view.performAndWait { view.refreshAllObjects() }
        #expect(view.performAndWait { view.author(author).name } == "Author 0")
        other.performAndWait { other.refreshAllObjects() }
        #expect(other.performAndWait { other.author(author).name } == "A new name")
        // Both are cached: neither costs a statement.
        let statements = fixture.library.statements {
            view.performAndWait { view.refreshAllObjects() }
            #expect(view.performAndWait { view.author(author).name } == "Author 0")
            #expect(other.performAndWait { other.author(author).name } == "A new name")
        }
        #expect(statements == 0)
    }

    @Test func `faults that came before do not bring older rows (§4.7.8)`() throws {
        let other = try fixture.otherCoordinator()
        try view.performAndWait {
            let faults = try TestSupport.Author.all(in: view, sortedBy: [.ascending("birthYear")])
            #expect(faults[0].isFault)
            // Another coordinator, so that no row cache of this one learns of it.
            let writer = ManagedObjectContext(.privateQueue, coordinator: other)
            try writer.performAndWait {
                try writer.author(bornIn: 1900).name = "From elsewhere"
                try writer.save()
            }
            try view.setQueryGeneration(from: .current)
            #expect(faults[0].name == "From elsewhere")
        }
    }
}
