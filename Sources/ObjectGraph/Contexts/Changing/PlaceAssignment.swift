/// Gives members of ordered relationships that have changed places in their order. Members whose
/// place fits keep it.
struct PlaceAssignment {
    let context: ManagedObjectContext

    /// The owners whose members could not be read.
    private(set) var unplaced: [ManagedObject] = []

    init(in context: ManagedObjectContext) { self.context = context }

    /// Handles the relationships that changed in this event.
    ///
    /// - Parameter isSaving: Whether relationships that changed in earlier events are also checked,
    ///   since other contexts may have changed them too.
    mutating func run(isSaving: Bool) {
        if isSaving {
            for object in context.tracker.updated {
                assign(toMembersOf: object, settlesEqualPlaces: true)
            }
        }
        // The list grows, since members that get another place have changed.
        var position = 0
        while position < context.tracker.event.count {
            let object = context.tracker.event[position]
            position += 1
            assign(toMembersOf: object, settlesEqualPlaces: false)
        }
    }

    private mutating func assign(
        toMembersOf object: ManagedObject, settlesEqualPlaces: Bool
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
            assign(to: object.orderedDestinations(of: property), placeIndex)
            contents.relationships[index]!.needsPlaces = false
            contents.relationships[index]!.hasEqualPlaces = false
        }
    }

    private func assign(to members: [ManagedObject], _ placeIndex: Int) {
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
        do { return try context.currentRow(of: object) == nil } catch { return false }
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
