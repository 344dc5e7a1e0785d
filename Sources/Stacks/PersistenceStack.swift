import ObjectGraph

/// An arrangement of managed object contexts over one store.
///
/// Stacks do the same work in different ways; `kind` says which way, and what it promises.
///
///     let stack = try StackKind.shared.make(
///         StackConfiguration(model: model, location: .sqlite(url)))
///     let worker = try stack.makeWorkerContext()
///     worker.performAndWait { Book(context: worker).title = "Dune" }
///     try stack.saveToDisk(worker)
///
/// The members may be used from any thread. What they do on a context's queue waits for that queue, so a caller must
/// not hold up a queue that another thread needs: the main queue has to be running while main-queue contexts are used.
public protocol PersistenceStack: AnyObject, Sendable {
    var kind: StackKind { get }
    var configuration: StackConfiguration { get }

    /// The context that shows the data: the same one until a reset. On the main queue, except in the kind `single`.
    ///
    /// - Throws: `StackError.closed`; where the store is opened on first use, also what opening throws.
    var viewContext: ManagedObjectContext { get throws }

    /// A context for background work on objects: private queue, a new one each time; the same one in a
    /// `SingleContextStack` and a `SerialWriterStack`.
    ///
    /// - Throws: as `viewContext`.
    func makeWorkerContext() throws -> ManagedObjectContext

    /// A context for bulk work: private queue, directly on a coordinator, so it takes batch requests and its `save`
    /// writes to the store. New each time, with the same exceptions. A worker context, where the stack has no other.
    ///
    /// - Throws: as `viewContext`.
    func makeBatchContext() throws -> ManagedObjectContext

    /// What is open at the moment, the view's coordinator first; empty before the first use and after `close`.
    var coordinators: [PersistentStoreCoordinator] { get }

    /// Waits for what saves that have returned have set off: merges into other contexts, and saves of their parents.
    ///
    /// Not on a context's queue, the main queue included: the work waits for it.
    /// - Throws: the first error since the last call of a save that the stack did by itself; as `viewContext`.
    func settle() throws

    /// Destroys the store and starts again with an empty one and new contexts.
    ///
    /// Contexts and objects from before can no longer reach a store. Finish work in flight first: its saves fail.
    ///
    /// - Throws: `StackError.closed`; `StoreError` if the store cannot be destroyed or opened again, then the stack is
    ///   closed.
    func reset() throws

    /// Closes the store's files, for good; a second call does nothing. Contexts can no longer reach the store.
    ///
    /// - Throws: `StoreError` if a file cannot be closed.
    func close() throws
}

extension PersistenceStack {
    public func makeBatchContext() throws -> ManagedObjectContext { try makeWorkerContext() }

    // Merges are enqueued on the view's queue when a save ends, so they come before this.
    public func settle() throws { try viewContext.performAndWait {} }

    /// The name of the stack in reports and on the command line.
    public var name: String { kind.name }

    /// What all coordinators have counted since they were opened or their counters reset.
    public var counters: Counters {
        coordinators.reduce(into: Counters()) { $0 += $1.counters }
    }

    /// Saves a context, then its parents, down to the store. On return the changes are as durable as the store's
    /// `synchronous` setting makes any transaction.
    ///
    /// Waits for the queue of each context in turn, without holding two of them: call it from the context's queue or
    /// from outside all queues, never from that of a context whose work may wait for this one.
    ///
    /// - Throws: `StackError.foreignContext`; `StackError.readOnlyView`; `SaveError` of the first context that fails. Its
    ///   descendants have then been saved into it, and it keeps their changes: repair it or roll it back before anything is
    ///   saved again.
    public func saveToDisk(_ context: ManagedObjectContext) throws {
        guard coordinators.contains(where: { $0 === context.coordinator }) else {
            throw StackError.foreignContext(name: context.name, stack: name)
        }
        if kind.traits.contains(.viewOnlyReads), try context === viewContext {
            throw StackError.readOnlyView(stack: name)
        }
        for level in sequence(first: context, next: \.parent) {
            try level.performAndWait { try level.save() }
        }
    }

    /// Runs bulk work on the queue of a batch context and saves what it leaves unsaved; if it throws, rolls that back.
    ///
    /// Batch requests change rows behind all contexts: call `refreshView()` afterwards, or have them report the
    /// identifiers and merge those.
    ///
    /// - Throws: what the work throws; `SaveError`; as `makeBatchContext`.
    public func performBatch<T: Sendable>(
        _ work: @escaping @Sendable (ManagedObjectContext) throws -> T
    ) async throws -> T {
        let context = try makeBatchContext()
        return try await context.perform {
            do {
                let result = try work(context)
                try context.save()
                return result
            } catch {
                context.rollback()
                throw error
            }
        }
    }

    /// Makes the view context's objects read their rows anew; unsaved changes stay.
    ///
    /// After it, and a new fetch, the view shows all that was saved before, by whatever way: it also tells of batch
    /// requests and of other coordinators. Waits for merges under way. Cost: a statement for each row that is read again
    /// before it is fetched.
    ///
    /// - Throws: as `viewContext`.
    public func refreshView() async throws {
        for level in try Array(sequence(first: viewContext, next: \.parent)).reversed() {
            try await level.perform(schedule: .enqueued) {
                let saved = level.registeredObjects.filter { !$0.isInserted }.map(\.objectID)
                ManagedObjectContext.mergeChanges(ObjectChanges(updated: saved), into: [level])
            }
        }
    }
}
