import Synchronization

/// The level above a pinned context: it reads from a generation and writes to the newest state.
///
/// A context that moves to another generation gets another channel.
final class GenerationChannel: StoreChannel {
    let coordinator: PersistentStoreCoordinator

    /// Nil until something is read, if the context is pinned to the newest generation.
    private let pinned: Mutex<Generation?>

    init(_ token: QueryGenerationToken, of coordinator: PersistentStoreCoordinator) {
        self.coordinator = coordinator
        pinned = Mutex(token.generation)
    }

    var token: QueryGenerationToken {
        QueryGenerationToken(generation: pinned.withLock { $0 })
    }

    func stores() -> any StoreChannel { self }

    // MARK: - Reading

    private func generation() throws -> Generation {
        if let known = pinned.withLock({ $0 }) { return known }
        let newest = try Generation(of: coordinator)
        // An asynchronous fetch may have pinned another one meanwhile.
        return pinned.withLock { pinned in
            if pinned == nil { pinned = newest }
            return pinned!
        }
    }

    func records(
        holding entityIndexes: ClosedRange<Int>, in stores: [String]?
    ) throws -> [StoreRecord] {
        try generation().records(holding: entityIndexes, in: stores)
    }

    func openRecord(_ number: Int, entityName: String) throws -> StoreRecord {
        let generation = try generation()
        guard let record = generation.record(number: number) else {
            throw StoreError(
                .generationUnavailable, url: coordinator.record(number: number)?.store.url)
        }
        try generation.requireOpen(record)
        return record
    }

    // MARK: - Writing

    func reserveKeys(_ count: Int, root: Entity, storeNumber: Int) throws -> Range<Int64> {
        try coordinator.reserveKeys(count, root: root, storeNumber: storeNumber)
    }

    func save(
        _ plans: [StorePlan], from origin: ChangeOrigin, ifCurrent isCurrent: @Sendable () -> Bool
    ) throws -> PersistentHistoryToken? {
        try coordinator.save(plans, from: origin, ifCurrent: isCurrent)
    }

    // MARK: - Registered objects

    // The coordinator counts them whatever the context reads, so that its counts stay right when
    // the context moves. The generation's row cache does not count objects that were registered
    // before; it keeps their rows until the generation ends.

    func register(_ keys: [Int64], root: Int, storeNumber: Int) {
        coordinator.register(keys, root: root, storeNumber: storeNumber)
        ownRowCache(storeNumber)?.register(keys, root: root)
    }

    func register(_ key: Int64, root: Int, storeNumber: Int) {
        register([key], root: root, storeNumber: storeNumber)
    }

    func unregister(_ keys: [Int64], root: Int, storeNumber: Int) {
        coordinator.unregister(keys, root: root, storeNumber: storeNumber)
        ownRowCache(storeNumber)?.unregister(keys, root: root)
    }

    private func ownRowCache(_ storeNumber: Int) -> RowCache? {
        let generation = pinned.withLock { $0 }
        let cache = generation?.record(number: storeNumber)?.rowCache
        return cache === coordinator.record(number: storeNumber)?.rowCache ? nil : cache
    }
}
