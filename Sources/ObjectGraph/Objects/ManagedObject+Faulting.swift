extension ManagedObject {
    /// Reads the values: from the row that came with the object if it is still the newest,
    /// otherwise from the level above. If the read fails, the object stays a fault and the next use
    /// tries again.
    ///
    /// - Parameter isForReading: Whether the caller needs a value, and gets nil if the read fails.
    @inline(never)
    final func fireFault(isForReading: Bool = false) {
        binding.counters.faultsFired.add(1, ordering: .relaxed)
        if !isRowSuperseded, !binding.hasStalenessInterval {
            awake()
            return
        }
        guard let context = managedObjectContext else {
            // A detached object has no values (spec §2.4).
            state.flags.remove(.fault)
            return
        }
        if state.life.isInsertion, row == nil {
            // A new object that was refreshed gets its default values (spec §2.8). An object
            // inserted again keeps the values that were set.
            state.flags.remove(.fault)
            for (index, value) in binding.entity.defaultValues
            where !(changesBesideDraft?.contains(index) ?? false) {
                unsavedValues[index] = value
            }
            return
        }
        do {
            let newest = try context.askAbove {
                try context.channel.row(
                    reference, binding.scope,
                    ReadOptions(
                        staleness: context.stalenessInterval,
                        keepsSnapshot: context.queue.keepSnapshot()))
            }
            if let newest {
                realise(newest)
            } else {
                row = nil
                state.flags.remove(.fault)
                context.faultIsInaccessible(self)
            }
        } catch {
            row = nil
            context.readFailed(of: self, error, givesValue: isForReading)
        }
    }

    private final func realise(_ row: RowReference) {
        takeRow(row)
        awake()
    }

    /// Gives a fault the row that was read for it. Members that were read beside another row are read
    /// again, since a conflict is found by the version of the row alone.
    final func takeRow(_ row: RowReference) {
        if let contents, self.row?.version != row.version { contents.unload() }
        self.row = row
    }

    // The object has its row here, so the hook can read. Setting a value is not a change
    // (spec §2.3).
    final func awake() {
        state.flags.remove(.fault)
        state.flags.insert(.awaking)
        awakeFromFetch()
        state.flags.remove(.awaking)
    }

    /// As `attend`, before an attribute or a to-one relationship is read: an unsaved value needs no
    /// row.
    @inline(never)
    final func attend(reading index: Int) {
        attend(isForReading: !(changesBesideDraft?.contains(index) ?? false))
    }

    /// Checks the queue if required, and fires the fault if the object is one.
    ///
    /// - Parameter isForReading: false before a value is set, since the value need not be read.
    @inline(never)
    final func attend(isForReading: Bool = true) {
        if state.flags.contains(.checked) { managedObjectContext?.requireQueue(for: self) }
        if state.isFault { fireFault(isForReading: isForReading) }
    }

    /// Drops the values. The newest ones are read when needed.
    final func turnIntoFault() {
        let isRealised = !state.isFault
        if isRealised { willTurnIntoFault() }
        row = nil
        discardChanges()
        contents = nil
        state.flags.insert(.fault)
        if isRealised { didTurnIntoFault() }
    }
}
