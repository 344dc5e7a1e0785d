import ObjectGraph

/// An arrangement of managed object contexts over one store.
///
/// Stacks do the same work in different ways; `kind` names the way and its promises.
///
///     let stack = try StackKind.shared.make(
///         StackConfiguration(model: model, location: .sqlite(url)))
///     let worker = try stack.makeWorkerContext()
///     worker.performAndWait { Book(context: worker).title = "Dune" }
///     try stack.saveToDisk(worker)
///
/// The members may be used from any thread. Some of them wait for a context's queue, so a caller
/// must not block a queue that another thread needs. The main queue has to run while main-queue
/// contexts are used.
public protocol PersistenceStack: AnyObject, Sendable {
    var kind: StackKind { get }
    var configuration: StackConfiguration { get }

    /// The context that shows the data, the same one until a reset. In most kinds it is on the main
    /// queue, in `single` on a private one.
    ///
    /// - Throws: `StackError.closed`; with lazy opening also the errors of opening the store.
    var viewContext: ManagedObjectContext { get throws }

    /// A context for background work on objects: each call makes one on a private queue.
    /// `SingleContextStack` and `SerialWriterStack` always return the same one.
    ///
    /// - Throws: as `viewContext`.
    func makeWorkerContext() throws -> ManagedObjectContext

    /// A context for bulk work: each call makes one on a private queue, with the same exceptions.
    /// It is directly on a coordinator, so it takes batch requests and its `save` writes to the
    /// store. By default it is a worker context.
    ///
    /// - Throws: as `viewContext`.
    func makeBatchContext() throws -> ManagedObjectContext

    /// The open coordinators, the view's first; empty before the first use and after `close`.
    var coordinators: [PersistentStoreCoordinator] { get }

    /// Waits for the work that saves have started before this call: merges into other contexts and
    /// saves of parents.
    ///
    /// Must not be called on a context's queue, the main queue included: the work needs that queue.
    ///
    /// - Throws: the first error since the last call, of a save that the stack did by itself; as
    ///   `viewContext`.
    func settle() throws

    /// Destroys the store and starts again with an empty one and new contexts.
    ///
    /// Contexts and objects from before can no longer reach a store. Finish their work first: saves
    /// in progress fail.
    ///
    /// - Throws: `StackError.closed`; `StoreError` if the store cannot be destroyed or opened
    ///   again. The stack is then closed.
    func reset() throws

    /// Closes the store's files for good; a second call does nothing. Contexts can no longer reach
    /// the store.
    ///
    /// - Throws: `StoreError` if a file cannot be closed.
    func close() throws
}

extension PersistenceStack {
    public func makeBatchContext() throws -> ManagedObjectContext { try makeWorkerContext() }

    // A save enqueues its merges on the view's queue before it ends, so they run before this block.
    public func settle() throws { try viewContext.performAndWait {} }

    /// The stack's name in reports and on the command line.
    public var name: String { kind.name }

    /// The counts of all open coordinators since they were opened or their counters were reset.
    public var counters: Counters {
        coordinators.reduce(into: Counters()) { $0 += $1.counters }
    }

    /// Saves a context, then its parents, up to the store. On return the changes are as durable as
    /// the store's `synchronous` setting makes any transaction.
    ///
    /// Waits for the queue of each context in turn and never holds two of them. Call it on the
    /// context's own queue or outside all queues, but not on the queue of a context whose work may
    /// wait for this one.
    ///
    /// - Throws: `StackError.foreignContext`; `StackError.readOnlyView`; `SaveError` of the first
    ///   context that fails. That context keeps the changes that its descendants have saved into
    ///   it: repair it or roll it back before the next save.
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

    /// Runs bulk work on the queue of a batch context, then saves the pending changes. If the work
    /// or the save throws, rolls them back.
    ///
    /// Batch requests change rows without notifying any context. Call `refreshView()` afterwards,
    /// or have them return the object IDs and merge those.
    ///
    /// - Throws: the errors of the work; `SaveError`; as `makeBatchContext`.
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

    /// Makes the view context's objects read their rows again; pending changes stay.
    ///
    /// After this call and a new fetch, the view shows everything that was saved before, by batch
    /// requests and other coordinators too. Waits for merges in progress. Costs one statement for
    /// each row that is read before a fetch has returned it.
    ///
    /// - Throws: as `viewContext`.
    public func refreshView() async throws {
        for level in try Array(sequence(first: viewContext, next: \.parent)).reversed() {
            await level.perform(schedule: .enqueued) {
                let saved = level.registeredObjects.filter { !$0.isInserted }.map(\.objectID)
                ManagedObjectContext.mergeChanges(ObjectChanges(updated: saved), into: [level])
            }
        }
    }
}
