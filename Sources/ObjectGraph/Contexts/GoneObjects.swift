/// Objects that are gone, to be removed from the relationships of others.
struct GoneObjects {
    let context: ManagedObjectContext
    let objects: [ManagedObject]

    /// Removes deleted objects that leave the context from relationships that no delete rule has
    /// cut.
    func dropUncut() {
        dropMembers(
            objects.filter { object in
                // These may still be members: no rule was applied to rows found gone, no rule cuts
                // lasting members, and an object may have got an owner since.
                let wasFoundGone = object.row == nil && !object.state.life.isInsertion
                return wasFoundGone
                    || context.model.lastingMembers.contains(object.binding.entity.index)
                    || object.isMember
            })
    }

    /// Removes objects that are gone from the to-many relationships that have been read.
    private func dropMembers(_ objects: [ManagedObject]) {
        guard !objects.isEmpty else { return }
        let gone = Set(objects)
        let roots = Set(objects.map(\.binding.rootIndex))
        for table in context.identityMap.tables
        where context.model.hasToManyRelationship(fromRoot: table.rootIndex, toRoots: roots) {
            table.forEach { $0.contents?.drop(gone) }
        }
    }

    /// Removes objects that are gone from the relationships of other objects.
    ///
    /// - Returns: The unsaved objects whose to-one relationships were set to nil.
    @discardableResult
    func dropReferences() -> [ManagedObject] {
        dropMembers(objects)
        return cutReferences()
    }

    /// Sets to-one relationships of unsaved objects to nil if their destination is gone.
    ///
    /// - Returns: The objects that have lost a destination.
    private func cutReferences() -> [ManagedObject] {
        guard !objects.isEmpty else { return [] }
        let gone = Set(objects)
        var cut: [ManagedObject] = []
        for object in context.tracker.inserted + context.tracker.updated
        where object.state.life.isToBeWritten && !object.isFault && !object.isDeleted {
            for index in object.binding.entity.toOneIndexes
            where object.isInserted || object.changesBesideDraft?.contains(index) == true {
                let property = object.binding.entity.properties[index]
                if let destination = object.destination(of: property), gone.contains(destination) {
                    object.store(nil, in: property)
                    cut.append(object)
                }
            }
        }
        return cut
    }
}
