import Foundation

// Following the context (spec §10.2).
extension FetchedResultsController {
    private var isFollowed: Bool { delegate != nil || !snapshotObservers.isEmpty }

    func receive(_ notification: ContextNotification) {
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
        guard isFollowed else {
            isStale = order.concerns(ids) || order.concerns(changes.deleted)
            return
        }
        do {
            let event = try context.requiringReads {
                try context.readingForEngine { try self.event(ids, changes.deleted, order) }
            }
            let renewed = takeRenewedKeys()
            if !event.isEmpty {
                try follow(event, order, renewed)
            } else if !renewed.isEmpty {
                deliver(ResultChanges(), renewed)
            }
        } catch {
            forgetContent()
            delegate?.controller(self, didFailWith: error)
        }
    }

    /// The content is unknown until the next `performFetch`.
    private func forgetContent() {
        (list, order, windows, renewedKeys) = (nil, nil, ResultWindows(), [])
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
            guard known.insert(identity).inserted, let handle = list?.handles[identity] else {
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
        // Reading takes keys that a save further up has assigned meanwhile.
        followKeys()
        for object in objects {
            let handle = list?.handles[RowIdentity(object)]
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
        let changes = try context.requiringReads {
            try context.readingForEngine { try list.apply(event, by: order) }
        }
        self.list = list
        deliver(changes, renewed)
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
}
