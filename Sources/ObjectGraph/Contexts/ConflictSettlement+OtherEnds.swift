// The other ends of the relationships that a merge policy has settled (spec §5.3.11, §5.4.12).
//
// A setter changes both ends of a relationship, so that a save finds by its version a row that was
// deleted or related to others meanwhile. A merge policy decides object by object. What it decides
// is carried to the other ends here, as a setter would: they get a new version, the history names
// them, and no reference to an object that is gone is written.
extension ConflictSettlement {
    /// An object that a policy has settled, and what its to-one relationships led to before.
    struct SettledObject {
        let object: ManagedObject

        /// In the order of the entity's to-one relationships.
        let mine: [ManagedObject?]

        init(_ object: ManagedObject) {
            self.object = object
            mine = object.ends
        }

        /// The other ends of the to-one relationships that have an inverse: those of before, those
        /// in the newest row, and those of now.
        var possibleEnds: [ManagedObject] {
            let entity = object.binding.entity
            return zip(entity.toOneIndexes, mine).flatMap { index, mine -> [ManagedObject] in
                let property = entity.properties[index]
                guard property.relationship!.inverseIndex != nil else { return [] }
                return [
                    mine, object.isInserted ? nil : object.storedDestination(of: property),
                    object.destination(of: property),
                ].compactMap(\.self)
            }
        }
    }

    func settleOtherEnds(of settled: [SettledObject]) throws {
        try context.newestRows.read(
            of: Set(
                settled.lazy.filter { !$0.object.isDeleted }.flatMap(\.possibleEnds).filter {
                    !$0.state.isDetached && !$0.isDeleted && !$0.isWritten
                }), in: context)
        for settled in settled where !settled.object.isDeleted {
            let entity = settled.object.binding.entity
            for (index, mine) in zip(entity.toOneIndexes, settled.mine) {
                let property = entity.properties[index]
                guard let inverse = context.model.inverse(of: property.relationship!) else {
                    continue
                }
                try settle(settled.object, mine, property, inverse)
            }
        }
    }

    /// - Parameter mine: Where the relationship led to before.
    private func settle(
        _ object: ManagedObject, _ mine: ManagedObject?, _ property: Property, _ inverse: Property
    ) throws {
        let theirs = object.isInserted ? nil : object.storedDestination(of: property)
        if let end = object.destination(of: property), try !canLead(to: end, end === theirs) {
            object.store(nil, in: property)
        }
        let result = object.destination(of: property)
        var ends = [mine, theirs, result].compactMap(\.self)
        while let end = ends.popLast() {
            guard !ends.contains(end) else { continue }
            guard !end.state.isDetached, !end.isDeleted, try end.renewUnchanged(in: context) else {
                continue
            }
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
    private func canLead(to end: ManagedObject, _ isStored: Bool) throws -> Bool {
        if end.isInserted { return !end.isDeleted }
        guard isStored else { return try end.renewUnchanged(in: context) }
        guard end.isDeleted else { return true }
        let isDeletedHere = end.state.deletion.isOrder
        guard kind.storeWins || !isDeletedHere,
            try context.newestRows.row(of: end, in: context) != nil
        else { return false }
        keep(end)
        if !isDeletedHere { end.expectRow(in: context) }
        return true
    }

    /// Sets the end of a one-to-one relationship, and takes it from the object that had it.
    private func takeOver(
        _ end: ManagedObject, _ inverse: Property, by object: ManagedObject, _ property: Property
    ) throws {
        let previous = try newestEnd(of: end, inverse)
        end.store(object, in: inverse)
        guard let previous, !previous.isDeleted, try previous.renewUnchanged(in: context),
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
        return try context.newestRows.uncachedRow(of: object, in: context)?.destination(
            of: property, in: object.binding.entity.layout
        )
        .map {
            context.object(
                $0.key, entityIndex: $0.entityIndex, storeNumber: object.binding.storeNumber)
        }
    }
}

extension ManagedObject {
    /// The destinations of the entity's to-one relationships, in their order.
    final var ends: [ManagedObject?] {
        binding.entity.toOneIndexes.map { destination(of: binding.entity.properties[$0]) }
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
