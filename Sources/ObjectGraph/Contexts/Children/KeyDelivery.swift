/// The new primary keys of saved objects, which other contexts take when their queue is next entered
/// (spec §4.2).
struct KeyDelivery {
    let keys: [AssignedKey]

    /// Adds the keys to the updates of all contexts below, at once: the queue of a grandchild may be
    /// entered before its parent's.
    func reachDescendants(of context: ManagedObjectContext) {
        guard !keys.isEmpty, context.pendingUpdates.withLock({ !$0.children.isEmpty }) else {
            return
        }
        let keys = keys.map(PermanentKey.init)
        for child in context.liveChildren {
            for context in Self.deliver(keys, to: child) + [child] { context.enqueueReportOfKeys() }
        }
    }

    /// Adds the keys to the updates of all contexts on the same root.
    func reachRelatives(of context: ManagedObjectContext) {
        guard !keys.isEmpty, var root = context.parent else { return }
        while let parent = root.parent { root = parent }
        let keys = keys.map(PermanentKey.init)
        for context in Self.deliver(keys, to: root) + [root] { context.enqueueReportOfKeys() }
    }

    /// When a context can take its keys, all contexts below it have theirs.
    ///
    /// - Returns: The contexts below, so that none is deallocated while the lock is held.
    private static func deliver(
        _ keys: [PermanentKey], to context: ManagedObjectContext
    ) -> [ManagedObjectContext] {
        context.pendingUpdates.withLock { pendingUpdates in
            pendingUpdates.permanentKeys += keys
            pendingUpdates.deliveryCount += 1
            let children = pendingUpdates.liveChildren
            return children + children.flatMap { deliver(keys, to: $0) }
        }
    }
}

extension PermanentKey {
    fileprivate init(_ key: AssignedKey) {
        self.init(
            scope: key.object.binding.scope, temporary: key.temporary, permanent: key.permanent)
    }
}
