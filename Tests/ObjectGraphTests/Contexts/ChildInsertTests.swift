import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `What a child inserts (§4.2)` {
    let fixture: ContextFixture
    let parent: ManagedObjectContext
    let child: ManagedObjectContext

    init() throws {
        fixture = try ContextFixture()
        parent = fixture.context()
        child = fixture.child(of: parent)
    }

    @Test(arguments: [false, true])
    func `a fault that the parent has of it becomes the inserted object`(
        hasPermanentID: Bool
    ) throws {
        let id = try child.performAndWait {
            let author = TestSupport.Author(context: child)
            author.name = "Lem"
            if hasPermanentID { try child.obtainPermanentIDs(for: [author]) }
            return author.objectID
        }
        try parent.performAndWait {
            let fault = parent.author(id)
            #expect(fault.isFault)
            try child.performAndWait { try child.save() }
            #expect(fault.isInserted && fault.name == "Lem")
            #expect(parent.insertedObjects == [fault])
            try parent.save()
            #expect(parent.author(fault.objectID) === fault)
            #expect(try TestSupport.Author.all(in: parent) == [fault])
        }
    }
}
