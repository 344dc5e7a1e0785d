import Foundation
import TestSupport

@testable import ObjectGraph

/// A store with a history. Deleting a team deletes its players, which have a place in it.
///
///     Team ──< Player (ordered)    Player >──< Badge    Player ── Coach
struct HistoryFixture: Sendable {
    let store: StoreFixture
    var context: ManagedObjectContext { store.context }
    var coordinator: PersistentStoreCoordinator { store.coordinator }
    var identifier: String { coordinator.persistentStores[0].identifier }

    init(tracksHistory: Bool = true) throws {
        store = try StoreFixture(Self.model, tracksHistory: tracksHistory)
    }

    static let model = try! ManagedObjectModel(entities: [
        EntityDescription(
            name: "Team",
            attributes: [
                AttributeDescription(
                    "name", .string, preservesValueInHistoryOnDeletion: true),
                AttributeDescription("founded", .integer32),
                AttributeDescription(
                    "code", .integer64, preservesValueInHistoryOnDeletion: true),
                AttributeDescription(
                    "logo", .binaryData, allowsExternalStorage: true,
                    preservesValueInHistoryOnDeletion: true),
            ],
            relationships: [
                .toMany("players", "Player", inverse: "team", deleteRule: .cascade, isOrdered: true)
            ]),
        EntityDescription(
            name: "Player",
            attributes: [
                AttributeDescription("name", .string), AttributeDescription("goals", .integer32),
                AttributeDescription("mood", .string, isTransient: true),
            ],
            relationships: [
                .toOne("team", "Team", inverse: "players"),
                .toOne("coach", "Coach", inverse: "players"),
                .toMany("badges", "Badge", inverse: "players"),
            ]),
        EntityDescription(
            name: "Keeper", superentity: "Player",
            attributes: [AttributeDescription("saves", .integer32)]),
        EntityDescription(
            name: "Coach", attributes: [AttributeDescription("name", .string)],
            relationships: [.toMany("players", "Player", inverse: "coach")]),
        EntityDescription(
            name: "Badge", attributes: [AttributeDescription("name", .string)],
            relationships: [.toMany("players", "Player", inverse: "badges")],
            uniquenessConstraints: [["name"]]),
    ])

    @discardableResult
    func run<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) rethrows -> Result {
        try store.run(body)
    }

    /// Saves an object.
    @discardableResult
    func save(_ entity: String, _ name: String) throws -> ManagedObjectID {
        try run { context in
            let object = try context.insert(entity, ["name": name])
            try context.save()
            return object.objectID
        }
    }

    func history(
        after position: PersistentHistoryPosition? = nil
    ) throws -> [PersistentHistoryTransaction] {
        try run { try $0.fetchHistory(PersistentHistoryRequest(after: position)) }
    }

    /// The changes of the last transaction as text, such as `update Player name goals`.
    func lastChanges() throws -> [String] {
        try history().last?.changes?.map(\.text) ?? []
    }

    func token() throws -> PersistentHistoryToken {
        try coordinator.currentPersistentHistoryToken()
    }

    /// Opens the file with another coordinator.
    func reopened(
        _ configure: (inout PersistentStoreDescription) -> Void = { $0.tracksHistory = true }
    ) throws -> ManagedObjectContext {
        let coordinator = PersistentStoreCoordinator(model: Self.model)
        var description = PersistentStoreDescription.sqlite(at: store.folder.url("store.sqlite"))
        configure(&description)
        try coordinator.addPersistentStore(description)
        return ManagedObjectContext(.privateQueue, coordinator: coordinator)
    }
}

extension PersistentHistoryChange {
    var text: String {
        ([String(describing: changeType), changedObjectID.entityName]
            + (updatedProperties ?? []).sorted()).joined(separator: " ")
    }
}
