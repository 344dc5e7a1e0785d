// The other ends of the relationships that a merge policy has settled (spec §5.3.11, §5.4.12).
//
// A setter changes both ends of a relationship, so that a save finds by its version a row that was
// deleted or related to others meanwhile. A merge policy decides object by object. What it decides
// is carried to the other ends here, as a setter would: they get a new version, the history names
// them, and no reference to an object that is gone is written.
extension ManagedObjectContext {
    /// An object that a policy has settled, and what its to-one relationships led to before.
    struct SettledObject {
        let object: ManagedObject
        let mine: [Int: ManagedObject]

        init(_ object: ManagedObject) {
            self.object = object
            mine = object.ends
        }

        /// The other ends of the to-one relationships that have an inverse: those of before, those
        /// in the newest row, and those of now.
        var possibleEnds: [ManagedObject] {
            let entity = object.binding.entity
            return entity.toOneIndexes.flatMap { index -> [ManagedObject] in
                let property = entity.properties[index]
                guard property.relationship!.inverseIndex != nil else { return [] }
                return [
                    mine[index], object.isInserted ? nil : object.storedDestination(of: property),
                    object.destination(of: property),
                ].compactMap(\.self)
            }
        }
    }

    func settleOtherEnds(of settled: [SettledObject], by kind: MergePolicy.Kind) throws {
        try readNewestRows(
            of: settled.lazy.filter { !$0.object.isDeleted }.flatMap(\.possibleEnds).filter {
                !$0.state.isDetached && !$0.isDeleted && !$0.isWritten
            })
        for settled in settled where !settled.object.isDeleted {
            for index in settled.object.binding.entity.toOneIndexes {
                let property = settled.object.binding.entity.properties[index]
                guard let inverse = model.inverse(of: property.relationship!) else { continue }
                try settle(settled, property, inverse, by: kind)
            }
        }
    }

    private func settle(
        _ settled: SettledObject, _ property: Property, _ inverse: Property,
        by kind: MergePolicy.Kind
    ) throws {
        let object = settled.object
        let theirs = object.isInserted ? nil : object.storedDestination(of: property)
        if let end = object.destination(of: property), try !canLead(to: end, end === theirs, kind) {
            object.store(nil, in: property)
        }
        let result = object.destination(of: property)
        var ends = [settled.mine[property.index], theirs, result].compactMap(\.self)
        while let end = ends.popLast() {
            guard !ends.contains(end) else { continue }
            guard !end.state.isDetached, !end.isDeleted, try renewUnchanged(end) else { continue }
            if inverse.kind == .toMany {
                end.note(
                    object, in: inverse, isMember: end === result, isStored: end === theirs)
            } else if end !== result {
                if try newestEnd(of: end, inverse) === object { end.store(nil, in: inverse) }
            } else if try newestEnd(of: end, inverse) !== object {
                // The two ends were settled differently. Of two links to one object, that of the
                // winning side stays.
                if (end === theirs) == kind.storeWins {
                    try takeOver(end, inverse, by: object, property)
                } else {
                    object.store(nil, in: property)
                }
            }
        }
    }

    /// Whether a relationship that was settled can lead to an object. A deletion here yields to a
    /// stored relationship if the store wins, and what only others have deleted is not deleted if
    /// its row is back.
    private func canLead(
        to end: ManagedObject, _ isStored: Bool, _ kind: MergePolicy.Kind
    ) throws -> Bool {
        if end.isInserted { return !end.isDeleted }
        guard isStored else { return try renewUnchanged(end) }
        guard end.isDeleted else { return true }
        let isDeletedHere = end.state.deletion.isOrder
        guard kind.storeWins || !isDeletedHere, try newestRow(of: end) != nil else { return false }
        keep(end)
        if !isDeletedHere { expectRow(of: end) }
        return true
    }

    /// Sets the end of a one-to-one relationship, and takes it from the object that had it.
    private func takeOver(
        _ end: ManagedObject, _ inverse: Property, by object: ManagedObject, _ property: Property
    ) throws {
        let previous = try newestEnd(of: end, inverse)
        end.store(object, in: inverse)
        guard let previous, !previous.isDeleted, try renewUnchanged(previous),
            try newestEnd(of: previous, property) === end
        else { return }
        previous.store(nil, in: property)
    }

    /// The unsaved destination of a to-one relationship, otherwise that of the newest row.
    private func newestEnd(of object: ManagedObject, _ property: Property) throws -> ManagedObject?
    {
        if object.isInserted || object.changesBesideDraft?.contains(property.index) == true {
            return object.destination(of: property)
        }
        return try uncachedRow(of: object)?.destination(
            of: property, in: object.binding.entity.layout
        )
        .map {
            self.object(
                $0.key, entityIndex: $0.entityIndex, storeNumber: object.binding.storeNumber)
        }
    }

    /// Makes the other ends of one-to-one relationships agree with what is about to be saved.
    ///
    /// A setter has done so, unless others have related the object since, or one of the two rows is
    /// older than the other. Only rows that disagree are read again.
    func settleOneToOneEnds() {
        guard parent == nil else { return }
        for object in tracker.updated where object.state.life == .updated && !object.isDeleted {
            guard let changes = object.changesBesideDraft else { continue }
            settleOneToOneEnds(of: object, where: changes.contains)
        }
        for object in tracker.deleted
        where object.state.deletion.isOrder && !object.state.life.isInsertion {
            settleOneToOneEnds(of: object) { _ in true }
        }
    }

    private func settleOneToOneEnds(of object: ManagedObject, where isConcerned: (Int) -> Bool) {
        for index in object.binding.entity.toOneIndexes where isConcerned(index) {
            let property = object.binding.entity.properties[index]
            guard let inverse = model.inverse(of: property.relationship!), inverse.kind == .toOne
            else { continue }
            let stored = object.storedDestination(of: property)
            let current = object.isDeleted ? nil : object.destination(of: property)
            guard stored !== current else { continue }
            if let stored, !stored.isDeleted, !stored.state.isDetached {
                renewIfStale(stored, property, of: object)
                if stored.destination(of: inverse) === object { stored.store(nil, in: inverse) }
            }
            guard let current, !current.isDeleted else { continue }
            if !current.isWritten, !renew(current) {
                object.store(nil, in: property)
            } else if current.destination(of: inverse) !== object,
                current.changesBesideDraft?.contains(inverse.index) != true
            {
                // A row that is written for another change may lead elsewhere too.
                current.store(object, in: inverse)
            }
        }
    }

    /// - Returns: false if the row is gone.
    @discardableResult
    private func renew(_ object: ManagedObject) -> Bool {
        do { return try renewUnchanged(object) } catch {
            readFailed(of: object, error, givesValue: false)
            return true
        }
    }

    /// Gives an object whose row does not lead back its newest row, since others may have related
    /// the two after this context has read it. Otherwise no stored key would be cut.
    func renewIfStale(
        _ destination: ManagedObject, _ property: Property, of object: ManagedObject
    ) {
        guard parent == nil, let inverse = model.inverse(of: property.relationship!),
            inverse.kind == .toOne, !destination.state.isDetached
        else { return }
        if destination.isFault { destination.fireFault() }
        if destination.storedDestination(of: inverse) !== object { renew(destination) }
    }

    /// Gives an object that the save does not write its newest row, since others may have changed
    /// its own ends.
    ///
    /// - Returns: false if the row is gone.
    func renewUnchanged(_ object: ManagedObject) throws -> Bool {
        guard !object.isDeleted else { return false }
        guard !object.isWritten else { return true }
        guard let newest = try uncachedRow(of: object) else { return false }
        object.contents?.unload()
        object.forgetEqualValues()
        object.row = newest
        if !object.isFault { object.awake(fromSnapshotEvents: .refresh) }
        return true
    }

    /// Takes back a deletion, because the row has changed and the store wins. Relationships that
    /// the deletion has cut stay cut.
    func keep(_ object: ManagedObject) {
        tracker.withdrawDeletion(of: object)
        tracker.withdrawUpdate(of: object)
        object.discardChanges()
        object.contents?.forgetOrders()
        if object.hasChangedRelationships { tracker.update(object) }
    }
}

extension ManagedObject {
    /// Whether a save writes the object's row.
    final var isWritten: Bool { state.life.isInsertion || hasPersistentChangedValues }

    /// The destinations of the to-one relationships, by property index.
    final var ends: [Int: ManagedObject] {
        binding.entity.toOneIndexes.reduce(into: [:]) { ends, index in
            ends[index] = destination(of: binding.entity.properties[index])
        }
    }

    /// Notes an addition or a removal of a member if the store has another one.
    fileprivate final func note(
        _ member: ManagedObject, in property: Property, isMember: Bool, isStored: Bool
    ) {
        if isMember == isStored {
            forgetNotes(about: member, in: property)
        } else if contents?.relationships[property.index]?.hasNote(member, isMember) != true {
            note(member, in: property, isAddition: isMember)
        }
    }
}
