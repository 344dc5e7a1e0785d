import Foundation
import ObjectGraph
import Synchronization
import Testing

private typealias Member = Club.Member
private typealias Prize = Club.Prize
private typealias Team = Club.Team

@Suite struct `Incremental stores (§11.6)` {
    let store = ProbeStore()
    let fixture: OwnStoreFixture

    init() throws { fixture = try OwnStoreFixture(.incremental(store)) }

    private func id(_ entity: String, _ reference: Int64) -> StoreNodeID {
        StoreNodeID(entityName: entity, reference: reference)
    }

    // MARK: - Types

    @Test func `a type is registered by name, and gets the description and the model (§11.6.1)`()
        throws
    {
        let type = PersistentStoreDescription.StoreType(rawValue: UUID().uuidString)
        let seen = Mutex<[PersistentStoreDescription]>([])
        let model = try Club.model()
        PersistentStoreCoordinator.registerStoreType(type) { description, given in
            #expect(given === model)
            seen.withLock { $0.append(description) }
            return .incremental(ProbeStore())
        }
        let coordinator = PersistentStoreCoordinator(model: model)
        let url = URL(string: "https://example.org/club")!
        let handle = try coordinator.addPersistentStore(
            PersistentStoreDescription(type: type, url: url, options: ["depth": 3]))

        #expect(seen.withLock { $0.map(\.options) } == [["depth": 3]])
        #expect(handle.url == url && UUID(uuidString: handle.identifier) != nil)
        #expect(try coordinator.metadata(for: handle).type == type)
        let error = #expect(throws: StoreError.self) {
            try coordinator.destroyPersistentStore(handle)
        }
        #expect(error?.code == 134091)
    }

    @Test func `a type that is not registered is an error (§11.6.1, §5.6)`() throws {
        let coordinator = PersistentStoreCoordinator(model: try Club.model())
        let error = #expect(throws: StoreError.self) {
            try coordinator.addPersistentStore(PersistentStoreDescription(type: "Nowhere"))
        }
        #expect(error?.reason == .unknownStoreType("Nowhere") && error?.code == 134000)
    }

    @Test func `the engine's own types cannot be registered (§11.6.1)`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            PersistentStoreCoordinator.registerStoreType(.sqlite) { _, _ in
                .incremental(DictionaryStore())
            }
        }
        #expect(result.message.contains("register another name"), "\(result.message)")
    }

    // MARK: - Requests

    @Test(arguments: [
        ("Member", "age > 30", 1, ["Member"]), ("Team", "TRUEPREDICATE", 2, ["Team"]),
        ("Prize", "winner.name == 'Ada'", 2, ["Cup", "Member", "Prize"]),
        ("Member", "ANY teams.name == 'Red'", 2, ["Member", "Team"]),
        ("Member", "prizes.@count > 1", 1, ["Cup", "Member", "Prize"]),
    ])
    func `the engine evaluates requests, over the entities concerned (§11.6.2)`(
        _ entity: String, _ format: String, _ count: Int, _ scans: [String]
    ) throws {
        try fixture.run { try Club.fill($0) }
        let request = FetchRequest(entityName: entity, predicate: try ObjectPredicate(format))
        store.change { $0.scans = [] }
        #expect(try fixture.run { try $0.count(for: request) } == count)
        #expect(store.current.scans.sorted() == scans)
    }

    @Test func `orders, limits and dictionaries come from the engine (§11.6.2)`() throws {
        try fixture.run { try Club.fill($0) }
        var request = FetchRequest(entityName: "Prize", sortKeys: [.descending("title")])
        request.fetchLimit = 1
        request.propertiesToFetch = ["title", "winner.name"]
        let (titles, rows) = try fixture.run { [request] context in
            (
                try context.fetch(request, as: Prize.self).map { $0[Prize.title] },
                try context.fetchDictionaries(request)
            )
        }
        #expect(titles == ["Medal"])
        #expect(rows == [["title": "Medal", "winner.name": "Ada"]])
    }

    @Test func `a store that can do better answers itself (§11.6.3)`() throws {
        try fixture.run { try Club.fill($0) }
        store.change {
            $0.answersItself = true
            $0.scans = []
        }
        let request = FetchRequest(entityName: "Member", sortKeys: [.ascending("name")])
        try fixture.run { context in
            let members = try context.fetch(request, as: Member.self)
            #expect(members.map { $0[Member.name] } == ["Ben", "Ada"])
            #expect(try context.count(for: request) == 42)
            #expect(try context.fetchObjectIDs(request).count == 2)
            let titles = members[1][Member.prizes].map { $0[Prize.title] }
            // By references, the greatest first.
            #expect(Set(titles) == ["Grail", "Medal"])
        }
        #expect(store.current.scans == [])
    }

    @Test func `faults, pairs and look-ups ask for single nodes (§11.6.3)`() throws {
        let id = try fixture.run { context in
            try Club.fill(context)
            return try Member.findFirst(in: context, sortedBy: [.ascending("name")])!.objectID
        }
        store.change { $0.scans = [] }
        let other = try OwnStoreFixture(.incremental(store))
        let uri = id.uriRepresentation
        try other.run { context in
            let own = try #require(
                other.coordinator.managedObjectID(forURIRepresentation: uri))
            let ada = try #require(try context.existingObject(with: own) as? Member)
            #expect(ada[Member.name] == "Ada")
            #expect(ada[Member.teams].map { $0[Team.name] } == ["Red", "Blue"])
        }
        #expect(store.current.scans == [])
    }

    // MARK: - Nodes

    @Test func `nodes have values and relationships by name (§11.6.4)`() throws {
        try fixture.run { try Club.fill($0) }
        let nodes = store.current.nodes
        let ada = try #require(nodes.values.first { $0.values["name"] == "Ada" })
        let grail = try #require(nodes.values.first { $0.id.entityName == "Cup" })
        let red = try #require(nodes.values.first { $0.values["name"] == "Red" })

        #expect(ada.values == ["name": "Ada", "age": 36] && ada.version == 1)
        #expect(Set(ada.relationships.keys) == ["teams"])
        #expect(ada.relationships["teams"]?.first == red.id)
        #expect(red.relationships["members"]?.contains(ada.id) == true)
        #expect(grail.values["title"] == "Grail" && grail.values["height"] == 0.3)
        #expect(grail.values.keys.contains { $0.hasPrefix("(place in ") })
        #expect(grail.relationships == ["winner": [ada.id]])
    }

    @Test func `another coordinator reads the saved nodes (§11.6.4)`() throws {
        try fixture.run { try Club.fill($0) }
        let other = try OwnStoreFixture(.incremental(store))
        #expect(other.handle.identifier == fixture.handle.identifier)
        #expect(try other.run { try Club.summary($0) } == Club.filled)
    }

    @Test func `a transformable value is its data (§11.6.4)`() throws {
        try fixture.run { context in
            let team = Team(context: context)
            (team[Team.name], team[Team.badge]) = ("Red", ["lion", "crown"])
            try context.save()
        }
        let node = try #require(store.current.nodes.values.first)
        guard case .data? = node.values["badge"] else {
            Issue.record("\(node)")
            return
        }
        let other = try OwnStoreFixture(.incremental(store))
        #expect(
            try other.run { try Team.findFirst(in: $0)?[Team.badge] } == ["lion", "crown"])
    }

    // MARK: - Saving

    @Test func `a save is one plan (§11.6.5)`() throws {
        let context = fixture.makeContext()
        try context.performAndWait {
            try Club.fill(context)
            let ada = try #require(
                try Member.findFirst(in: context, sortedBy: [.ascending("name")]))
            ada[Member.age] = 37
            ada[Member.teams].removeLast()
            context.delete(ada[Member.prizes][1])
            try context.save()
        }
        let plans = store.current.plans
        #expect(plans.count == 2 && plans[0].inserted.count == 6 && plans[0].updated.isEmpty)
        let updated = plans[1].updated
        let ada = try #require(updated.first { $0.node.values["name"] == "Ada" })
        let blue = try #require(updated.first { $0.node.values["name"] == "Blue" })
        #expect(ada.changedProperties.isSuperset(of: ["age", "teams"]))
        #expect(!ada.changedProperties.contains("name"))
        #expect(ada.expectedVersion == 1 && ada.node.version == 2)
        #expect(ada.node.relationships["teams"]?.count == 1)
        #expect(blue.changedProperties == ["members"] && blue.node.relationships == [:])
        #expect(plans[1].deleted.map(\.id.entityName) == ["Prize"])
        #expect(plans[1].deleted.map(\.version) == [1])
        #expect(plans[1].metadata.identifier == fixture.handle.identifier)
    }

    @Test func `the order of members can change (§11.6.5)`() throws {
        let context = fixture.makeContext()
        try context.performAndWait {
            try Club.fill(context)
            let ada = try #require(
                try Member.findFirst(in: context, sortedBy: [.ascending("name")]))
            ada[Member.teams].reverse()
            ada[Member.prizes].reverse()
            try context.save()
        }
        #expect(
            try fixture.run { try Club.summary($0) }.first
                == #"Ada 36 ["Medal", "Grail 0.3"] ["Blue 1", "Red 2"]"#)
    }

    @Test(arguments: [true, false])
    func `the engine compares versions, and a merge policy settles (§11.6.6)`(_ settles: Bool)
        throws
    {
        try fixture.run { try Club.fill($0) }
        let context = fixture.makeContext()
        try context.performAndWait {
            if settles { context.mergePolicy = .mergeByPropertyObjectTrump }
            let ben = try #require(
                try Member.findFirst(in: context, sortedBy: [.descending("name")]))
            ben[Member.age] = 20
            // Written by others, past the engine.
            store.change { state in
                for (id, var node) in state.nodes where node.values["name"] == "Ben" {
                    node.version = 5
                    node.values["name"] = "Benno"
                    state.nodes[id] = node
                }
            }
            guard !settles else {
                try context.save()
                return
            }
            let error = #expect(throws: SaveError.self) { try context.save() }
            guard case .mergeConflicts(let conflicts) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(conflicts.map(\.newVersion) == [5] && context.hasChanges)
        }
        let ben = try #require(
            store.current.nodes.values.first { $0.values["name"] == "Benno" })
        #expect(ben.version == (settles ? 6 : 5))
        #expect(ben.values["age", default: .null] == (settles ? .integer(20) : .null))
    }

    @Test func `a store that others write to reports conflicts itself (§11.6.6)`() throws {
        try fixture.run { try Club.fill($0) }
        let context = fixture.makeContext()
        try context.performAndWait {
            let ben = try #require(
                try Member.findFirst(in: context, sortedBy: [.descending("name")]))
            ben[Member.age] = 20
            let node = try #require(StoreNodeID(ben.objectID))
            store.change { $0.saveFailures = [StoreSaveConflict([node])] }
            let error = #expect(throws: SaveError.self) { try context.save() }
            guard case .mergeConflicts = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            let unknown = StoreSaveConflict([id("Team", 99)])
            store.change { $0.saveFailures = [unknown] }
            #expect(throws: unknown) { try context.save() }
            context.mergePolicy = .overwrite
            store.change { $0.saveFailures = [StoreSaveConflict([node])] }
            try context.save()
        }
        #expect(store.current.nodes.values.contains { $0.values["age"] == 20 })
    }

    // MARK: - References

    @Test func `references count on, or come from the store (§11.6.7)`() throws {
        let old = StoreNode(id: id("Cup", 41), values: ["title": "old"])
        store.change { $0.nodes[old.id] = old }
        let first = try fixture.run { context in
            let prize = Prize(context: context)
            prize[Prize.title] = "new"
            try context.save()
            return prize.objectID.uriRepresentation.lastPathComponent
        }
        #expect(first == "p42")
        store.change { $0.nextReference = 1_000 }
        let second = try fixture.run { context in
            let team = Team(context: context)
            team[Team.name] = "Green"
            try context.obtainPermanentIDs(for: [team])
            try context.save()
            return team.objectID.uriRepresentation.lastPathComponent
        }
        #expect(second == "p1000")
        store.change { $0.nextReference = -7 }
        fixture.run { context in
            Team(context: context)[Team.name] = "Black"
            let error = #expect(throws: StoreNodeError.self) { try context.save() }
            #expect(error?.reason == .invalidReference)
        }
    }
}
