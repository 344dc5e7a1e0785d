import Dispatch

// Fetches that leave the context's queue free while SQLite works (spec §3.10).
extension ManagedObjectContext {
    /// Fetches objects and passes them to the body on the context's queue; another queue reads the
    /// store.
    ///
    /// The context can be used meanwhile: the result includes the changes that are pending when the
    /// rows arrive. `progress` has the number of rows read so far; cancelling it, or the task, ends
    /// the running statement. May be called from any task. Cost: as `fetch`.
    /// - Throws: as `fetch`; `StoreError` with the reason `cancelled` (Core Data's 3072) after a
    ///   cancellation; `FetchError.unsupported` below a parent context; what the body throws.
    public func fetch<Object: ManagedObject, Value: Sendable>(
        _ request: FetchRequest, as type: Object.Type = Object.self,
        progress: FetchProgress = FetchProgress(),
        _ body: @escaping @Sendable (FetchedObjects<Object>) throws -> Value
    ) async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                perform {
                    let fetch = AsynchronousFetch<Object>(
                        context: self, request: request, progress: progress)
                    fetch.begin { outcome in
                        continuation.resume(with: Result { try body(outcome.get()) })
                    }
                }
            }
        } onCancel: {
            progress.cancel()
        }
    }
}

/// A fetch whose rows are read on another thread.
private struct AsynchronousFetch<Object: ManagedObject>: Sendable {
    let context: ManagedObjectContext
    let request: FetchRequest
    let progress: FetchProgress

    /// Reads the rows on another thread, then finishes on the queue.
    func begin(
        completion: @escaping @Sendable (Result<FetchedObjects<Object>, any Error>) -> Void
    ) {
        do {
            guard context.parent == nil else {
                throw FetchError.unsupported(
                    feature: "An asynchronous fetch in a context with a parent "
                        + "(use a context on the coordinator)")
            }
            let entity = try context.entity(of: request, Object.self)
            let stored = request.stored(beside: context.pendingObjects(for: request, entity))
            let stores = try context.channel.stores()
            DispatchQueue.global().async {
                let found = Result { try stores.find(stored, entity, progress) }
                context.perform {
                    completion(
                        Result {
                            let found = try found.get()
                            // The context reads another generation now.
                            guard stores === context.channel else {
                                return try fetchAgain()
                            }
                            return try finish(found, stored, entity)
                        })
                }
            }
        } catch {
            completion(.failure(error))
        }
    }

    private func fetchAgain() throws -> FetchedObjects<Object> {
        try context.fetch(request, as: Object.self, needsAllIdentities: true)
    }

    private func finish(
        _ found: FoundRows, _ stored: FetchRequest, _ entity: Entity
    ) throws -> FetchedObjects<Object> {
        guard !progress.isCancelled else { throw StoreError(.cancelled) }
        let fetch = Fetch(of: request, entity, in: context)
        // New pending changes may remove more rows from a page than were read to replace them.
        guard request.stored(beside: fetch.pending) == stored else {
            return try fetchAgain()
        }
        return FetchedObjects(try fetch.results(found, request))
    }
}

extension StoreChannel {
    fileprivate func find(
        _ request: FetchRequest, _ entity: Entity, _ progress: FetchProgress
    ) throws -> FoundRows {
        request.wantsKeys
            ? .keys(try fetchKeys(request, entity: entity, progress: progress))
            : .rows(try fetchRows(request, entity: entity, ReadOptions(progress: progress)))
    }
}
