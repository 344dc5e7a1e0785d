extension ManagedObject {
    /// The destination of a to-one relationship; nil if there is none.
    ///
    /// Setting it maintains the inverse at once (spec §2.11). An object of another context stops
    /// the process. Queue: the context's. Cost of reading: none beyond the object's own fault; the
    /// destination may be a fault.
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
    /// Setting it maintains the inverses of added and removed objects. Queue: the context's. Cost:
    /// one statement when first read; destinations may be faults.
    public final subscript<Destination>(relationship: ToMany<Destination>) -> Set<Destination> {
        get {
            let members = destinations(of: property(relationship.key))
            // Right to cast: the model has checked that all members are of the class. A set holds
            // references and finds them by `hash(into:)` and `==`, which a subclass inherits, so a
            // set of the subclass has the same memory. Making one would hash every member again.
            return unsafeBitCast(members, to: Set<Destination>.self)
        }
        set { setDestinations(newValue, of: property(relationship.key)) }
    }

    /// The destinations of an ordered to-many relationship in their order, each of them once.
    ///
    /// Setting it maintains the inverses of added and removed objects. The first position counts
    /// for an object that occurs twice. Queue: the context's. Cost: one statement when first read.
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

    /// Adds an object to an ordered to-many relationship, behind the others and without reading
    /// them. A member stays where it is. For another place, insert into the relationship's array.
    public final func add<Destination>(
        _ object: Destination, to relationship: OrderedToMany<Destination>
    ) {
        change(object, in: property(relationship.key), isAddition: true)
    }

    /// Removes an object from an ordered to-many relationship without reading the others.
    public final func remove<Destination>(
        _ object: Destination, from relationship: OrderedToMany<Destination>
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

    /// The destination according to the row.
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
        // While the object awakes, the other ends must not be changed (spec §2.3).
        guard old !== new, !state.flags.contains(.awaking),
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
            old?.cutEnd(inverse, from: self)
            if let new {
                if let previous = new.destination(of: inverse), previous !== self {
                    previous.cutEnd(property, from: new)
                }
                new.store(self, in: inverse)
            }
        case .attribute:
            break
        }
        if let new { noteRelation(to: new) }
    }

    /// Sets the end of a one-to-one relationship to nil if it leads to an object, which leads
    /// elsewhere now.
    private final func cutEnd(_ property: Property, from object: ManagedObject) {
        guard let inverse = binding.model.inverse(of: property.relationship!) else { return }
        if let context = managedObjectContext { renewIfStale(inverse, of: object, in: context) }
        if destination(of: property) === object { store(nil, in: property) }
    }

    /// Has the delete rules of a deleted object applied again, since it has another relationship
    /// now. Undo restores what they have cut.
    final func noteRelation(to object: ManagedObject) {
        guard state.deletion == .propagated || object.state.deletion == .propagated else { return }
        if let undoManager = managedObjectContext?.undoManager,
            undoManager.isUndoing || undoManager.isRedoing
        {
            return
        }
        for end in [self, object] where end.state.deletion == .propagated {
            end.managedObjectContext?.tracker.mark(end)
        }
    }

    /// Sets one end only.
    final func store(_ destination: ManagedObject?, in property: Property) {
        setAttribute(
            destination.map { .objectID($0.objectID) } ?? .null, at: property.index)
    }

    // MARK: - Changes of to-many relationships

    /// Whether the members of a to-many relationship, or their order, differ from those of the last
    /// save. A save gives the object a new version then, although its row has the same values
    /// (spec §2.11).
    final var hasChangedRelationships: Bool {
        contents?.relationships.keys.contains(where: hasOtherMembers) ?? false
    }

    /// The relationships whose members or their order differ from those of the last save.
    final var changedRelationships: PropertyMask {
        var changed = PropertyMask()
        guard let contents else { return changed }
        for index in contents.relationships.keys where hasOtherMembers(in: index) {
            changed.insert(index)
        }
        return changed
    }

    /// Whether the members of a relationship, or their order, differ from those of the last save.
    final func hasOtherMembers(in index: Int) -> Bool {
        guard let known = contents?.relationships[index] else { return false }
        if known.isReordered, known.order == nil {
            _ = knownMembers(of: binding.entity.properties[index])
        }
        return contents!.relationships[index]!.isOrderAnother
            || hasMemberThatMoves(in: index, known)
    }

    /// Whether members have been added or removed, and not the other way round since.
    final var hasMemberThatMoves: Bool {
        contents?.relationships.contains(where: hasMemberThatMoves) ?? false
    }

    /// The end with the foreign key decides, as others may have changed the row since.
    private final func hasMemberThatMoves(in index: Int, _ contents: ToManyContents) -> Bool {
        let property = binding.entity.properties[index]
        guard let inverse = binding.model.inverse(of: property.relationship!),
            inverse.kind == .toOne
        else { return contents.hasNetNotes }
        return contents.notes.contains { member, _ in
            guard !member.isFault else { return false }
            let wasMember =
                !member.state.life.isInsertion && member.storedDestination(of: inverse) === self
            return (member.destination(of: inverse) === self) != wasMember
        }
    }
}
