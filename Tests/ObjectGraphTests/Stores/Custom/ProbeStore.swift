import Foundation
import ObjectGraph
import Synchronization
import TestSupport

/// A dictionary of nodes that shows what it was asked for, and fails on request.
final class ProbeStore: IncrementalStore {
    struct State: Sendable {
        var nodes: [StoreNodeID: StoreNode] = [:]
        var metadata: StoreMetadata?
        var plans: [StoreSavePlan] = []

        /// The entities whose nodes were all read, in this order.
        var scans: [String] = []

        /// Whether the store runs requests, counts and reads relationships itself: it returns all
        /// nodes of the entity, the greatest reference first, and counts 42.
        var answersItself = false

        /// The first of the references that the store gives; nil if it gives none.
        var nextReference: Int64?
        var readFailure: (any Error)?

        /// The errors of the next saves.
        var saveFailures: [any Error] = []
    }

    struct Outage: Error, Equatable {}

    private let state = Mutex(State())

    var current: State { state.withLock { $0 } }

    func change(_ body: @Sendable (inout State) -> Void) { state.withLock { body(&$0) } }

    private func read<Result: Sendable>(
        _ body: @Sendable (inout State) -> Result
    ) throws -> Result {
        try state.withLock { state in
            if let failure = state.readFailure { throw failure }
            return body(&state)
        }
    }

    func loadMetadata() throws -> StoreMetadata? { try read { $0.metadata } }

    func nodes(ofEntity name: String) throws -> [StoreNode] {
        try read { state in
            state.scans.append(name)
            return state.nodes.values.filter { $0.id.entityName == name }
        }
    }

    func nodes(for ids: [StoreNodeID]) throws -> [StoreNode] {
        try read { state in ids.compactMap { state.nodes[$0] } }
    }

    func fetch(_ request: FetchRequest) throws -> [StoreNode]? {
        try read { state in
            guard state.answersItself else { return nil }
            return state.nodes.values.filter { $0.id.entityName == request.entityName }
                .sorted { $0.id.reference > $1.id.reference }
        }
    }

    func count(for request: FetchRequest) throws -> Int? {
        try read { $0.answersItself ? 42 : nil }
    }

    func destinations(
        of relationship: String, from id: StoreNodeID
    ) throws -> [StoreNodeID]? {
        try read { state in
            guard state.answersItself else { return nil }
            return state.nodes.values.filter { $0.relationships["winner"] == [id] }.map(\.id)
                .sorted { $0.reference > $1.reference }
        }
    }

    func reserveReferences(_ count: Int, forEntity name: String) throws -> Range<Int64>? {
        try read { state in
            guard let first = state.nextReference else { return nil }
            state.nextReference = first + Int64(count)
            return first..<first + Int64(count)
        }
    }

    func save(_ plan: StoreSavePlan) throws {
        try state.withLock { state in
            if !state.saveFailures.isEmpty { throw state.saveFailures.removeFirst() }
            plan.apply(to: &state.nodes)
            state.metadata = plan.metadata
            state.plans.append(plan)
        }
    }
}

/// Entities with a relationship of each kind.
///
///     Member ──< Prize (Cup), in an order      Member >──< Team, in the member's order
enum Club {
    final class Member: ManagedObject {
        static let name = Attribute<String>("name")
        static let age = Attribute<Int?>("age", .integer16)
        static let prizes = OrderedToMany<Prize>("prizes", inverse: Prize.winner)
        static let teams = OrderedToMany<Team>("teams", inverse: Team.members)
        override class var managedProperties: [any ManagedProperty] { [name, age, prizes, teams] }
    }

    class Prize: ManagedObject {
        static let title = Attribute<String>("title")
        static let winner = ToOne<Member>("winner")
        override class var managedProperties: [any ManagedProperty] { [title, winner] }
    }

    final class Cup: Prize {
        static let height = Attribute<Double?>("height")
        override class var managedProperties: [any ManagedProperty] { [height] }
    }

    final class Team: ManagedObject {
        static let name = Attribute<String>("name")
        static let badge = Transformable<[String]>("badge")
        static let members = ToMany<Member>("members")
        override class var managedProperties: [any ManagedProperty] { [name, badge, members] }
    }

    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(Member.self), EntityDescription(Prize.self),
            EntityDescription(Cup.self), EntityDescription(Team.self),
        ])
    }

    /// Ada has a cup and a prize, in this order, and is in the teams Red and Blue; Ben is in Red.
    static func fill(_ context: ManagedObjectContext) throws {
        let (ada, ben) = (Member(context: context), Member(context: context))
        (ada[Member.name], ada[Member.age], ben[Member.name]) = ("Ada", 36, "Ben")
        let (prize, cup) = (Prize(context: context), Cup(context: context))
        (prize[Prize.title], cup[Prize.title], cup[Cup.height]) = ("Medal", "Grail", 0.3)
        let (red, blue) = (Team(context: context), Team(context: context))
        (red[Team.name], blue[Team.name]) = ("Red", "Blue")
        ada[Member.prizes] = [cup, prize]
        ada[Member.teams] = [red, blue]
        ben[Member.teams] = [red]
        try context.save()
    }

    /// What `fill` leaves, and what changes of it lead to.
    static func summary(_ context: ManagedObjectContext) throws -> [String] {
        let request = FetchRequest(entityName: "Member", sortKeys: [.ascending("name")])
        return try context.fetch(request, as: Member.self).map { member in
            let prizes = member[Member.prizes].map { prize in
                prize[Prize.title] + ((prize as? Cup).map { " \($0[Cup.height] ?? 0)" } ?? "")
            }
            let teams = member[Member.teams].map { team in
                "\(team[Team.name]) \(team[Team.members].count)"
            }
            return "\(member[Member.name]) \(member[Member.age] ?? 0) \(prizes) \(teams)"
        }
    }

    static let filled = [
        #"Ada 36 ["Grail 0.3", "Medal"] ["Red 2", "Blue 1"]"#, #"Ben 0 [] ["Red 2"]"#,
    ]
}

/// A coordinator on a store of one's own, under a type that no other test has.
struct OwnStoreFixture: Sendable {
    let coordinator: PersistentStoreCoordinator
    let handle: PersistentStoreHandle

    init(
        _ store: CustomStore, model: ManagedObjectModel? = nil,
        _ change: (inout PersistentStoreDescription) -> Void = { _ in }
    ) throws {
        let type = PersistentStoreDescription.StoreType(rawValue: UUID().uuidString)
        PersistentStoreCoordinator.registerStoreType(type) { _, _ in store }
        var description = PersistentStoreDescription(type: type)
        change(&description)
        coordinator = PersistentStoreCoordinator(model: try model ?? Club.model())
        handle = try coordinator.addPersistentStore(description)
    }

    func makeContext() -> ManagedObjectContext {
        ManagedObjectContext(.privateQueue, coordinator: coordinator)
    }

    /// Runs the body on the queue of a new context.
    @discardableResult
    func run<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) rethrows -> Result {
        let context = makeContext()
        return try context.performAndWait { try body(context) }
    }
}
