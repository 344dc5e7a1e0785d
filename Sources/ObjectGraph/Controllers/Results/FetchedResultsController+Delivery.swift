import Foundation

// Notifying delegates (spec §10.3).
extension FetchedResultsController {
    private var snapshotDelegate: (any FetchedResultsSnapshotDelegate<Object>)? {
        delegate as? any FetchedResultsSnapshotDelegate<Object>
    }

    /// The delegate of differences, which are used without sections and without snapshots.
    private var differenceDelegate: (any FetchedResultsDifferenceDelegate<Object>)? {
        guard sectionExpression == nil, snapshotDelegate == nil else { return nil }
        return delegate as? any FetchedResultsDifferenceDelegate<Object>
    }

    /// The delegate of single changes, if neither of the others is used.
    var changeDelegate: (any FetchedResultsChangeDelegate<Object>)? {
        guard snapshotDelegate == nil, differenceDelegate == nil else { return nil }
        return delegate as? any FetchedResultsChangeDelegate<Object>
    }

    /// - Throws: `FetchedResultsError.differencesWithSections` if the delegate would never be called.
    func checkDelegate() throws(FetchedResultsError) {
        guard sectionExpression != nil,
            delegate is any FetchedResultsDifferenceDelegate<Object>,
            snapshotDelegate == nil, changeDelegate == nil
        else { return }
        throw .differencesWithSections(entity: fetchRequest.entityName)
    }

    /// Delivers an event in the shape of the delegate, and as a snapshot.
    ///
    /// - Parameter renewed: The identifiers that have changed, which the shapes with identifiers
    ///   report.
    func deliver(_ changes: ResultChanges, _ renewed: [RenewedKey]) {
        if let differenceDelegate, let difference = difference(changes, renewed) {
            differenceDelegate.controller(self, didChangeContentWith: difference)
        } else if let changeDelegate, !changes.isEmpty {
            deliver(changes, to: changeDelegate)
        }
        let reloaded = changes.updates.map(\.object.objectID) + changes.moves.map(\.object.objectID)
        deliverSnapshot(reloaded: Set(reloaded))
    }

    private func deliver(
        _ changes: ResultChanges, to delegate: some FetchedResultsChangeDelegate<Object>
    ) {
        for (index, name) in changes.deletedSections {
            let section = FetchedResultsSection(name: name, numberOfObjects: 0, of: self)
            delegate.controller(self, didChange: section, .delete(at: index))
        }
        for (index, name) in changes.insertedSections {
            let count = list?.positions(inSection: name).count ?? 0
            let section = FetchedResultsSection(name: name, numberOfObjects: count, of: self)
            delegate.controller(self, didChange: section, .insert(at: index))
        }
        for (object, old) in changes.deletes {
            delegate.controller(self, didChange: cast(object), .delete(at: old.path))
        }
        for (object, new) in changes.inserts {
            delegate.controller(self, didChange: cast(object), .insert(at: new.path))
        }
        for (object, old, new) in changes.moves {
            delegate.controller(
                self, didChange: cast(object), .move(from: old.path, to: new.path))
        }
        for (object, old, new) in changes.updates {
            delegate.controller(
                self, didChange: cast(object), .update(at: old.path, after: new.path))
        }
        delegate.controllerDidChangeContent(self)
    }

    // MARK: - Differences

    private func difference(
        _ changes: ResultChanges, _ renewed: [RenewedKey]
    ) -> CollectionDifference<ManagedObjectID>? {
        typealias Change = CollectionDifference<ManagedObjectID>.Change
        guard let list, let order else { return nil }
        // The items of the event whose identifier was another one before.
        var oldIDs: [Int: ManagedObjectID] = [:]
        for key in renewed { oldIDs[key.oldPosition] = key.oldID }
        var parts: [Change] = []
        func replace(_ id: ManagedObjectID, _ old: Int, _ new: Int) {
            let oldID = oldIDs.removeValue(forKey: old)
            let isMove = oldID == nil
            parts.append(
                .remove(offset: old, element: oldID ?? id, associatedWith: isMove ? new : nil))
            parts.append(.insert(offset: new, element: id, associatedWith: isMove ? old : nil))
        }
        for (object, old) in changes.deletes {
            let id = oldIDs.removeValue(forKey: old.position) ?? object.objectID
            parts.append(.remove(offset: old.position, element: id, associatedWith: nil))
        }
        for (object, new) in changes.inserts {
            parts.append(
                .insert(offset: new.position, element: object.objectID, associatedWith: nil))
        }
        for (object, old, new) in changes.moves {
            replace(object.objectID, old.position, new.position)
        }
        for key in renewed where oldIDs[key.oldPosition] != nil {
            guard let handle = self.list?.handle(of: key.identity) else { continue }
            let item = list.items[handle]
            replace(
                order.objectID(of: item.key, item.storeNumber), key.oldPosition,
                list.items.position(of: handle))
        }
        return CollectionDifference(parts)
    }

    // MARK: - Snapshots

    var deliversSnapshots: Bool { snapshotDelegate != nil || !snapshotObservers.isEmpty }

    /// Delivers the content if it is asked for as snapshots.
    func deliverSnapshot(reloaded: Set<ManagedObjectID> = []) {
        guard deliversSnapshots, let snapshot = makeSnapshot(reloaded: reloaded) else { return }
        snapshotDelegate?.controller(self, didChangeContentWith: snapshot)
        snapshotObservers.post(snapshot)
    }

    func makeSnapshot(reloaded: Set<ManagedObjectID> = []) -> FetchedResultsSnapshot? {
        guard requireItems(), let list, let order else { return nil }
        var ids: [ManagedObjectID] = []
        ids.reserveCapacity(list.count)
        list.items.forEach { _, item in ids.append(order.objectID(of: item.key, item.storeNumber)) }
        var sections: [FetchedResultsSnapshot.Section] = []
        var start = 0
        list.sections.forEach { handle, name in
            let end = start + list.sections.weight(of: handle)
            sections.append(.init(name: name, objectIDs: Array(ids[start..<end])))
            start = end
        }
        return FetchedResultsSnapshot(sections: sections, reloadedObjectIDs: reloaded)
    }
}
