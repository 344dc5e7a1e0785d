import Foundation
import Synchronization

/// How many requests a coordinator runs at a time.
///
/// Apple's coordinator ran one request at a time until 2016; since then it has many readers beside
/// one writer. Claims about stacks depend on this.
public enum LockPolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// Many readers and one writer; the coordinator takes no lock.
    case pooled
    /// Every request holds the coordinator's lock.
    case serialized
}

/// Brings a model and its stores together, and shares one row cache between all contexts on them.
///
/// Safe to use from any thread. Source: spec §11.1.
public final class PersistentStoreCoordinator: Sendable {
    public let model: ManagedObjectModel
    public let lockPolicy: LockPolicy

    let debug: DebugOptions
    let graphCounters = GraphCounters()
    let observers = Observers<CoordinatorNotification>()

    /// Rises whenever a store is added or removed.
    let storeChangeCount = Atomic<Int>(0)
    private let requestLock = Mutex(())
    private let requestHolder = Holder()
    private let state: Mutex<State>

    /// An open store with what the coordinator keeps about it.
    final class StoreRecord: Sendable {
        let number: Int
        let store: any PersistentStore
        let rowCache: RowCache
        /// By entity index.
        let scopes: [ObjectIDScope]

        /// The entities of the store's configuration.
        let entityNames: Set<String>

        /// Whether the configuration has the entity, by entity index.
        let holds: [Bool]

        /// Nil if the store does not post them.
        let remoteChanges: RemoteChangePoster?

        init(
            number: Int, store: any PersistentStore, rowCache: RowCache, scopes: [ObjectIDScope],
            entityNames: Set<String>, holds: [Bool], remoteChanges: RemoteChangePoster?
        ) {
            self.number = number
            self.store = store
            self.rowCache = rowCache
            self.scopes = scopes
            self.entityNames = entityNames
            self.holds = holds
            self.remoteChanges = remoteChanges
        }

        var handle: PersistentStoreHandle { PersistentStoreHandle(number: number, store) }

        /// Whether the configuration has one of the entities, and the store is among those with
        /// these identifiers; nil means all.
        func isMeant(holding entityIndexes: ClosedRange<Int>, in stores: [String]?) -> Bool {
            stores?.contains(store.identifier) ?? true
                && entityIndexes.contains { holds[$0] }
        }
    }

    private struct State {
        /// Store number 1 comes first. A removed store leaves nil.
        var records: [StoreRecord?] = [] { didSet { openRecords = records.compactMap(\.self) } }
        private(set) var openRecords: [StoreRecord] = []
        var mergingContexts: [WeakContext] = []
    }

    private struct WeakContext {
        weak var context: ManagedObjectContext?
    }

    /// The scopes of objects that have no store.
    let unassignedScopes: [ObjectIDScope]

    /// A coordinator without stores.
    ///
    /// `debug` selects what it logs and checks. By default these are the debug options of the
    /// process.
    public init(
        model: ManagedObjectModel, lockPolicy: LockPolicy = .pooled,
        debug: DebugOptions = .process
    ) {
        self.model = model
        self.debug = debug
        if debug.checksQueues { debug.log("CoreData: multi-threading assertions are enabled.") }
        self.lockPolicy = lockPolicy
        state = Mutex(State())
        unassignedScopes = ObjectIDScope.all(in: model, storeIdentifier: nil, storeNumber: 0)
    }

    // MARK: - Stores

    /// Opens a store. A missing folder, file or tables are created.
    ///
    /// - Throws: `StoreError` if the file cannot be opened. The file is then unchanged. A store of
    ///   one's own also throws its own errors.
    @discardableResult
    public func addPersistentStore(
        _ description: PersistentStoreDescription
    ) throws -> PersistentStoreHandle {
        let span = TraceSpan()
        defer { span.end(.openStore, TraceName(description.location?.lastPathComponent ?? "")) }
        return adopt(try makeStore(description), description)
    }

    func makeStore(_ description: PersistentStoreDescription) throws -> any PersistentStore {
        if let expected = description.expectedModelChecksum, !model.hasVersionChecksum(expected) {
            throw StoreError(.unexpectedModel(checksum: expected), url: description.url)
        }
        if let url = description.location?.resolvingSymlinksInPath(),
            records.contains(where: { $0.store.url?.resolvingSymlinksInPath() == url })
        {
            throw StoreError(.alreadyOpen, url: url)
        }
        guard model.entityNames(inConfiguration: description.configuration) != nil else {
            throw StoreError(
                .unknownConfiguration(description.configuration ?? ""), url: description.url)
        }
        if description.type != .sqlite {
            try checkDerivations(description)
            try checkMigrations(description)
        }
        let store: any PersistentStore =
            switch description.type {
            case .sqlite: try openSQLiteStore(description)
            case .inMemory: try InMemoryStore(description, model: model)
            default: try StoreTypes.makeStore(description, model: model, debug: debug)
            }
        // The file is a copy of an open store: object identifiers would be ambiguous.
        if records.contains(where: { $0.store.identifier == store.identifier }) {
            try store.close()
            throw StoreError(.alreadyOpen, url: description.url)
        }
        return store
    }

    private func openSQLiteStore(_ description: PersistentStoreDescription) throws -> SQLiteStore {
        func open() throws -> SQLiteStore {
            try SQLiteStore(description, model: model, debug: debug)
        }
        StoreMigration.removeLeftovers(description)
        guard let migration = try StoreMigration(description, to: model, debug) else {
            do {
                return try open()
            } catch let error as StoreError {
                throw StoreMigration.refusal(of: error, description, to: model, debug)
            }
        }
        let opened = Result { try open() }
        guard migration.isNeeded(for: opened) else { return try opened.get() }
        if case .success(let store) = opened { try store.close() }
        try migration.run()
        return try open()
    }

    /// Only SQLite computes derived attributes.
    private func checkDerivations(_ description: PersistentStoreDescription) throws(StoreError) {
        let names = model.entityNames(inConfiguration: description.configuration) ?? []
        for entity in model.entities where names.contains(entity.name) {
            if let derived = entity.properties.first(where: { $0.derivation != nil }) {
                throw StoreError(.cannotDerive(entity: entity.name, attribute: derived.name))
            }
        }
    }

    /// A store in memory is new, and no other type notes which migrations it has had.
    private func checkMigrations(_ description: PersistentStoreDescription) throws(StoreError) {
        let options = description.migration
        guard description.type != .inMemory, !options.migrations.isEmpty || options.stages != nil
        else { return }
        throw StoreError(
            .unsupported("migrations in a store of the type \(description.type.rawValue)"),
            url: description.url)
    }

    /// Adds an open store as the last one.
    func adopt(
        _ store: any PersistentStore, _ description: PersistentStoreDescription
    ) -> PersistentStoreHandle {
        let entityNames = model.entityNames(inConfiguration: description.configuration) ?? []
        let number = state.withLock { state in
            state.records.append(nil)
            return state.records.count
        }
        let record = StoreRecord(
            number: number, store: store, rowCache: RowCache(model: model),
            scopes: ObjectIDScope.all(
                in: model, storeIdentifier: store.identifier, storeNumber: number),
            entityNames: entityNames, holds: model.entities.map { entityNames.contains($0.name) },
            remoteChanges: description.postsRemoteChanges
                ? RemoteChangePoster(
                    store, PersistentStoreHandle(number: number, store), observers) : nil)
        let changes = StoreChanges(added: [record.handle])
        observers.post(.storesWillChange(changes))
        state.withLock { $0.records[number - 1] = record }
        storeChangeCount.add(1, ordering: .relaxed)
        observers.post(.storesDidChange(changes))
        record.remoteChanges?.begin()
        return record.handle
    }

    /// Closes a store.
    ///
    /// Contexts drop the store's objects, with their unsaved changes, when their queue is next
    /// entered or they are next saved. They detach these objects, post them as `invalidated`, and
    /// clear their undo history.
    /// - Throws: `StoreError` if the store is not of this coordinator, or cannot be closed.
    public func removePersistentStore(_ handle: PersistentStoreHandle) throws {
        let record = try record(handle)
        let changes = StoreChanges(removed: [record.handle])
        observers.post(.storesWillChange(changes))
        observers.post(.willRemoveStore(record.handle))
        state.withLock { $0.records[record.number - 1] = nil }
        storeChangeCount.add(1, ordering: .relaxed)
        record.remoteChanges?.end()
        try record.store.close()
        observers.post(.storesDidChange(changes))
    }

    /// The open stores in the order in which they were added.
    public var persistentStores: [PersistentStoreHandle] {
        records.map(\.handle)
    }

    /// The open store of a file; nil if there is none.
    public func persistentStore(for url: URL) -> PersistentStoreHandle? {
        let url = url.resolvingSymlinksInPath()
        return records.first { $0.store.url?.resolvingSymlinksInPath() == url }?.handle
    }

    /// The file of an open store; nil if the store is in memory or not open here.
    public func url(for store: PersistentStoreHandle) -> URL? {
        records.first { $0.store.identifier == store.identifier }?.store.url
    }

    /// The value of a SQLite setting on the store's writer, as text.
    ///
    /// - Throws: `StoreError` if the store is not open here or has no such setting.
    public func pragma(_ name: String, of handle: PersistentStoreHandle) throws -> String {
        guard let store = try record(handle).store as? SQLiteStore else {
            throw StoreError(.unsupported("PRAGMA \(name)"), url: handle.url)
        }
        return try store.pragma(name)
    }

    var records: [StoreRecord] { state.withLock { $0.openRecords } }

    func record(number: Int) -> StoreRecord? {
        state.withLock { number > 0 ? $0.records[number - 1] : nil }
    }

    func record(_ handle: PersistentStoreHandle) throws(StoreError) -> StoreRecord {
        guard let record = records.first(where: { $0.store.identifier == handle.identifier })
        else { throw StoreError(.notOpen, url: handle.url) }
        return record
    }

    /// The open store with this number.
    func openRecord(_ number: Int, entityName: String) throws -> StoreRecord {
        guard let record = record(number: number) else {
            throw StoreError(records.isEmpty ? .noStores : .noStore(entity: entityName))
        }
        return record
    }

    // MARK: - Identifiers

    /// The identifier with this URI; nil if no open store has it or the model lacks the entity.
    ///
    /// Does not check whether the row exists.
    public func managedObjectID(forURIRepresentation uri: URL) -> ManagedObjectID? {
        guard uri.scheme == "x-coredata", let host = uri.host, uri.pathComponents.count == 3,
            uri.pathComponents[2].first == "p",
            let key = Int64(uri.pathComponents[2].dropFirst()), key > 0,
            let entity = model.entity(named: uri.pathComponents[1]),
            let record = records.first(where: {
                $0.store.identifier.caseInsensitiveCompare(host) == .orderedSame
            })
        else { return nil }
        return ManagedObjectID(scope: record.scopes[entity.index], reference: key)
    }

    /// The scope in this coordinator of an identifier that may come from another one; nil if its
    /// store is not open here.
    func localScope(of id: ManagedObjectID) -> ObjectIDScope? {
        guard let identifier = id.scope.storeIdentifier else {
            return unassignedScopes.first { $0.entityName == id.scope.entityName }
        }
        let records = records
        if let own = records.first(where: { $0.number == id.scope.storeNumber }),
            own.scopes.indices.contains(id.scope.entityIndex),
            own.scopes[id.scope.entityIndex] === id.scope
        {
            return id.scope
        }
        return records.first { $0.store.identifier == identifier }?
            .scopes.first { $0.entityName == id.scope.entityName }
    }

    /// The scope of an identifier whose store is not open here.
    func unassignedScope(for id: ManagedObjectID) -> ObjectIDScope {
        guard let scope = unassignedScopes.first(where: { $0.entityName == id.scope.entityName })
        else {
            fatalError(
                "The model has no entity '\(id.scope.entityName)' for \(id). Use existingObject(with:) to get an error instead."
            )
        }
        return scope
    }

    /// The scope of new objects of an entity: that of the first store that holds it and can be
    /// written (spec §11.1).
    func scopeForInsertion(of entity: Entity) -> ObjectIDScope {
        (recordForInsertion(of: entity, in: nil)?.scopes ?? unassignedScopes)[entity.index]
    }

    /// - Parameter stores: The identifiers of the stores to choose from; nil means all.
    func recordForInsertion(of entity: Entity, in stores: [String]?) -> StoreRecord? {
        let holding = records(holding: entity.index...entity.index, in: stores)
        return holding.first { !$0.store.isReadOnly } ?? holding.first
    }

    /// The open stores whose configuration has one of the entities.
    func records(
        holding entityIndexes: ClosedRange<Int>, in stores: [String]?
    ) -> [StoreRecord] {
        func isMeant(_ record: StoreRecord) -> Bool {
            record.isMeant(holding: entityIndexes, in: stores)
        }
        let records = records
        return records.allSatisfy(isMeant) ? records : records.filter(isMeant)
    }

    /// The stores of `records(holding:in:)` that can be written; all of them if none can, so that
    /// writing gives the reason.
    func writableRecords(
        holding entityIndexes: ClosedRange<Int>, in stores: [String]?
    ) -> [StoreRecord] {
        let holding = records(holding: entityIndexes, in: stores)
        let writable = holding.filter { !$0.store.isReadOnly }
        return writable.isEmpty ? holding : writable
    }

    // MARK: - Counters

    /// The counters of this coordinator, with all its stores. Reading them runs no statement.
    public var counters: Counters {
        var counters = Counters()
        for record in records {
            let statistics = record.store.statistics
            counters.statements += Int64(statistics.statementsRun)
            counters.rowsRead += Int64(statistics.rowsRead)
            counters.transactions += Int64(statistics.transactionsCommitted)
            counters.bytesWritten += Int64(statistics.bytesWritten)
            counters.busyWaits += Int64(statistics.busyWaits)
        }
        counters.faultsFired = graphCounters.faultsFired.load(ordering: .relaxed)
        counters.rowCacheHits =
            counters.faultsFired - graphCounters.faultsReadFromStore.load(ordering: .relaxed)
        counters.saves = graphCounters.saves.load(ordering: .relaxed)
        counters.conflicts = graphCounters.conflicts.load(ordering: .relaxed)
        counters.merges = graphCounters.merges.load(ordering: .relaxed)
        counters.mergedObjects = graphCounters.mergedObjects.load(ordering: .relaxed)
        return counters
    }

    /// Sets all counters to zero.
    public func resetCounters() {
        for record in records { record.store.resetStatistics() }
        graphCounters.reset()
    }

    // MARK: - Requests

    /// Runs a request under the lock policy.
    @inline(__always)
    func underLockPolicy<T: Sendable>(_ body: () throws -> T) rethrows -> T {
        guard lockPolicy == .serialized else { return try body() }
        requestHolder.requireAnotherThread()
        let wait = requestHolder.beginWait()
        return try requestLock.withLock { _ in
            let use = requestHolder.enter(after: wait, .waitForCoordinator)
            defer { requestHolder.leave(use, .holdCoordinator) }
            return try body()
        }
    }

    // MARK: - Automatic merging

    /// Merges the saves of the coordinator's other contexts into this context from now on.
    func addMergingContext(_ context: ManagedObjectContext) {
        state.withLock { state in
            state.mergingContexts.removeAll { $0.context == nil || $0.context === context }
            state.mergingContexts.append(WeakContext(context: context))
        }
    }

    func removeMergingContext(_ context: ManagedObjectContext) {
        state.withLock { state in
            state.mergingContexts.removeAll { $0.context == nil || $0.context === context }
        }
    }

    /// The contexts that merge what the given one has saved.
    func mergingContexts(besides saved: ManagedObjectContext) -> [ManagedObjectContext] {
        state.withLock { $0.mergingContexts.compactMap(\.context).filter { $0 !== saved } }
    }
}

/// An open store of a coordinator.
public struct PersistentStoreHandle: Sendable, Hashable {
    let number: Int

    /// The UUID of the store, part of the identifiers of its objects.
    public let identifier: String

    /// The file; nil for a store in memory.
    public let url: URL?
}

extension PersistentStoreHandle {
    init(number: Int, _ store: any PersistentStore) {
        self.init(number: number, identifier: store.identifier, url: store.url)
    }
}
