// The places of members of ordered relationships.
extension ManagedObjectContext {
    /// Gives members of the ordered relationships that changed in this event places in their order.
    /// Members whose place fits keep it.
    ///
    /// - Parameter isSaving: Whether relationships that changed in earlier events are also checked,
    ///   since other contexts may have changed them too.
    /// - Returns: The owners whose members could not be read.
    func assignPlaces(isSaving: Bool) -> [ManagedObject] {
        var unplaced: [ManagedObject] = []
        if isSaving {
            for object in tracker.updated {
                assignPlaces(toMembersOf: object, settlesEqualPlaces: true, &unplaced)
            }
        }
        // The list grows, since members that get another place have changed.
        var position = 0
        while position < tracker.event.count {
            let object = tracker.event[position]
            position += 1
            assignPlaces(toMembersOf: object, settlesEqualPlaces: false, &unplaced)
        }
        return unplaced
    }

    private func assignPlaces(
        toMembersOf object: ManagedObject, settlesEqualPlaces: Bool,
        _ unplaced: inout [ManagedObject]
    ) {
        guard let contents = object.contents, !object.state.isDeleted else { return }
        for index in object.binding.entity.orderedIndexes
        where contents.relationships[index]?.isReordered == true {
            let property = object.binding.entity.properties[index]
            guard let placeIndex = property.relationship?.placeIndex else { continue }
            // Equal places are found by reading the members, which is done only in a save.
            guard settlesEqualPlaces || contents.relationships[index]!.needsPlaces else { continue }
            guard object.knownMembers(of: property) != nil else {
                unplaced.append(object)
                continue
            }
            let known = contents.relationships[index]!
            guard known.needsPlaces || known.hasEqualPlaces else { continue }
            assignPlaces(to: object.orderedDestinations(of: property), placeIndex)
            contents.relationships[index]!.needsPlaces = false
            contents.relationships[index]!.hasEqualPlaces = false
        }
    }

    private func assignPlaces(to members: [ManagedObject], _ placeIndex: Int) {
        // Setting a place of an object that is gone above would fire its fault and delete it here.
        let members = members.filter { !isGone($0) }
        let places = OrderedPlaces.rising(from: members.map { $0.place(at: placeIndex) })
        for (member, place) in zip(members, places) where member.place(at: placeIndex) != place {
            member.setAttribute(.integer(place), at: placeIndex)
        }
    }

    /// Whether a fault has no row above any more; false if the row cannot be read.
    private func isGone(_ object: ManagedObject) -> Bool {
        guard object.isFault, !object.isInserted else { return false }
        do { return try currentRow(of: object) == nil } catch { return false }
    }

    /// Additions to join tables for the changed ordered relationships of an object: all members, in
    /// order.
    func placedJoins(of object: ManagedObject) -> [JoinChange] {
        object.binding.entity.orderedIndexes.flatMap { index -> [JoinChange] in
            let property = object.binding.entity.properties[index]
            guard object.hasOtherMembers(in: index),
                property.relationship?.isInJoinTable == true
            else { return [] }
            let members = object.orderedDestinations(of: property).filter { !$0.isDeleted }
            return members.enumerated().map { position, member in
                JoinChange(
                    property: property, entity: object.binding.entity,
                    sourceKey: object.reference, destinationEntity: member.binding.entity,
                    destinationKey: member.reference, isInsertion: true, position: position)
            }
        }
    }
}

extension ManagedObject {
    /// The place of a member. A fault is not fired.
    final func place(at index: Int) -> Int64? {
        let property = binding.entity.properties[index]
        guard isFault else { return attributeValue(of: property).integer }
        guard let row = try? managedObjectContext?.currentRow(of: self) else { return nil }
        return storedValue(of: property, in: row).integer
    }
}
