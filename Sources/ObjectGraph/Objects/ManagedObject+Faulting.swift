extension ManagedObject {
    /// Reads the values: from the row that came with the object if that is still the newest, else from the level above. The
    /// object stays a fault if they cannot be read: the next use tries again.
    ///
    /// - Parameter isForReading: Whether a value is wanted, so that a failed read returns nil to the caller.
    @inline(never)
    final func fireFault(isForReading: Bool = false) {
        binding.counters.faultsFired.add(1, ordering: .relaxed)
        if !isRowSuperseded, !binding.hasStalenessInterval {
            awake()
            return
        }
        guard let context = managedObjectContext else {
            // A detached object has no values any more (spec §2.4).
            state.remove(.fault)
            return
        }
        if state.contains(.inserted), row == nil {
            // A new object that was refreshed starts anew (spec §2.8); one whose row is gone and comes back has what was set.
            state.remove(.fault)
            for (index, value) in binding.entity.defaultValues
            where !(changesBesideDraft?.contains(index) ?? false) {
                unsavedValues[index] = value
            }
            return
        }
        do {
            let newest = try context.askAbove(about: self) {
                try context.channel.row(
                    reference, binding.scope, staleness: context.stalenessInterval,
                    keepsSnapshot: context.queue.keepsSnapshot())
            }
            if let newest {
                realise(newest)
            } else {
                row = nil
                state.remove(.fault)
                context.faultIsInaccessible(self)
            }
        } catch {
            row = nil
            context.readFailed(of: self, error, givesValue: isForReading)
        }
    }

    private final func realise(_ row: RowReference) {
        self.row = row
        awake()
    }

    // Its own row is there, so that the hook may read; what it sets is no change (spec §2.3).
    final func awake() {
        state.remove(.fault)
        state.insert(.awaking)
        awakeFromFetch()
        state.remove(.awaking)
    }

    /// The same before an attribute or a to-one relationship is read: its unsaved value needs no row.
    @inline(never)
    final func attend(reading index: Int) {
        attend(isForReading: !(changesBesideDraft?.contains(index) ?? false))
    }

    /// Checks the queue if that is asked for, and fires the fault if it is one.
    ///
    /// - Parameter isForReading: false before a value is set, which replaces one that cannot be read.
    @inline(never)
    final func attend(isForReading: Bool = true) {
        if state.contains(.checked) { managedObjectContext?.requireQueue(for: self) }
        if state.contains(.fault) { fireFault(isForReading: isForReading) }
    }

    /// Forgets the values; they are read again, in their newest form, when next needed.
    final func turnIntoFault() {
        let isRealised = !state.contains(.fault)
        if isRealised { willTurnIntoFault() }
        row = nil
        discardChanges()
        contents = nil
        state.insert(.fault)
        if isRealised { didTurnIntoFault() }
    }
}
