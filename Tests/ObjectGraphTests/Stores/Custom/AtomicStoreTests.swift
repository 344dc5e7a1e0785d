import Foundation
import ObjectGraph
import Synchronization
import TestSupport
import Testing

private typealias Member = Club.Member
private typealias Team = Club.Team

/// Keeps the contents that were saved last.
private final class ContentsStore: AtomicStore {
    struct State: Sendable {
        var contents: AtomicStoreContents?
        var saveCount = 0
        var failure: (any Error)?
    }

    private let state = Mutex(State())

    var current: State { state.withLock { $0 } }
    func change(_ body: @Sendable (inout State) -> Void) { state.withLock { body(&$0) } }

    func load() -> AtomicStoreContents? { current.contents }

    func save(_ contents: AtomicStoreContents) throws {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            state.contents = contents
            state.saveCount += 1
        }
    }
}

@Suite struct `Atomic stores (§11.7)` {
    private let store = ContentsStore()

    private func open(
        _ change: (inout PersistentStoreDescription) -> Void = { _ in }
    ) throws -> OwnStoreFixture {
        try OwnStoreFixture(.atomic(store), change)
    }

    @Test func `everything is read once and written with each save (§11.7.1)`() throws {
        let first = try open()
        try first.run { try Club.fill($0) }
        let contents = try #require(store.current.contents)
        #expect(contents.nodes.count == 6 && store.current.saveCount == 1)
        #expect(contents.metadata.identifier == first.handle.identifier)

        let second = try open()
        #expect(second.handle.identifier == first.handle.identifier)
        #expect(try second.run { try Club.summary($0) } == Club.filled)
        try second.run { context in
            let member = try #require(
                try Member.findFirst(in: context, sortedBy: [.descending("name")]))
            context.delete(member)
            try context.save()
        }
        #expect(store.current.contents?.nodes.count == 5)
        #expect(
            try open().run { try Club.summary($0) }
                == [#"Ada 36 ["Grail 0.3", "Medal"] ["Red 1", "Blue 1"]"#])
    }

    @Test func `values of every type are kept (§11.7.1)`() throws {
        let (uuid, uri) = (UUID(), URL(string: "https://example.org/a?b=c")!)
        let model = try makeLibraryModel()
        try OwnStoreFixture(.atomic(store), model: model).run { context in
            let specimen = Specimen(context: context)
            specimen[Specimen.integer16] = .min
            specimen[Specimen.integer64] = .max
            specimen[Specimen.decimal] = Decimal(string: "12.34")
            specimen[Specimen.double] = 0.1
            specimen[Specimen.float] = 1.5
            specimen[Specimen.string] = "Ł\u{0}"
            specimen[Specimen.boolean] = false
            specimen[Specimen.date] = Date(timeIntervalSinceReferenceDate: 0.1)
            specimen[Specimen.data] = Data([0, 255])
            specimen[Specimen.uuid] = uuid
            specimen[Specimen.uri] = uri
            try context.save()
        }
        // Through the form in which nodes are encoded, too.
        let saved = try #require(store.current.contents)
        let coded = try JSONDecoder().decode(
            AtomicStoreContents.self, from: JSONEncoder().encode(saved))
        #expect(coded == saved)
        store.change { $0.contents = coded }
        try OwnStoreFixture(.atomic(store), model: model).run { context in
            let specimen = try #require(try Specimen.findFirst(in: context))
            #expect(specimen[Specimen.integer16] == .min && specimen[Specimen.integer32] == nil)
            #expect(specimen[Specimen.integer64] == .max)
            #expect(specimen[Specimen.decimal] == Decimal(string: "12.34"))
            #expect(specimen[Specimen.double] == 0.1 && specimen[Specimen.float] == 1.5)
            #expect(specimen[Specimen.string] == "Ł\u{0}" && specimen[Specimen.boolean] == false)
            #expect(specimen[Specimen.date] == Date(timeIntervalSinceReferenceDate: 0.1))
            #expect(specimen[Specimen.data] == Data([0, 255]))
            #expect(specimen[Specimen.uuid] == uuid && specimen[Specimen.uri] == uri)
        }
    }

    @Test func `references of deleted nodes are not given again (§11.7.2)`() throws {
        func add(_ name: String, in fixture: OwnStoreFixture) throws -> String {
            try fixture.run { context in
                let team = Team(context: context)
                team[Team.name] = name
                try context.save()
                return team.objectID.uriRepresentation.lastPathComponent
            }
        }
        let first = try open()
        #expect(try add("Red", in: first) == "p1")
        try first.run { context in
            context.delete(try #require(try Team.findFirst(in: context)))
            try context.save()
        }
        #expect(try add("Blue", in: open()) == "p2")
    }

    @Test func `a save that fails changes nothing (§11.7.3)`() throws {
        let fixture = try open()
        try fixture.run { try Club.fill($0) }
        let context = fixture.makeContext()
        try context.performAndWait {
            let member = try #require(
                try Member.findFirst(in: context, sortedBy: [.ascending("name")]))
            member[Member.name] = "Ada Lovelace"
            store.change { $0.failure = ProbeStore.Outage() }
            #expect(throws: ProbeStore.Outage()) { try context.save() }
            #expect(context.hasChanges)
        }
        #expect(try fixture.run { try Club.summary($0) } == Club.filled)
        store.change { $0.failure = nil }
        try context.performAndWait { try context.save() }
        #expect(
            try open().run { try Club.summary($0) }.first?.hasPrefix("Ada Lovelace") == true)
    }

    @Test func `metadata alone are written too (§11.6.10, §11.7.1)`() throws {
        let fixture = try open()
        try fixture.coordinator.setMetadata(["colour": "red"], for: fixture.handle)
        try fixture.run { try $0.save() }
        #expect(store.current.contents?.metadata.values == ["colour": "red"])
        try fixture.run { try $0.save() }
        #expect(store.current.saveCount == 1)
    }

    @Test func `contents that do not fit are refused when the store is opened (§11.7.4)`() throws {
        try open().run { try Club.fill($0) }
        let good = try #require(store.current.contents)
        for (node, reason) in [
            (StoreNode(id: StoreNodeID(entityName: "Nothing", reference: 1)), .unknownEntity),
            (good.nodes[0], .duplicate),
            (StoreNode(id: StoreNodeID(entityName: "Team", reference: 9)), .missingValue),
        ] as [(StoreNode, StoreNodeError.Reason)] {
            let bad = AtomicStoreContents(metadata: good.metadata, nodes: good.nodes + [node])
            store.change { $0.contents = bad }
            let error = #expect(throws: StoreNodeError.self) { try open() }
            #expect(error?.reason == reason && error?.id == node.id)
        }
        store.change { $0.contents = good }
        #expect(try open().run { try Club.summary($0) } == Club.filled)
    }
}
