import Foundation

// Following the context (spec §10.2).
extension FetchedResultsController {
    private var isFollowed: Bool { delegate != nil || !snapshotObservers.isEmpty }

    func receive(_ notification: ContextNotification) {
        let span = TraceSpan()
        defer {
            span.end(
                .delivery, on: context.queue.track, TraceName(fetchRequest.entityName),
                count: list?.count ?? 0)
        }
        switch notification {
        case .objectsDidChange(let changes): process(changes)
        case .didSave:
            guard isFollowed, !isStale else { return followKeys() }
            let renewed = takeRenewedKeys()
            if !renewed.isEmpty { deliver(ResultChanges(), renewed) }
        case .willSave, .didMerge: break
        }
    }

    private func process(_ changes: ObjectChanges) {
        guard list != nil, let order else { return }
        if changes.invalidatesAll || order.concerns(changes.invalidated) { return forgetContent() }
        guard !isStale else { return }
        let ids = changes.inserted + changes.updated + changes.refreshed
        do {
            guard isFollowed else {
                isStale =
                    try order.concerns(ids) || order.concerns(changes.deleted)
                    || haveRelatedChanged(changes, order)
                return
            }
            try checkDelegate()
            let (event, isReordered) = try context.requiringReads {
                try context.readingForEngine {
                    if list?.fetched != nil,
                        order.concerns(ids) || order.concerns(changes.deleted)
                    {
                        try makeItems()
                    }
                    let isReordered = try haveRelatedChanged(changes, order)
                    return (try self.event(ids, changes.deleted, order), isReordered)
                }
            }
            let renewed = takeRenewedKeys()
            if isReordered {
                try fetchAgain(event, order, renewed)
            } else if !event.isEmpty {
                try follow(event, order, renewed)
            } else if !renewed.isEmpty {
                deliver(ResultChanges(), renewed)
            }
        } catch {
            forgetContent(error)
        }
    }

    /// Makes the items of a list that shows its fetch.
    ///
    /// - Throws: the error that has ended the reading of identities.
    func makeItems() throws {
        for batch in try list?.makeItems() ?? [] { windows.add(batch) }
    }

    /// As `makeItems`, for what cannot fail: without its identities the content is forgotten.
    ///
    /// - Returns: Whether the list has items. The delegate may have fetched another one.
    func requireItems() -> Bool {
        do { try makeItems() } catch { forgetContent(error) }
        return list?.fetched == nil
    }

    private func forgetContent(_ error: any Error) {
        forgetContent()
        guard let delegate else { return Self.log(error) }
        delegate.controller(self, didFailWith: error)
    }

    /// The content is unknown until the next `performFetch`.
    private func forgetContent() {
        (list, order, windows, renewedKeys) = (nil, nil, ResultWindows(), [])
    }

    /// Whether related objects have other values than when the list was made. An object that was not
    /// realised then counts as changed.
    private func haveRelatedChanged(
        _ changes: ObjectChanges, _ order: ResultOrder
    ) throws -> Bool {
        guard !order.related.isEmpty else { return false }
        var hasChanged = false
        for id in changes.inserted {
            guard let object = order.relatedObject(id), !object.isFault else { continue }
            relatedStamps[RelatedIdentity(object)] = order.related.stamp(of: object)
        }
        let objects = (changes.updated + changes.refreshed).compactMap(order.relatedObject)
        for (rootIndex, group) in Dictionary(grouping: objects, by: \.binding.rootIndex) {
            try context.load(group, context.model.entities[rootIndex])
        }
        for object in objects {
            let stamp = order.related.stamp(of: object)
            let identity = RelatedIdentity(object)
            if stamp == nil || relatedStamps[identity] != stamp { hasChanged = true }
            relatedStamps[identity] = stamp
        }
        return hasChanged || changes.deleted.contains { order.relatedObject($0) != nil }
    }

    /// Divides the objects concerned into those that leave, stay and arrive.
    private func event(
        _ ids: [ManagedObjectID], _ deleted: [ManagedObjectID], _ order: ResultOrder
    ) throws -> ResultEvent {
        followKeys()
        var event = ResultEvent()
        var known: Set<RowIdentity> = []
        for id in deleted {
            guard let scope = order.scope(of: id) else { continue }
            let identity = RowIdentity(scope, id.reference)
            guard known.insert(identity).inserted, let handle = list?.handle(of: identity) else {
                continue
            }
            event.gone.append(handle)
        }
        var objects: [ManagedObject] = []
        for id in ids {
            guard let scope = order.scope(of: id) else { continue }
            guard known.insert(RowIdentity(scope, id.reference)).inserted else { continue }
            objects.append(context.object(id.reference, scope))
        }
        let members = try order.members(of: objects)
        // Reading takes keys that a save further up has assigned meanwhile, and runs hooks of objects,
        // which may fetch again.
        if !known.isEmpty { try makeItems() }
        followKeys()
        for object in objects {
            let handle = list?.handle(of: RowIdentity(object))
            guard members.contains(object) else {
                if let handle { event.gone.append(handle) }
                continue
            }
            let member = ResultEvent.Member(object, order)
            if let handle {
                event.changed.append((handle, member))
            } else {
                event.arrived.append(member)
            }
        }
        return event
    }

    private func follow(
        _ event: ResultEvent, _ order: ResultOrder, _ renewed: [RenewedKey]
    ) throws {
        let fetchCount = fetchCount
        changeDelegate?.controllerWillChangeContent(self)
        // The delegate may have fetched again: that list has the changes already.
        guard fetchCount == self.fetchCount, var list else {
            changeDelegate?.controllerDidChangeContent(self)
            return
        }
        // Taken out, so that it is changed in place and no hook of an object that is read sees it
        // half changed.
        self.list = nil
        let outcome = try context.requiringReads {
            try context.readingForEngine { try list.apply(event, by: order) }
        }
        switch outcome {
        case .changed(let changes):
            self.list = list
            deliver(changes, renewed)
        case .disordered(let old):
            // Values have changed without an event, such as those of a fault that was read after a
            // batch request.
            let content = try fetched(order)
            take(content)
            deliver(
                ResultChanges(
                    from: old, to: content.list.arrangement, event.changedIdentities, order),
                renewed)
        }
    }

    /// Replaces the content by what a fetch finds now, and reports the difference.
    private func fetchAgain(
        _ event: ResultEvent, _ order: ResultOrder, _ renewed: [RenewedKey]
    ) throws {
        try makeItems()
        let content = try fetched(order)
        // The fetch takes keys that a save further up has assigned meanwhile.
        let renewed = renewed + takeRenewedKeys()
        try makeItems()
        guard let old = list?.arrangement else { return }
        let changes = ResultChanges(
            from: old, to: content.list.arrangement, event.changedIdentities, order)
        guard !changes.isEmpty || !renewed.isEmpty else { return take(content) }
        let fetchCount = fetchCount
        if !changes.isEmpty { changeDelegate?.controllerWillChangeContent(self) }
        guard fetchCount == self.fetchCount else {
            changeDelegate?.controllerDidChangeContent(self)
            return
        }
        take(content)
        deliver(changes, renewed)
    }

    /// The result of the request that made the list.
    private func fetched(_ order: ResultOrder) throws -> Content {
        try context.requiringReads {
            try context.readingForEngine { try load(order.request, withItems: true) }
        }
    }

    // MARK: - Keys

    /// An item whose temporary identifier was replaced, with its position and identifier before.
    struct RenewedKey {
        let identity: RowIdentity
        let oldID: ManagedObjectID
        let oldPosition: Int
    }

    /// Follows saves that have given objects their keys. The next event reports them.
    func followKeys() {
        guard let order, list?.unsaved.isEmpty == false else { return }
        // Changed in place: no other copy of the list exists here.
        guard let renewed = list?.renewKeys(), let list else { return }
        renewedKeys += renewed.map { handle, old in
            RenewedKey(
                identity: RowIdentity(list.items[handle]),
                oldID: order.objectID(of: old, list.items[handle].storeNumber),
                oldPosition: list.items.position(of: handle))
        }
    }

    private func takeRenewedKeys() -> [RenewedKey] {
        followKeys()
        defer { renewedKeys = [] }
        return renewedKeys
    }
}

extension ResultOrder {
    /// The scope of an object that may belong to the list; nil for one that cannot.
    func scope(of id: ManagedObjectID) -> ObjectIDScope? {
        guard let scope = context.coordinator.localScope(of: id) else { return nil }
        let family =
            request.includesSubentities ? entity.familyIndexes : entity.index...entity.index
        guard family.contains(scope.entityIndex) else { return nil }
        guard let stores = request.affectedStores else { return scope }
        return stores.contains(scope.storeIdentifier ?? "") ? scope : nil
    }

    func concerns(_ ids: [ManagedObjectID]) -> Bool { ids.contains { scope(of: $0) != nil } }

    /// The object if its values may decide places.
    func relatedObject(_ id: ManagedObjectID) -> ManagedObject? {
        guard let scope = context.coordinator.localScope(of: id),
            related.contains(entityIndex: scope.entityIndex)
        else { return nil }
        return context.object(id.reference, scope)
    }
}
