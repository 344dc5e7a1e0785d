extension ManagedObject {
    final func destinations(of property: Property) -> Set<ManagedObject> {
        if state.needsAttention { attend() }
        return members(of: property)
    }

    /// The destinations, without firing the object's own fault; none if they cannot be read.
    final func members(of property: Property) -> Set<ManagedObject> {
        knownMembers(of: property) ?? []
    }

    /// The same, but nil if they cannot be read, which is reported to the fault handler.
    final func knownMembers(of property: Property) -> Set<ManagedObject>? {
        do {
            return try loadMembers(of: property)
        } catch {
            managedObjectContext?.readFailed(of: self, error, givesValue: true)
            return nil
        }
    }

    @discardableResult
    final func loadMembers(of property: Property) throws -> Set<ManagedObject> {
        if let objects = contents?.relationships[property.index]?.objects { return objects }
        let stored =
            try mayHaveStoredMembers(of: property)
            ? managedObjectContext.map { try membersAbove(of: property, in: $0) } ?? [] : []
        return load(stored, of: property)
    }

    private final func mayHaveStoredMembers(of property: Property) throws -> Bool {
        if state.life.isNew || isInaccessible || managedObjectContext == nil { return false }
        guard state.life == .broughtBack else { return true }
        // Others may refer to this object. Stored pairs need the rows of both ends, so they exist
        // only if another context has inserted the row again too.
        return try binding.model.inverse(of: property.relationship!)?.kind == .toOne
            || managedObjectContext.map { try hasRowAbove(in: $0) } ?? false
    }

    /// Whether the row was found gone (spec §3.5).
    private final var isInaccessible: Bool {
        row == nil && state.isDeleted && !state.isFault && !state.life.isInsertion
    }

    /// Whether this object's unsaved end no longer refers to the owner that the store has for it.
    /// The end was changed, or belongs to a new object whose row others have brought back.
    private final func hasMovedAway(from owner: ManagedObject, _ property: Property) -> Bool {
        guard let inverse = binding.model.inverse(of: property.relationship!),
            inverse.kind == .toOne
        else { return false }
        return isMember(of: owner, inverse) == false
    }

    /// Whether an unsaved change of a to-one relationship leads to an owner; nil without such a
    /// change. A value that was set back is none, except in a deleted object, which stays cut off.
    private final func isMember(of owner: ManagedObject, _ property: Property) -> Bool? {
        guard state.life.isToBeWritten,
            state.life.isInsertion || changedProperties.contains(property.index)
                || isDeleted && changesBesideDraft?.contains(property.index) == true
        else { return nil }
        return destination(of: property) === owner
    }

    /// The to-one relationships through which delete rules have removed this object from its
    /// owners.
    final var cutRelationships: PropertyMask {
        var cut = PropertyMask()
        guard state.deletion.isPropagated, let changes = unsavedChanges else { return cut }
        for index in binding.entity.toOneIndexes where changes.contains(index) {
            let relationship = binding.entity.properties[index].relationship!
            guard changes[index].isNull, binding.model.inverse(of: relationship)?.kind == .toMany
            else { continue }
            switch relationship.deleteRule {
            case .nullify, .cascade: cut.insert(index)
            case .noAction, .deny: break
            }
        }
        return cut
    }

    /// Whether a to-one relationship refers to an owner, according to the values in memory.
    final var isMember: Bool {
        binding.entity.toOneIndexes.contains { index in
            let property = binding.entity.properties[index]
            guard binding.model.inverse(of: property.relationship!)?.kind == .toMany else {
                return false
            }
            if let changes = changesBesideDraft, changes.contains(index) {
                return !changes[index].isNull
            }
            return row?.hasValue(property.slot!) ?? false
        }
    }

    /// Makes the owner in the row read its members again, since they may have been read without
    /// this object.
    final func unloadStoredOwner(at index: Int) {
        let property = binding.entity.properties[index]
        guard property.kind == .toOne,
            let inverse = binding.model.inverse(of: property.relationship!),
            let owner = row?.destination(of: property, in: binding.entity.layout)
        else { return }
        managedObjectContext?.table(owner.entityIndex, binding.scope.storeNumber)[owner.key]?
            .contents?.relationships[inverse.index]?.unload()
    }

    /// Without values that awakeFromFetch has set, which are not changes.
    private final var unsavedChanges: ChangedValues? {
        state.life.isToBeWritten ? changesBesideDraft : nil
    }

    final func orderedDestinations(of property: Property) -> [ManagedObject] {
        if state.needsAttention { attend() }
        return orderedMembers(of: property)
    }

    final func orderedMembers(of property: Property) -> [ManagedObject] {
        let members = members(of: property)
        return contents?.relationships[property.index]?.order ?? Array(members)
    }

    /// Sets the members to those that the level above has, with the unsaved changes applied.
    @discardableResult
    final func load(_ found: [ManagedObject], of property: Property) -> Set<ManagedObject> {
        let hasMovedAway = { (object: ManagedObject) in object.hasMovedAway(from: self, property) }
        var stored = found
        if stored.contains(where: hasMovedAway) { stored.removeAll(where: hasMovedAway) }
        let contents = ensureContents()
        var loaded = contents.relationships[property.index, default: ToManyContents()]
        let inverse = binding.model.inverse(of: property.relationship!)
        // The end with the foreign key decides, since a conflict or refresh may have changed it
        // back.
        var isMember: ((ManagedObject) -> Bool?)?
        if let inverse, inverse.kind == .toOne {
            isMember = { $0.isMember(of: self, inverse) }
        }
        loaded.load(
            stored, storedOrder: property.relationship!.isOrdered ? found : nil, isMember: isMember)
        contents.relationships[property.index] = loaded
        if let index = property.relationship!.placeIndex, !loaded.needsPlaces,
            loaded.isReordered
                || loaded.order!.contains(where: { $0.unsavedChanges?.contains(index) == true })
        {
            contents.relationships[property.index]!.sort { $0.place(at: index) }
        }
        return loaded.objects!
    }

    /// Whether the members of a to-many relationship have been read.
    final func hasLoadedDestinations(of property: Property) -> Bool {
        contents?.relationships[property.index]?.objects != nil
    }

    final func ensureContents() -> RelationshipContents {
        if let contents { return contents }
        let made = RelationshipContents()
        contents = made
        return made
    }

    final func setDestinations(_ new: some Collection<ManagedObject>, of property: Property) {
        if state.needsAttention { attend() }
        guard managedObjectContext != nil else { return changeIsLost() }
        let new = new.filter { canRefer(to: $0, property) }
        // Without the old members it is unknown which ones leave, so nothing is changed.
        guard let old = knownMembers(of: property) else { return }
        let members = Set(new)
        let leaving = old.subtracting(members)
        readTogether(leaving, of: property)
        for object in leaving { change(object, in: property, isAddition: false) }
        for object in new where !old.contains(object) {
            change(object, in: property, isAddition: true)
        }
        willChange()
        if property.relationship!.isOrdered { reorder(new, of: property) }
        if state.flags.contains(.observed) { notifyObservers(ofPropertyAt: property.index) }
    }

    /// Reads the rows of members whose own end is about to change, in one statement a store instead
    /// of one for each fault.
    final func readTogether(_ members: Set<ManagedObject>, of property: Property) {
        guard members.count > 1, let context = managedObjectContext,
            binding.model.inverse(of: property.relationship!)?.kind == .toOne
        else { return }
        // Each fault reports its own failure when it fires.
        try? context.load(
            Array(members), binding.model.destination(of: property.relationship!))
    }

    /// Reorders the members of an ordered relationship as in a list that has all of them.
    final func reorder(_ list: [ManagedObject], of property: Property) {
        var seen: Set<ManagedObject> = []
        let order = list.filter { seen.insert($0).inserted }
        guard let contents, let known = contents.relationships[property.index]?.order,
            known != order
        else { return }
        contents.relationships[property.index]!.reorder(order)
        contents.eventMask.insert(property.index)
    }

    final func change(_ object: ManagedObject, in property: Property, isAddition: Bool) {
        if object.state.isDetached, !isAddition {
            // Another context had moved the object to another owner, from which it was cut when it
            // was deleted here.
            contents?.drop([object])
            return
        }
        guard canRefer(to: object, property) else { return }
        let inverse = binding.model.inverse(of: property.relationship!)
        if let inverse, inverse.kind == .toOne {
            // The foreign key is with the member: setting that end changes both.
            if isAddition || object.destination(of: inverse) === self {
                object.setDestination(isAddition ? self : nil, of: inverse)
            }
            return
        }
        guard let context = managedObjectContext else { return changeIsLost() }
        let hasUnsavedPair = context.tracker.hasJoin(from: self, to: object, property)
        // Otherwise the members need not be read.
        if hasUnsavedPair || context.undoManager != nil || hasLoadedDestinations(of: property),
            knownMembers(of: property)?.contains(object) == isAddition
        {
            return
        }
        let takesBack =
            hasUnsavedPair && isStored(object, in: property, inverse) == isAddition
        if hasUnsavedPair { forgetNotes(about: object, in: property, inverse) }
        note(object, in: property, isAddition: isAddition)
        if let inverse { object.note(self, in: inverse, isAddition: isAddition) }
        context.noteJoin(from: self, to: object, property, isAddition: isAddition)
        if takesBack {
            forgetNotes(about: object, in: property, inverse)
            context.tracker.withdrawJoin(from: self, to: object, property)
        }
        if isAddition { noteRelation(to: object) }
    }

    /// Whether the level above has a pair that was added or removed here; nil if it cannot be read.
    private final func isStored(
        _ object: ManagedObject, in property: Property, _ inverse: Property?
    ) -> Bool? {
        // The other end may have read its members after this one, and found the pair.
        let other = inverse.flatMap { object.contents?.relationships[$0.index] }
        let isReadSince = other.map { $0.objects != nil && !$0.areNotesExact } ?? false
        if !isReadSince, let known = contents?.relationships[property.index], known.areNotesExact {
            return known.hasNote(object, false)
        }
        guard let context = managedObjectContext else { return nil }
        return try? membersAbove(of: property, in: context).contains(object)
    }

    /// Discards the unsaved additions and removals of a pair at both ends.
    final func forgetNotes(
        about object: ManagedObject, in property: Property, _ inverse: Property?
    ) {
        forgetNotes(about: object, in: property)
        if let inverse { object.forgetNotes(about: self, in: inverse) }
    }

    /// Discards the unsaved additions and removals of one member of a to-many relationship.
    final func forgetNotes(about member: ManagedObject, in property: Property) {
        contents?.relationships[property.index]?.forgetNotes { $0 === member }
    }

    /// Reads the members before one is added or removed if their present order matters: for undo,
    /// and for unsaved places of the others.
    final func keepOrder(of property: Property) {
        if let context = managedObjectContext, context.undoManager != nil {
            context.noteEvent(of: self)
        }
        if contents?.relationships[property.index]?.isReordered == true {
            _ = members(of: property)
        }
    }

    /// Records that a member was added or removed, and marks this end changed.
    final func note(_ object: ManagedObject, in property: Property, isAddition: Bool) {
        if !state.life.isToBeWritten || !state.flags.contains(.changedInEvent) {
            // A read may have found meanwhile that the store was removed.
            guard let context = managedObjectContext else { return changeIsLost() }
            context.noteChange(of: self)
        }
        let contents = ensureContents()
        contents.relationships[property.index, default: ToManyContents()]
            .note(object, isAddition: isAddition)
        contents.eventMask.insert(property.index)
        if property.relationship!.isOrdered {
            contents.relationships[property.index]!.noteReordering()
        }
        if state.flags.contains(.observed) { notifyObservers(ofPropertyAt: property.index) }
    }

    /// Whether a relationship can refer to an object: both must be in the same context. An object
    /// without a context has no destinations and cannot be one.
    /// The entity of which this object would have to be to have destinations; nil if it can have some.
    final func requiredOwner(of property: Property) -> Entity? {
        guard let index = property.relationship!.ownerIndex else { return nil }
        let owner = binding.model.entities[index]
        return binding.entity.isKind(of: owner) ? nil : owner
    }

    final func canRefer(to object: ManagedObject?, _ property: Property) -> Bool {
        guard let context = managedObjectContext else {
            changeIsLost()
            return false
        }
        if object != nil, let owner = requiredOwner(of: property) {
            fatalError(
                "\(self).\(property.name) can have no destination, because its inverse leads to '\(owner.name)'; ask whether the object is of this entity first."
            )
        }
        guard let object, object.binding !== binding || object.state.isDetached else {
            return true
        }
        guard let other = object.managedObjectContext else {
            object.changeIsLost()
            return false
        }
        guard other === context else {
            fatalError(
                "\(self).\(property.name) cannot refer to \(object), which belongs to another context; look it up here by its objectID."
            )
        }
        return true
    }
}
