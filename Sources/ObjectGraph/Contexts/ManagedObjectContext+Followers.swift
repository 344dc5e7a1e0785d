// Notifying results controllers (spec §10.2).
extension ManagedObjectContext {
    /// Posts to observers at once, and to followers one notification after the other.
    ///
    /// A notification that an observer or a follower causes waits until all followers have taken
    /// the ones before.
    /// - Parameters:
    ///   - notification: For observers; nil posts nothing to them.
    ///   - followed: For followers.
    func post(_ notification: ContextNotification?, followed: ContextNotification) {
        let span = TraceSpan()
        defer {
            if span.isOn, hasObservers {
                span.end(.notification, on: queue.track, TraceName(followed.caseName))
            }
        }
        readingForProgram {
            guard !followers.isEmpty else {
                if let notification { observers.post(notification) }
                return
            }
            let isOutermost = waitingForFollowers == nil
            waitingForFollowers = (waitingForFollowers ?? []) + [followed.withPresentIDs(in: self)]
            if let notification { observers.post(notification) }
            guard isOutermost else { return }
            defer { waitingForFollowers = nil }
            while let next = waitingForFollowers?.first {
                waitingForFollowers?.removeFirst()
                followers.post(next())
            }
        }
    }

    /// Has followers report the keys that a save further up has assigned, on the context's queue.
    func enqueueReportOfKeys() {
        guard !followers.isEmpty else { return }
        perform { self.post(nil, followed: .didSave(ObjectChanges())) }
    }
}

extension ContextNotification {
    fileprivate var caseName: String {
        switch self {
        case .objectsDidChange: "objectsDidChange"
        case .willSave: "willSave"
        case .didSave: "didSave"
        case .didMerge: "didMerge"
        }
    }

    /// The notification with the identifiers that objects have when it is taken: a save that a
    /// follower has performed gives new objects other ones.
    fileprivate func withPresentIDs(
        in context: ManagedObjectContext
    ) -> () -> ContextNotification {
        guard case .objectsDidChange(let changes) = self else { return { self } }
        var objects: [ManagedObjectID: ManagedObject] = [:]
        for ids in [changes.inserted, changes.updated, changes.deleted, changes.refreshed] {
            for id in ids where id.isTemporaryID { objects[id] = context.registeredObject(for: id) }
        }
        guard !objects.isEmpty else { return { self } }
        return {
            func present(_ ids: [ManagedObjectID]) -> [ManagedObjectID] {
                ids.map { objects[$0]?.objectID ?? $0 }
            }
            var changes = changes
            changes.inserted = present(changes.inserted)
            changes.updated = present(changes.updated)
            changes.deleted = present(changes.deleted)
            changes.refreshed = present(changes.refreshed)
            return .objectsDidChange(changes)
        }
    }
}
