// Objects whose store is removed (spec §11.1).
extension ManagedObjectContext {
    /// Detaches the objects of stores that were removed since the last call, with their pending
    /// changes.
    ///
    /// Undo actions are removed too, since they may be about these objects.
    func followStores() {
        let count = coordinator.storeChangeCount.load(ordering: .relaxed)
        guard identityMap.follow(storeChangeCount: count) else { return }
        beginOperation()
        defer { endOperation() }
        let open = Set(coordinator.records.map(\.number))
        let isGone = { (number: Int) in number > 0 && !open.contains(number) }
        var objects: [ManagedObject] = []
        for table in identityMap.tables where isGone(table.storeNumber) {
            table.forEach { objects.append($0) }
        }
        if !objects.isEmpty { invalidate(objects) }
        identityMap.removeStores(where: isGone)
    }

    private func invalidate(_ objects: [ManagedObject]) {
        GoneObjects(context: self, objects: objects).dropReferences()
        let ids = hasObservers ? objects.map(\.objectID) : []
        for object in objects {
            object.turnIntoFault()
            object.state = .detached
        }
        tracker.forgetDetached()
        undoRecorder.forgetEvent()
        undoManager?.removeAllActions()
        if hasObservers { post(.objectsDidChange(ObjectChanges(invalidated: ids))) }
    }
}
