import Foundation

/// The state, before an event, of the objects that it touches. Undo restores it.
struct EventCapture {
    var objects: [ObjectCapture] = []

    /// Pairs of many-to-many relationships: true if added, false if removed.
    var joins: [JoinNote: Bool] = [:]

    /// How often the context had been saved when the event ended.
    var saveCount = 0
}

/// The state of one object.
struct ObjectCapture {
    enum Presence {
        /// Not in the context.
        case absent
        case clean
        case changed
        case deleted
    }

    /// The value of an attribute, or the destination of a to-one relationship. The destination is
    /// an object because identifiers change.
    enum Value: Equatable {
        case attribute(AttributeValue)
        case destination(ManagedObject?)
        case file(FileValue)
    }

    /// A stored value in a file. Its data stay readable when the file is removed. They are nil if
    /// the file cannot be read, which is no failed read: the program has not asked for the value.
    struct FileValue: Equatable {
        let path: String
        let data: Data?

        // A file never changes.
        static func == (first: Self, second: Self) -> Bool { first.path == second.path }
    }

    let object: ManagedObject
    let presence: Presence

    /// By property index, in ascending order. After the event only values that differ, unless the
    /// object is gone.
    private(set) var values: [(index: Int, value: Value)] = []

    /// The row that has the values of these attributes, which `values` takes from it when the event
    /// has ended: a row never changes. Nil after the event, and for an object without a row.
    private var stored: (row: RowReference, attributes: PropertyMask)?

    /// The members of ordered relationships, by property index.
    var orders: [Int: [ManagedObject]] = [:]

    init(_ object: ManagedObject, isAbsent: Bool = false) {
        self.object = object
        presence =
            if isAbsent {
                .absent
            } else if object.state.isDeleted {
                .deleted
            } else if object.hasChanges {
                .changed
            } else {
                .clean
            }
        guard !isAbsent else { return }
        let entity = object.binding.entity
        if let row = object.row {
            let changed = object.changesBesideDraft?.mask ?? PropertyMask()
            stored = (row, entity.plainAttributes.subtracting(changed))
        }
        for property in entity.properties
        where property.kind != .toMany && !property.isElement
            && stored?.attributes.contains(property.index) != true
        {
            values.append((property.index, Self.value(of: property, object)))
        }
        for index in entity.orderedIndexes {
            // Read in any case: without the order, a member removed and added again would be the
            // last.
            orders[index] = object.orderedDestinations(of: entity.properties[index])
        }
    }

    static func value(of property: Property, _ object: ManagedObject) -> Value {
        if property.kind == .toOne { return .destination(object.destination(of: property)) }
        guard let file = object.storedFile(of: property) else {
            return .attribute(object.attributeValue(of: property))
        }
        return .file(FileValue(path: file.path, data: try? ExternalValue.data(at: file.path)))
    }

    var wasPresent: Bool { presence == .clean || presence == .changed }

    /// Whether the event itself deleted the object or took its insertion back; known after it. Undo
    /// brings back no object that was deleted later, by others or without registration.
    private(set) var isGone = false

    /// Whether the object was deleted before and still is. The event can only have cut its
    /// relationships.
    private var remainsDeleted: Bool { presence == .deleted && object.state.isDeleted }

    /// Whether undoing the event restores values of the object.
    var isToBeRestored: Bool {
        !object.state.isDetached && (wasPresent && !object.state.isDeleted || remainsDeleted)
    }

    /// Adds the values of the captured row, without those that it still has in common with the
    /// object.
    private mutating func takeStoredValues() {
        guard let (row, attributes) = stored else { return }
        stored = nil
        let properties = object.binding.entity.properties
        let isOfObject = !isGone && object.row?.start == row.start
        attributes.forEach { index in
            if isOfObject, object.changesBesideDraft?.contains(index) != true { return }
            values.append(
                (index, .attribute(object.storedValue(of: properties[index], in: row))))
        }
        values.sort { $0.index < $1.index }
    }

    /// Removes what the event has left unchanged.
    ///
    /// - Returns: Whether undoing the event does anything to this object.
    mutating func reduce() -> Bool {
        let isPresent =
            !object.state.isDetached
            && (!object.state.isDeleted || object.state.deletion.isMerged)
        isGone = !isPresent
        guard wasPresent && isPresent || remainsDeleted else {
            takeStoredValues()
            return wasPresent != isPresent
        }
        let properties = object.binding.entity.properties
        takeStoredValues()
        values.removeAll { Self.value(of: properties[$0.index], object) == $0.value }
        // Only orders that this event has changed are restored, not those that others changed
        // meanwhile.
        let changed = object.contents?.eventMask ?? PropertyMask()
        orders = orders.filter {
            changed.contains($0.key) && object.orderedMembers(of: properties[$0.key]) != $0.value
        }
        // Members with their own places are captured with them, unless they were deleted before.
        let isOrderAnother = orders.contains { index, members in
            properties[index].relationship!.isInJoinTable || members.contains(where: \.isDeleted)
        }
        return !remainsDeleted && (!values.isEmpty || isOrderAnother)
    }
}
