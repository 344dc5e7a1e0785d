import Foundation
import ObjectGraph
import TestSupport
import Testing

private typealias Member = Club.Member
private typealias Team = Club.Team

@Suite struct `Errors of incremental stores (§11.6)` {
    let store = ProbeStore()
    let fixture: OwnStoreFixture

    init() throws {
        fixture = try OwnStoreFixture(.incremental(store))
        try fixture.run { try Club.fill($0) }
    }

    private static func id(_ entity: String, _ reference: Int64) -> StoreNodeID {
        StoreNodeID(entityName: entity, reference: reference)
    }

    /// Nodes that do not fit, and why.
    private static let badNodes: [(StoreNode, StoreNodeError.Reason, String?)] = [
        (StoreNode(id: id("Member", 9)), .missingValue, "name"),
        (StoreNode(id: id("Member", 9), values: ["name": nil]), .missingValue, "name"),
        (StoreNode(id: id("Member", 0), values: ["name": "x"]), .invalidReference, nil),
        (StoreNode(id: id("Member", -3), values: ["name": "x"]), .invalidReference, nil),
        (StoreNode(id: id("Member", 9), values: ["name": 5]), .unacceptableValue(5), "name"),
        (
            StoreNode(id: id("Member", 9), values: ["name": "x", "age": 70_000]),
            .unacceptableValue(70_000), "age"
        ),
        (
            StoreNode(id: id("Member", 9), values: ["name": "x", "agee": 7]), .unknownProperty,
            "agee"
        ),
        (
            StoreNode(id: id("Member", 9), values: ["name": "x", "teams": 7]), .unknownProperty,
            "teams"
        ),
        (
            StoreNode(
                id: id("Member", 9), values: ["name": "x"], relationships: ["name": []]),
            .unknownProperty, "name"
        ),
        (
            StoreNode(
                id: id("Member", 9), values: ["name": "x"],
                relationships: ["teams": [id("Member", 1)]]),
            .unacceptableDestinations([id("Member", 1)]), "teams"
        ),
        (
            StoreNode(
                id: id("Member", 9), values: ["name": "x"],
                relationships: ["teams": [id("Nothing", 1)]]),
            .unacceptableDestinations([id("Nothing", 1)]), "teams"
        ),
        (
            StoreNode(
                id: id("Member", 9), values: ["name": "x"],
                relationships: ["teams": [id("Team", 1), id("Team", 1)]]),
            .unacceptableDestinations([id("Team", 1), id("Team", 1)]), "teams"
        ),
        (
            // Prizes have their winner; a member does not list them.
            StoreNode(
                id: id("Member", 9), values: ["name": "x"],
                relationships: ["prizes": [id("Prize", 1)]]),
            .unacceptableDestinations([id("Prize", 1)]), "prizes"
        ),
    ]

    @Test(arguments: badNodes.indices)
    func `a node that does not fit is an error that names it (§11.6.8)`(_ index: Int) throws {
        let (node, reason, property) = Self.badNodes[index]
        store.change { $0.nodes[node.id] = node }
        let request = FetchRequest(entityName: "Member")
        let error = #expect(throws: StoreNodeError.self) {
            try fixture.run { try $0.count(for: request) }
        }
        #expect(error?.reason == reason && error?.id == node.id && error?.property == property)
        #expect(error?.code == 134060 && error?.description.hasSuffix(".") == true)

        store.change { $0.nodes[node.id] = nil }
        #expect(try fixture.run { try Club.summary($0) } == Club.filled)
    }

    @Test func `a fault whose node does not fit reads as nil, and nothing is saved (§11.6.8)`()
        throws
    {
        let context = fixture.makeContext()
        try context.performAndWait {
            context.faultHandler = { _, _ in }
            // The row cache has the row from before.
            context.stalenessInterval = .zero
            let ben = try #require(
                try Member.findFirst(in: context, sortedBy: [.descending("name")]))
            let node = try #require(StoreNodeID(ben.objectID))
            let good = store.current.nodes[node]
            store.change { $0.nodes[node]?.values["age"] = "old" }
            context.refreshAllObjects()
            ben[Member.age] = (ben[Member.age] ?? 0) + 1
            #expect(throws: (any Error).self) { try context.save() }
            #expect(store.current.plans.count == 1)

            store.change { $0.nodes[node] = good }
            context.rollback()
            context.refresh(ben, mergeChanges: false)
            #expect(ben[Member.name] == "Ben" && ben[Member.age] == nil)
        }
    }

    @Test func `a node that was not asked for is an error (§11.6.8)`() throws {
        final class Confused: IncrementalStore {
            func nodes(ofEntity name: String) -> [StoreNode] {
                [StoreNode(id: StoreNodeID(entityName: "Team", reference: 1))]
            }
            func save(_ plan: StoreSavePlan) {}
        }
        let fixture = try OwnStoreFixture(.incremental(Confused()))
        let error = #expect(throws: StoreNodeError.self) {
            try fixture.run { try $0.count(for: FetchRequest(entityName: "Member")) }
        }
        #expect(error?.reason == .notRequested)
    }

    @Test func `a store that throws changes nothing (§11.6.9)`() throws {
        let context = fixture.makeContext()
        try context.performAndWait {
            let ben = try #require(
                try Member.findFirst(in: context, sortedBy: [.descending("name")]))
            ben[Member.age] = 20
            let team = Team(context: context)
            team[Team.name] = "Green"
            store.change { $0.saveFailures = [ProbeStore.Outage()] }
            #expect(throws: ProbeStore.Outage()) { try context.save() }
            #expect(context.hasChanges && team.objectID.isTemporaryID && ben[Member.age] == 20)

            store.change { $0.readFailure = ProbeStore.Outage() }
            #expect(throws: ProbeStore.Outage()) {
                try context.fetch(FetchRequest(entityName: "Prize"))
            }
            #expect(throws: ProbeStore.Outage()) { try context.save() }

            store.change { $0.readFailure = nil }
            try context.save()
        }
        #expect(store.current.nodes.values.contains { $0.values["name"] == "Green" })
        #expect(store.current.nodes.values.contains { $0.values["age"] == 20 })
    }

    // MARK: - Metadata

    @Test func `metadata are written with the plan (§11.6.10)`() throws {
        try fixture.coordinator.setMetadata(["colour": "red"], for: fixture.handle)
        #expect(store.current.metadata?.values == [:])
        try fixture.run { try $0.save() }
        #expect(store.current.metadata?.values == ["colour": "red"])
        let other = try OwnStoreFixture(.incremental(store))
        #expect(try other.coordinator.metadata(for: other.handle).values == ["colour": "red"])
    }

    @Test func `a store of another model is refused (§11.6.10)`() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(name: "Team", attributes: [AttributeDescription("name", .string)])
        ])
        let error = #expect(throws: StoreError.self) {
            try OwnStoreFixture(.incremental(store), model: model)
        }
        #expect(error?.reason == .incompatibleModel(entities: ["Cup", "Member", "Prize", "Team"]))
        let opened = try OwnStoreFixture(.incremental(store), model: model) {
            $0.ignoresModelVersions = true
        }
        // Its teams have members, which this model lacks.
        let unread = #expect(throws: StoreNodeError.self) {
            try opened.run { try $0.count(for: FetchRequest(entityName: "Team")) }
        }
        #expect(unread?.reason == .unknownProperty && unread?.property == "members")
    }

    @Test func `an identifier has to be a UUID (§11.6.10)`() throws {
        store.change { state in
            state.metadata = state.metadata.map {
                StoreMetadata(
                    identifier: "my store", type: $0.type, versionHashes: $0.versionHashes)
            }
        }
        let error = #expect(throws: StoreError.self) { try OwnStoreFixture(.incremental(store)) }
        #expect(error?.code == 134020)
    }

    // MARK: - Features of SQLite alone

    @Test func `features of SQLite alone are refused by name (§11.6.11)`() throws {
        fixture.run { context in
            let error = #expect(throws: StoreError.self) {
                try context.execute(
                    BatchUpdateRequest(
                        entityName: "Team", propertiesToUpdate: ["name": .constant("x")]))
            }
            #expect(error?.code == 134091)
        }
        let derived = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Note",
                attributes: [
                    AttributeDescription("text", .string),
                    AttributeDescription("key", .string, derivation: "canonical:(text)"),
                ])
        ])
        let error = #expect(throws: StoreError.self) {
            try OwnStoreFixture(.incremental(ProbeStore()), model: derived)
        }
        #expect(error?.reason == .cannotDerive(entity: "Note", attribute: "key"))
        let reading = try OwnStoreFixture(.incremental(store)) { $0.isReadOnly = true }
        reading.run { context in
            Team(context: context)[Team.name] = "Green"
            let error = #expect(throws: StoreError.self) { try context.save() }
            #expect(error?.reason == .readOnly)
        }
    }

    // MARK: - Several stores

    /// A coordinator with a SQLite store for authors and a store of one's own for specimens.
    private func save(ownIsLast: Bool, _ store: ProbeStore, file: URL) throws -> (any Error)? {
        let library = try makeLibraryModel()
        let authors: Set = ["Author", "Publication", "Book", "Magazine", "Topic"]
        let model = try ManagedObjectModel(
            entities: Array(library.entitiesByName.values),
            configurations: ["own": ["Specimen"], "file": authors])
        let coordinator = PersistentStoreCoordinator(model: model)
        let type = PersistentStoreDescription.StoreType(rawValue: UUID().uuidString)
        PersistentStoreCoordinator.registerStoreType(type) { _, _ in .incremental(store) }
        var own = PersistentStoreDescription(type: type)
        own.configuration = "own"
        var sqlite = PersistentStoreDescription.sqlite(at: file)
        sqlite.configuration = "file"
        for description in ownIsLast ? [sqlite, own] : [own, sqlite] {
            try coordinator.addPersistentStore(description)
        }
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        return try context.performAndWait {
            TestSupport.Author(context: context).name = "Lem"
            Specimen(context: context)[Specimen.string] = "moth"
            store.change { $0.saveFailures = [ProbeStore.Outage()] }
            var failure: (any Error)?
            do { try context.save() } catch { failure = error }
            if ownIsLast {
                #expect(context.hasChanges)
                try context.save()
                #expect(store.current.nodes.count == 1)
            }
            return failure
        }
    }

    @Test func `a store that fails after all others have written undoes their part (§11.6.12)`()
        throws
    {
        let folder = TemporaryFolder()
        let last = try save(ownIsLast: true, ProbeStore(), file: folder.url("first.sqlite"))
        #expect(last is ProbeStore.Outage)
        let first = try save(ownIsLast: false, ProbeStore(), file: folder.url("last.sqlite"))
        guard case .incompleteSave? = (first as? StoreError)?.reason else {
            Issue.record("\(String(describing: first))")
            return
        }
    }
}
