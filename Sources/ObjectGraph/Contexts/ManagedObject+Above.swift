// Asking the level above about one object.
extension ManagedObject {
    /// Whether the level above has a row of the object.
    final func hasRowAbove(in context: ManagedObjectContext) throws -> Bool {
        try context.askAbove {
            try context.channel.row(
                reference, binding.scope, ReadOptions(staleness: context.stalenessInterval))
        } != nil
    }

    /// Whether the row cache has the version of the row that a realised object has.
    final func hasNewestCachedRow(in context: ManagedObjectContext) -> Bool {
        guard let row else { return false }
        return context.coordinator.cachedVersion(reference, binding.scope) == row.version
    }

    /// The members of a to-many relationship according to the level above, as faults with their
    /// rows if these were read along.
    final func membersAbove(
        of property: Property, in context: ManagedObjectContext
    ) throws -> [ManagedObject] {
        let storeNumber = binding.storeNumber
        let found = try context.askAbove {
            try context.channel.members(
                of: property, binding.scope, key: reference,
                ReadOptions(keepsSnapshot: context.queue.keepSnapshot()))
        }
        switch found {
        case .rows(let rows):
            return context.objects(
                of: StoreRows(storeNumber: storeNumber, rows: rows),
                root: context.model.destination(of: property.relationship!), realised: false,
                refreshes: false)
        case .keys(let keys):
            return keys.map {
                context.object($0.key, entityIndex: $0.entityIndex, storeNumber: storeNumber)
            }
        }
    }

    /// The identities of the members of a to-many relationship according to the level above.
    final func destinationsAbove(
        of property: Property, in context: ManagedObjectContext
    ) throws -> [EntityKey] {
        try context.askAbove {
            try context.channel.members(of: property, binding.scope, key: reference, nil)
        }.identities
    }

    /// Makes an object whose row was found gone an ordinary fault again; its next read looks for
    /// the row.
    final func expectRow(in context: ManagedObjectContext) {
        context.tracker.withdrawDeletion(of: self)
        row = nil
        state.flags.insert(.fault)
        contents?.unload()
    }
}
