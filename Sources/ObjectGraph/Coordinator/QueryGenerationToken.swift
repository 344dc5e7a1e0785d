/// Names a generation: one state of a coordinator's stores, which a context may go on reading while
/// others write (spec §4.7).
///
/// A token that a context has read with keeps its generation. So does the context. The token can be
/// handed to other contexts of the coordinator, which then read the same state.
public struct QueryGenerationToken: Sendable, Hashable {
    /// Nil for the newest one.
    let generation: Generation?

    /// The generation that is the newest when the context next reads.
    public static let current = Self(generation: nil)

    public static func == (first: Self, second: Self) -> Bool {
        first.generation === second.generation
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(generation.map(ObjectIdentifier.init))
    }
}

/// One state of a coordinator's stores, for reading.
///
/// It exists as long as a token, or the channel of a context, refers to it.
final class Generation: Sendable {
    let coordinator: PersistentStoreCoordinator

    /// The stores that the coordinator had. A store that keeps no earlier states, such as one in
    /// memory, is the coordinator's own.
    private let records: [PersistentStoreCoordinator.StoreRecord]

    /// Pins the present state of each store, one after the other.
    ///
    /// Of a save that writes to several stores at this moment, it may have a part.
    init(of coordinator: PersistentStoreCoordinator) throws {
        self.coordinator = coordinator
        records = try coordinator.records.map { try $0.pinned(coordinator.model) }
    }

    /// The store with this number; nil if it was added later.
    func record(number: Int) -> PersistentStoreCoordinator.StoreRecord? {
        records.first { $0.number == number }
    }

    /// The stores whose configuration has one of the entities.
    ///
    /// - Throws: `StoreError` with the reason `generationUnavailable` if one was removed.
    func records(
        holding entityIndexes: ClosedRange<Int>, in stores: [String]?
    ) throws -> [PersistentStoreCoordinator.StoreRecord] {
        let records = records.filter { $0.isMeant(holding: entityIndexes, in: stores) }
        for record in records { try requireOpen(record) }
        return records
    }

    /// - Throws: `StoreError` with the reason `generationUnavailable` if a store was removed.
    func requireAllOpen() throws {
        for record in records { try requireOpen(record) }
    }

    func requireOpen(_ record: PersistentStoreCoordinator.StoreRecord) throws {
        guard coordinator.record(number: record.number) != nil else {
            throw StoreError(.generationUnavailable, url: record.store.url)
        }
    }
}

extension PersistentStoreCoordinator.StoreRecord {
    /// The store at its present state, with a row cache of its own, since the coordinator's row
    /// cache has newer rows. This record if the store keeps no earlier states.
    fileprivate func pinned(_ model: ManagedObjectModel) throws -> Self {
        guard let pinned = try store.pinned() else { return self }
        return Self(
            number: number, store: pinned, rowCache: RowCache(model: model), scopes: scopes,
            entityNames: entityNames, holds: holds, remoteChanges: nil)
    }
}
