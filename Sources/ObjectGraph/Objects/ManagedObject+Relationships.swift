extension ManagedObject {
    /// The destination of a to-one relationship; nil if there is none.
    ///
    /// Setting it maintains the inverse at once (spec §2.11); objects of another context are refused. Queue: the
    /// context's. Cost of reading: none beyond the object's own fault; the destination comes as a fault.
    public final subscript<Destination>(relationship: ToOne<Destination>) -> Destination? {
        get {
            destination(of: property(relationship.key)).map {
                unsafeDowncast($0, to: Destination.self)
            }
        }
        set { setDestination(newValue, of: property(relationship.key)) }
    }

    /// The destinations of a to-many relationship, in no order.
    ///
    /// Setting it maintains the inverses of what was added and removed. Queue: the context's. Cost: one statement when
    /// first read; destinations come as faults.
    public final subscript<Destination>(relationship: ToMany<Destination>) -> Set<Destination> {
        get {
            let members = destinations(of: property(relationship.key))
            return Set(members.map { unsafeDowncast($0, to: Destination.self) })
        }
        set { setDestinations(newValue, of: property(relationship.key)) }
    }

    /// The destinations of an ordered to-many relationship in their order, each of them once.
    ///
    /// Setting it maintains the inverses of what was added and removed; of an object that occurs twice the first place
    /// counts. Queue: the context's. Cost: one statement when first read.
    public final subscript<Destination>(
        relationship: OrderedToMany<Destination>
    ) -> [Destination] {
        get {
            orderedDestinations(of: property(relationship.key)).map {
                unsafeDowncast($0, to: Destination.self)
            }
        }
        set { setDestinations(newValue, of: property(relationship.key)) }
    }

    /// Adds an object to a to-many relationship without reading the others.
    public final func add<Destination>(_ object: Destination, to relationship: ToMany<Destination>)
    {
        change(object, in: property(relationship.key), isAddition: true)
    }

    /// Removes an object from a to-many relationship without reading the others.
    public final func remove<Destination>(
        _ object: Destination, from relationship: ToMany<Destination>
    ) {
        change(object, in: property(relationship.key), isAddition: false)
    }

    final func property(_ key: PropertyKey) -> Property {
        binding.entity.properties[key.index(in: binding)]
    }

    // MARK: - To one

    final func destination(of property: Property) -> ManagedObject? {
        if state.needsAttention { attend(reading: property.index) }
        if let changes = changesBesideDraft, changes.contains(property.index) {
            guard case .objectID(let id) = changes[property.index] else { return nil }
            return managedObjectContext?.object(id.reference, id.scope)
        }
        return storedDestination(of: property)
    }

    /// The destination that the row names.
    final func storedDestination(of property: Property) -> ManagedObject? {
        guard let destination = row?.destination(of: property, in: binding.entity.layout) else {
            return nil
        }
        return managedObjectContext?.object(
            destination.key, entityIndex: destination.entityIndex,
            storeNumber: binding.scope.storeNumber)
    }

    final func setDestination(_ new: ManagedObject?, of property: Property) {
        guard canRefer(to: new, property) else { return }
        let old = destination(of: property)
        // While the object awakes, its other ends have to be left alone (spec §2.3).
        guard old !== new, !state.contains(.awaking),
            let inverse = binding.model.inverse(of: property.relationship!)
        else {
            return store(new, in: property)
        }
        if inverse.relationship!.isOrdered {
            old?.keepOrder(of: inverse)
            new?.keepOrder(of: inverse)
        }
        store(new, in: property)
        switch inverse.kind {
        case .toMany:
            old?.note(self, in: inverse, isAddition: false)
            new?.note(self, in: inverse, isAddition: true)
        case .toOne:
            old?.store(nil, in: inverse)
            if let new {
                if let previous = new.destination(of: inverse), previous !== self {
                    previous.store(nil, in: property)
                }
                new.store(self, in: inverse)
            }
        case .attribute:
            break
        }
    }

    /// Sets one end only.
    final func store(_ destination: ManagedObject?, in property: Property) {
        setAttribute(
            destination.map { .objectID($0.objectID) } ?? .null, at: property.index)
    }

    // MARK: - To many

    final func destinations(of property: Property) -> Set<ManagedObject> {
        if state.needsAttention { attend() }
        return members(of: property)
    }

    /// The destinations without the object's own values, which need not be there; none if they cannot be read.
    final func members(of property: Property) -> Set<ManagedObject> {
        knownMembers(of: property) ?? []
    }

    /// The same; nil if they cannot be read, which the fault handler is told.
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
            ? managedObjectContext?.storedDestinations(of: property, self) ?? [] : []
        return load(stored, of: property)
    }

    private final func mayHaveStoredMembers(of property: Property) throws -> Bool {
        if state.isNew || isInaccessible || managedObjectContext == nil { return false }
        guard state.contains(.broughtBack) else { return true }
        // Others may name it; a pair takes the rows of both ends, which somebody else may have brought back as well.
        return try binding.model.inverse(of: property.relationship!)?.kind == .toOne
            || managedObjectContext?.hasRowAbove(self) ?? false
    }

    /// Whether the row turned out to be gone (spec §3.5).
    private final var isInaccessible: Bool {
        row == nil && state.contains(.deleted) && state.isDisjoint(with: [.fault, .inserted])
    }

    /// Whether this object's own end, unsaved, does not name the owner whose relationship the store has it in: it was
    /// changed, or is of a new object, whose row others have brought back.
    private final func hasMovedAway(from owner: ManagedObject, _ property: Property) -> Bool {
        guard !state.isDisjoint(with: [.inserted, .updated]),
            let inverse = binding.model.inverse(of: property.relationship!),
            inverse.kind == .toOne,
            state.contains(.inserted) || changesBesideDraft?.contains(inverse.index) == true
        else { return false }
        return destination(of: inverse) !== owner
    }

    /// The to-one relationships in which the delete rules have taken this object out of the members of another.
    final var cutRelationships: PropertyMask {
        var cut = PropertyMask()
        guard state.contains(.deletionPropagated), let changes = unsavedChanges else { return cut }
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

    /// Whether a to-one relationship names an owner, as far as the row is known here.
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

    /// Has the owner that the row names, which may have been read without this object, read its members anew.
    final func unloadStoredOwner(at index: Int) {
        let property = binding.entity.properties[index]
        guard property.kind == .toOne,
            let inverse = binding.model.inverse(of: property.relationship!),
            let owner = row?.destination(of: property, in: binding.entity.layout)
        else { return }
        managedObjectContext?.table(owner.entityIndex, binding.scope.storeNumber)[owner.key]?
            .contents?.relationships[inverse.index]?.unload()
    }

    /// Without what awakeFromFetch has set, which is no change.
    private final var unsavedChanges: ChangedValues? {
        state.isDisjoint(with: [.inserted, .updated]) ? nil : changesBesideDraft
    }

    final func orderedDestinations(of property: Property) -> [ManagedObject] {
        if state.needsAttention { attend() }
        return orderedMembers(of: property)
    }

    final func orderedMembers(of property: Property) -> [ManagedObject] {
        let members = members(of: property)
        return contents?.relationships[property.index]?.order ?? Array(members)
    }

    @discardableResult
    private final func load(
        _ stored: [ManagedObject], of property: Property
    ) -> Set<ManagedObject> {
        let hasMovedAway = { (object: ManagedObject) in object.hasMovedAway(from: self, property) }
        let stored =
            stored.contains(where: hasMovedAway) ? stored.filter { !hasMovedAway($0) } : stored
        let contents = ensureContents()
        var loaded = contents.relationships[property.index, default: ToManyContents()]
        let inverse = binding.model.inverse(of: property.relationship!)
        // The end with the foreign key has the last word: a conflict or refresh may have changed it back since.
        var isMember: ((ManagedObject) -> Bool)?
        if let inverse, inverse.kind == .toOne {
            isMember = { $0.destination(of: inverse) === self }
        }
        loaded.load(stored, isOrdered: property.relationship!.isOrdered, isMember: isMember)
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

    /// Gives a to-many relationship the members that a prefetch has read.
    final func prefetched(_ objects: [ManagedObject], in property: Property) {
        load(objects, of: property)
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
        // What is to leave is not known without the members: then they stay as they are.
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
        if state.contains(.observed) { notifyObservers(ofPropertyAt: property.index) }
    }

    /// Reads the rows of members whose own end is about to change, in one statement a store: each would fire its own fault.
    final func readTogether(_ members: Set<ManagedObject>, of property: Property) {
        guard members.count > 1, let context = managedObjectContext,
            binding.model.inverse(of: property.relationship!)?.kind == .toOne
        else { return }
        // What cannot be read now, each fault says when it fires.
        try? context.load(
            Array(members), binding.model.destination(of: property.relationship!))
    }

    /// Gives the members of an ordered relationship the order of a list that has all of them.
    final func reorder(_ list: [ManagedObject], of property: Property) {
        var seen: Set<ManagedObject> = []
        let order = list.filter { seen.insert($0).inserted }
        guard let contents, let known = contents.relationships[property.index]?.order,
            known != order
        else { return }
        contents.relationships[property.index]!.reorder(order)
        contents.eventMask.insert(property.index)
        state.insert(.relationshipChanged)
    }

    final func change(_ object: ManagedObject, in property: Property, isAddition: Bool) {
        if object.state.contains(.detached), !isAddition {
            // Others had moved it elsewhere, where it was cut off when it was deleted here.
            contents?.drop([object])
            return
        }
        guard canRefer(to: object, property) else { return }
        let inverse = binding.model.inverse(of: property.relationship!)
        if let inverse, inverse.kind == .toOne {
            // The foreign key is with the member: setting that end does both.
            if isAddition || object.destination(of: inverse) === self {
                object.setDestination(isAddition ? self : nil, of: inverse)
            }
            return
        }
        guard let context = managedObjectContext else { return changeIsLost() }
        // Adding a member again is nothing to undo; whether it is one need not be known otherwise.
        let isUndoable =
            context.undoManager != nil && members(of: property).contains(object) != isAddition
        note(object, in: property, isAddition: isAddition)
        if let inverse { object.note(self, in: inverse, isAddition: isAddition) }
        context.noteJoin(
            from: self, to: object, property, isAddition: isAddition, isUndoable: isUndoable)
    }

    /// Reads the members before one comes or goes, if it matters what their order is until then: for undo, and for the
    /// unsaved places of the others.
    private final func keepOrder(of property: Property) {
        if let context = managedObjectContext, context.undoManager != nil {
            context.noteEvent(of: self)
        }
        if contents?.relationships[property.index]?.isReordered == true {
            _ = members(of: property)
        }
    }

    /// Takes note of a member that came or went, and marks this end changed.
    final func note(_ object: ManagedObject, in property: Property, isAddition: Bool) {
        if state.isDisjoint(with: [.inserted, .updated]) || !state.contains(.changedInEvent) {
            // A read on the way may have found its store removed.
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
        state.insert(.relationshipChanged)
        if state.contains(.observed) { notifyObservers(ofPropertyAt: property.index) }
    }

    /// Whether a relationship can lead to an object: both have to be in one context. What is in none leads nowhere, and
    /// nothing leads there.
    private final func canRefer(to object: ManagedObject?, _ property: Property) -> Bool {
        guard let context = managedObjectContext else {
            changeIsLost()
            return false
        }
        guard let object, object.binding !== binding || object.state.contains(.detached) else {
            return true
        }
        guard let other = object.managedObjectContext else {
            object.changeIsLost()
            return false
        }
        guard other === context else {
            fatalError(
                "\(self).\(property.name) cannot refer to \(object), which is of another context; look it up here by its objectID."
            )
        }
        return true
    }
}
