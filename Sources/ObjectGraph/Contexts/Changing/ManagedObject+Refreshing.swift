// Giving up values that are not saved or not the newest, without notifying anybody (spec §2.8).
extension ManagedObject {
    final func refreshSilently(mergeChanges: Bool, in context: ManagedObjectContext) {
        if state.deletion == .foundGone { expectRow(in: context) }
        if mergeChanges, hasChanges { return renewRow(in: context) }
        turnIntoFault()
        guard state.life == .updated else { return }
        context.tracker.withdrawUpdate(of: self)
        // A relationship without an inverse belongs to this object alone.
        context.tracker.withdrawJoins { note in
            let property = note.source.binding.entity.properties[note.propertyIndex]
            return note.source === self && context.model.inverse(of: property.relationship!) == nil
        }
    }

    /// Replaces the row by the newest one; unsaved values stay.
    private final func renewRow(in context: ManagedObjectContext) {
        if state.life.isNew { return }
        contents?.unload()
        if state.life.isInsertion { return }
        // The row that a fetch has given the fault may be older.
        if isFault { return row = nil }
        guard
            let newest = try? context.askAbove({
                try context.channel.row(
                    reference, binding.scope,
                    ReadOptions(staleness: context.stalenessInterval))
            })
        else { return }
        forgetEqualValues()
        let isChanged = row?.version != newest.version
        row = newest
        if isChanged, state.deletion == .propagated { state.deletion = .renewed }
        awake(fromSnapshotEvents: .refresh)
    }

    /// Gives up the object's pending changes, also those of its to-many relationships.
    final func forgetPendingChanges() {
        if !state.isDetached { enter(.clean) }
        if state.deletion.isMerged { row = nil }
        state.deletion = .none
        state.flags.remove(.changedInEvent)
        // The row is gone. It may exist again, so the next read looks for it.
        if row == nil { state.flags.insert(.fault) }
        discardChanges()
        contents = nil
    }
}
