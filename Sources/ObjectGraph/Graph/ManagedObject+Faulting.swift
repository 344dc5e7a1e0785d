extension ManagedObject {
    /// Reads the values: from the row that came with the object if that is still the newest, else from the level above.
    @inline(never)
    final func fireFault() {
        binding.counters.faultsFired.add(1, ordering: .relaxed)
        if !isRowSuperseded, !binding.hasStalenessInterval {
            state.remove(.fault)
            awakeFromFetch()
            return
        }
        guard let context = managedObjectContext else {
            // A detached object has no values any more (spec §2.4).
            state.remove(.fault)
            return
        }
        do {
            if let row = try context.channel.row(
                reference, binding.scope, staleness: context.stalenessInterval)
            {
                realise(row)
            } else {
                row = nil
                state.remove(.fault)
                context.faultIsInaccessible(self)
            }
        } catch {
            row = nil
            state.remove(.fault)
            context.faultHandler(objectID, error)
        }
    }

    private final func realise(_ row: RowReference) {
        self.row = row
        state.remove(.fault)
        awakeFromFetch()
    }

    /// Forgets the values; they are read again, in their newest form, when next needed.
    final func turnIntoFault() {
        row = nil
        discardChanges()
        contents = nil
        state.insert(.fault)
    }
}
