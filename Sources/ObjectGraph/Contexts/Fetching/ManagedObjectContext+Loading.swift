// Reading the rows of many objects together.
extension ManagedObjectContext {
    /// Reads the rows of objects that are faults without a row, in one statement a store.
    func load(_ objects: [ManagedObject], _ entity: Entity) throws {
        let faults = objects.filter {
            $0.isFault && $0.row == nil && ($0.reference >= 0 || parent != nil)
        }
        for (storeNumber, group) in Dictionary(grouping: faults, by: \.binding.storeNumber) {
            let rows = try askAbove {
                try channel.rows(
                    group.map(\.reference).sorted(), entity: entity, storeNumber: storeNumber)
            }
            _ = self.objects(
                of: StoreRows(storeNumber: storeNumber, rows: rows), root: entity,
                realised: false, refreshes: false)
        }
    }

    /// Reads the rows of faults that are about to be fired, in one statement a store for each root
    /// entity. A single fault reads its own, and a cached row needs no statement.
    ///
    /// If the read fails, each fault tries again and reports its own failure.
    func readTogether(_ objects: some Sequence<ManagedObject>) {
        let unread = objects.filter {
            $0.isFault && $0.row == nil && !$0.isInserted && !$0.state.isDetached
                && coordinator.cachedVersion($0.reference, $0.binding.scope) == nil
        }
        for (root, faults) in Dictionary(grouping: Set(unread), by: \.binding.rootIndex)
        where faults.count > 1 {
            try? load(faults, model.entities[root])
        }
    }
}
