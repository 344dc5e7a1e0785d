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
                    self.begin(request, type, progress) { outcome in
                        continuation.resume(with: Result { try body(outcome.get()) })
                    }
                }
            }
        } onCancel: {
            progress.cancel()
        }
    }

    /// Reads the rows on another thread, then finishes on the queue.
    private func begin<Object: ManagedObject>(
        _ request: FetchRequest, _ type: Object.Type, _ progress: FetchProgress,
        completion: @escaping @Sendable (Result<FetchedObjects<Object>, any Error>) -> Void
    ) {
        do {
            guard parent == nil else {
                throw FetchError.unsupported(
                    feature: "An asynchronous fetch in a context with a parent "
                        + "(use a context on the coordinator)")
            }
            let entity = try entity(of: request, type)
            let stored = request.stored(beside: pendingObjects(for: request, entity))
            let stores = try channel.stores()
            DispatchQueue.global().async {
                let found = Result { try stores.find(stored, entity, progress) }
                self.perform {
                    completion(
                        Result {
                            let found = try found.get()
                            // The context reads another generation now.
                            guard stores === self.channel else { return try self.fetch(request) }
                            return try self.finish(found, stored, request, entity, progress)
                        })
                }
            }
        } catch {
            completion(.failure(error))
        }
    }

    private func finish<Object: ManagedObject>(
        _ found: FoundRows, _ stored: FetchRequest, _ request: FetchRequest, _ entity: Entity,
        _ progress: FetchProgress
    ) throws -> FetchedObjects<Object> {
        guard !progress.isCancelled else { throw StoreError(.cancelled) }
        let pending = pendingObjects(for: request, entity)
        // New pending changes may remove more rows from a page than were read to replace them.
        guard request.stored(beside: pending) == stored else { return try fetch(request) }
        return FetchedObjects(try results(found, request, entity, pending))
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
