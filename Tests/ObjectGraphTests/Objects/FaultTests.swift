import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Firing a fault (§3.2)` {
    private let fixture: FetchFixture

    init() throws { fixture = try FetchFixture() }

    /// A use of an object, and whether it needs the object's values.
    struct Use: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let fires: Bool
        let body: @Sendable (TestSupport.Author) throws -> Void

        init(
            _ name: String, fires: Bool,
            _ body: @escaping @Sendable (TestSupport.Author) throws -> Void
        ) {
            (testDescription, self.fires, self.body) = (name, fires, body)
        }
    }

    @Test(arguments: [
        Use("read", fires: true) { _ = $0.name },
        Use("read by name", fires: true) { _ = try $0.value(forKey: "birthYear") },
        Use("write", fires: true) { $0.name = "Other" },
        Use("committed values", fires: true) { _ = $0.committedValues() },
        Use("a relationship", fires: true) { _ = $0.publications },
        Use("description", fires: false) { _ = $0.description },
        Use("identity", fires: false) { _ = ($0.objectID, $0.entity, $0.managedObjectContext) },
        Use("state", fires: false) { _ = ($0.hasChanges, $0.isFault, $0.isDeleted) },
        Use("identifiers of a relationship", fires: false) {
            _ = try $0.objectIDs(forRelationshipNamed: "publications")
        },
    ])
    func `what needs the values fires (§3.2.1)`(use: Use) throws {
        let context = fixture.context()
        try context.performAndWait {
            let author = try context.authors()[0]
            #expect(author.isFault)
            try use.body(author)
            #expect(author.isFault == !use.fires)
        }
    }

    @Test func `one statement reads all values of one row, and only the first time (§3.2.2)`()
        throws
    {
        let context = fixture.context()
        try context.performAndWait {
            let author = try context.authors { $0.includesPropertyValues = false }[3]
            let statements = fixture.recorder.statements {
                #expect(author.name == "Author 3")
                #expect(author.birthYear == 1903)
            }
            #expect(
                statements == [
                    "SELECT t0.ZBIRTHYEAR, t0.ZNAME, t0.Z_OPT, t0.Z_PK FROM ZAUTHOR t0 WHERE t0.Z_PK = ? ← \(author.objectID.reference)"
                ])
            #expect(author.hasFault(forRelationshipNamed: "publications"))
            context.refresh(author, mergeChanges: false)
            fixture.recorder.expect([]) { _ = author.name }
        }
    }

    @Test func `a to-one destination is a fault of its concrete entity, unread (§3.2.4)`() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Visit", relationships: [.toOne("place", "Place", inverse: "visits")]),
            EntityDescription(
                name: "Place", isAbstract: true,
                relationships: [.toMany("visits", "Visit", inverse: "place")]),
            EntityDescription(name: "Field", superentity: "Place"),
            EntityDescription(name: "Airport", superentity: "Place"),
        ])
        let fixture = try StoreFixture(model)
        try fixture.run { context in
            try context.insert("Visit", ["place": context.insert("Airport")])
            try context.save()
            context.reset()
            let visit = try context.all("Visit")[0]
            let statements = try fixture.statements {
                let place = try #require(try visit.value(forKey: "place") as? ManagedObject)
                #expect(place.isFault)
                #expect(place.entity.name == "Airport")
            }
            #expect(statements == 0)
        }
    }

    @Test func `a mandatory value that is NULL reads as none, and cannot be saved (§3.2.5)`()
        throws
    {
        try fixture.execute("UPDATE ZAUTHOR SET ZNAME = NULL WHERE ZBIRTHYEAR = 1905")
        let context = fixture.context()
        try context.performAndWait {
            #expect(try context.authors().count == FetchFixture.authorCount)
            let author = try context.author(bornIn: 1905)
            #expect(try author.value(forKey: "name") == nil)
            author.birthYear = 1906
            #expect(try context.validationErrors().map(\.key) == ["name"])
        }
    }
}

@Suite struct `Inaccessible faults (§3.5)` {
    private let fixture: FetchFixture

    init() throws { fixture = try FetchFixture() }

    private func withAuthorThatIsGone(
        _ body: @Sendable (ManagedObjectContext, TestSupport.Author) throws -> Void
    ) throws {
        let context = fixture.context()
        try context.performAndWait {
            let author = try context.authors { $0.includesPropertyValues = false }[0]
            try fixture.execute("DELETE FROM ZAUTHOR WHERE ZBIRTHYEAR = 1900")
            try body(context, author)
        }
    }

    @Test func `is deleted and reads as nothing (§3.5.1, §3.5.2)`() throws {
        try withAuthorThatIsGone { context, author in
            #expect(author.name == "")
            #expect(author.birthYear == nil)
            #expect(author.publications == [])
            #expect(author.isDeleted)
            #expect(context.deletedObjects == [author])
        }
    }

    @Test func `leaves relationships when its deletion is saved (§3.5.2)`() throws {
        let context = fixture.context()
        try context.performAndWait {
            let author = try context.author(bornIn: 1900)
            // Otherwise the members keep the rows that came along with the contents.
            context.stalenessInterval = .zero
            let members = author.publications
            #expect(members.count == 3)
            try fixture.execute("DELETE FROM ZPUBLICATION WHERE ZYEAR = 1950")
            fixture.coordinator.endTurn()
            for publication in members { #expect(publication.title == "") }
            #expect(context.deletedObjects == members)
            try context.save()
            #expect(author.publications.isEmpty)
            context.delete(author)
            try context.save()
        }
    }

    @Test func `or is told to the fault handler (§3.5.1, §3.5.3)`() throws {
        let told = Recorder<ManagedObjectID>()
        try withAuthorThatIsGone { context, author in
            context.shouldDeleteInaccessibleFaults = false
            context.faultHandler = { id, _ in told.values.append(id) }
            #expect(author.name == "")
            #expect(!author.isDeleted)
            #expect(told.values == [author.objectID])
        }
    }

    @Test(arguments: [MergePolicy.Kind.error, .rollback, .overwrite])
    func `or is a conflict once it is changed (§3.5.1, §5.3.9)`(kind: MergePolicy.Kind) throws {
        try withAuthorThatIsGone { context, author in
            let id = author.objectID
            context.shouldDeleteInaccessibleFaults = false
            context.faultHandler = { _, _ in }
            context.mergePolicy = MergePolicy(kind)
            author.name = "Nobody"
            if kind == .error {
                let error = #expect(throws: SaveError.self) { try context.save() }
                #expect(error?.code == 133020 && author.hasChanges)
            } else {
                try context.save()
            }
            #expect((author.managedObjectContext == nil) == (kind == .rollback))
            let other = fixture.context()
            other.performAndWait {
                #expect(((try? other.existingObject(with: id)) != nil) == (kind == .overwrite))
            }
        }
    }

    @Test(arguments: [true, false])
    func `a row that is deleted after its fetch is seen to be gone (§3.5.6)`(
        returnsFaults: Bool
    ) throws {
        let (context, other) = (fixture.context(), fixture.context())
        try context.performAndWait {
            let author = try context.authors { $0.returnsObjectsAsFaults = returnsFaults }[0]
            let id = author.objectID
            try other.performAndWait {
                other.delete(other.object(with: id))
                try other.save()
            }
            #expect(author.name.isEmpty == returnsFaults)
            #expect(author.isDeleted == returnsFaults)
            #expect(context.deletedObjects == (returnsFaults ? [author] : []))
        }
    }

    @Test(arguments: [true, false], [true, false])
    func `existingObject throws either way (§3.5.4)`(deletes: Bool, isFired: Bool) throws {
        try withAuthorThatIsGone { context, author in
            context.shouldDeleteInaccessibleFaults = deletes
            if isFired { #expect(author.name == "") }
            #expect(throws: FetchError.noSuchObject(author.objectID)) {
                try context.existingObject(with: author.objectID)
            }
        }
    }
}
