/// The related objects whose values decide the place of an object in a results controller
/// (spec §10.2.14).
struct RelatedSources {
    /// The properties that are read, by the index of an object's own entity.
    private let properties: [Int: PropertyMask]

    /// The steps of the key paths, without those of nested expressions.
    private let paths: [[Property]]

    init(_ operands: [Operand], _ reached: ReachedEntities, _ model: ManagedObjectModel) {
        var properties: [Int: PropertyMask] = [:]
        for (index, mask) in reached.properties {
            for member in model.entities[index].familyIndexes {
                properties[member, default: PropertyMask()].formUnion(mask)
            }
        }
        self.properties = properties
        paths = operands.compactMap { operand in
            guard case .attribute(let path, _) = operand, !path.steps.isEmpty else { return nil }
            return path.steps
        }
    }

    var isEmpty: Bool { properties.isEmpty }

    func contains(entityIndex: Int) -> Bool { properties[entityIndex] != nil }

    /// A digest of the values that are read of an object. Fires its fault. Nil if a to-many
    /// relationship is read.
    func stamp(of object: ManagedObject) -> Int? {
        let entity = object.binding.entity
        var hasher = Hasher()
        var isKnown = true
        properties[entity.index]?.forEach { index in
            let property = entity.properties[index]
            switch property.kind {
            case .attribute: hasher.combine(object.attributeValue(of: property))
            case .toOne: hasher.combine(object.destination(of: property)?.objectID)
            case .toMany: isKnown = false
            }
        }
        return isKnown ? hasher.finalize() : nil
    }

    /// Reads the rows along the key paths, a statement a step.
    ///
    /// - Returns: The objects to hold for as long as their values are needed.
    func load(from objects: [ManagedObject], in context: ManagedObjectContext) throws
        -> [ManagedObject]
    {
        var loaded: [ManagedObject] = []
        for path in paths {
            var owners = objects
            for step in path {
                owners = try Prefetch(in: context).destinations(of: step, owners)
                loaded += owners
            }
        }
        return loaded
    }
}

/// The identity of a related object.
struct RelatedIdentity: Hashable {
    private let rootIndex: Int
    private let row: RowIdentity

    init(_ object: ManagedObject) {
        rootIndex = object.binding.rootIndex
        row = RowIdentity(object)
    }
}

extension ResultOrder {
    /// The objects of the list's entity, and related ones, whose values the context has.
    private var heldObjects: [ManagedObject] {
        let own = entity.familyIndexes
        let isConcerned = { own.contains($0) || related.contains(entityIndex: $0) }
        let roots = Set(
            context.model.entities.lazy.filter { isConcerned($0.index) }.map(\.rootIndex))
        var held: [ManagedObject] = []
        for table in context.identityMap.tables where roots.contains(table.rootIndex) {
            table.forEach { object in
                guard isConcerned(object.binding.entity.index),
                    !object.isFault || object.row != nil
                else { return }
                held.append(object)
            }
        }
        return held
    }

    /// Whether values in memory may give another order or other sections than the store.
    var holdsValues: Bool { !heldObjects.isEmpty }

    /// Whether the store has other values than the context: a related object has unsaved changes,
    /// or others have changed a row that is held here.
    ///
    /// Cost: none if the row cache has the rows that are held here, which it loses to batch requests;
    /// otherwise a statement for each hierarchy. Rows that another process has changed are noticed
    /// when they are merged.
    func differsFromStore() throws -> Bool {
        let held = heldObjects
        if held.contains(where: {
            $0.hasChanges && related.contains(entityIndex: $0.binding.entity.index)
        }) {
            return true
        }
        let rows = held.filter {
            !$0.hasChanges && $0.row != nil
                && (context.parent != nil
                    || $0.reference >= 0 && !$0.hasNewestCachedRow(in: context))
        }
        for (place, group) in Dictionary(grouping: rows, by: TableKey.init) {
            let stored = try context.askAbove {
                try context.channel.rows(
                    group.map(\.reference).sorted(),
                    entity: context.model.entities[place.rootIndex],
                    storeNumber: place.storeNumber)
            }
            let versions = Dictionary(uniqueKeysWithValues: stored.map { ($0.key, $0.version) })
            if group.contains(where: { versions[$0.reference] != $0.row?.version }) { return true }
        }
        return false
    }

    /// Sorts the objects by their values in memory, unless they are in this order.
    func sort(_ objects: [ManagedObject]) throws -> [ManagedObject] {
        try context.load(objects, entity)
        let held = try related.load(from: objects, in: context)
        return withExtendedLifetime(held) {
            let isSorted = zip(objects, objects.dropFirst()).allSatisfy { compare($0, $1) <= 0 }
            return isSorted ? objects : objects.sorted { compare($0, $1) < 0 }
        }
    }

    /// The digests of the related objects whose values the context has.
    func relatedStamps() -> [RelatedIdentity: Int] {
        guard !related.isEmpty else { return [:] }
        var stamps: [RelatedIdentity: Int] = [:]
        for object in heldObjects
        where related.contains(entityIndex: object.binding.entity.index) && !object.isFault {
            stamps[RelatedIdentity(object)] = related.stamp(of: object)
        }
        return stamps
    }
}
