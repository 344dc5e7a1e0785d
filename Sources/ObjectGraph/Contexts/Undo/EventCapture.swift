/// How the objects that one event touches were before it; what undo goes back to.
struct EventCapture {
    var objects: [ObjectCapture] = []

    /// Pairs of many-to-many relationships: true for those that came, false for those that went.
    var joins: [JoinNote: Bool] = [:]

    /// How often the context had been saved.
    var saveCount = 0
}

/// How one object was.
struct ObjectCapture {
    enum Presence {
        /// Not in the context.
        case absent
        case clean
        case changed
        case deleted
    }

    /// The value of an attribute, or the destination of a to-one relationship: an object, since identifiers become permanent.
    enum Value: Equatable {
        case attribute(AttributeValue)
        case destination(ManagedObject?)
    }

    let object: ManagedObject
    let presence: Presence

    /// By property index; after the event only those that differ, unless the object is gone.
    var values: [(index: Int, value: Value)] = []

    /// The members of ordered relationships, by property index.
    var orders: [Int: [ManagedObject]] = [:]

    init(_ object: ManagedObject, isAbsent: Bool = false) {
        self.object = object
        presence =
            if isAbsent {
                .absent
            } else if object.state.contains(.deleted) {
                .deleted
            } else if object.hasChanges {
                .changed
            } else {
                .clean
            }
        guard !isAbsent else { return }
        for property in object.binding.entity.properties where property.kind != .toMany {
            values.append((property.index, Self.value(of: property, object)))
        }
        for index in object.binding.entity.orderedIndexes {
            // Read even if nobody has yet: what is removed and added again would stand at the end.
            orders[index] = object.orderedDestinations(
                of: object.binding.entity.properties[index])
        }
    }

    static func value(of property: Property, _ object: ManagedObject) -> Value {
        property.kind == .toOne
            ? .destination(object.destination(of: property))
            : .attribute(object.attributeValue(of: property))
    }

    var wasPresent: Bool { presence == .clean || presence == .changed }

    /// Whether the object was deleted before and is still: all that the event can have done is cut it off from others.
    private var remainsDeleted: Bool { presence == .deleted && object.state.contains(.deleted) }

    /// Whether undoing the event gives the object its values back.
    var isToBeRestored: Bool {
        !object.state.contains(.detached) && (wasPresent || remainsDeleted)
    }

    /// Forgets what the event has left as it was.
    ///
    /// - Returns: Whether undoing the event does anything to this object.
    mutating func reduce() -> Bool {
        let isPresent = !object.state.contains(.detached) && !object.state.contains(.deleted)
        guard wasPresent && isPresent || remainsDeleted else { return wasPresent != isPresent }
        let properties = object.binding.entity.properties
        values.removeAll { Self.value(of: properties[$0.index], object) == $0.value }
        // What others have made of an order meanwhile is not the event's to undo.
        let changed = object.contents?.eventMask ?? PropertyMask()
        orders = orders.filter {
            changed.contains($0.key) && object.orderedMembers(of: properties[$0.key]) != $0.value
        }
        // Members that have their places themselves are captured with them, unless they were deleted before.
        let isOrderAnother = orders.contains { index, members in
            properties[index].relationship!.isInJoinTable || members.contains(where: \.isDeleted)
        }
        return !remainsDeleted && (!values.isEmpty || isOrderAnother)
    }
}
