// Loading related objects with the fetched ones, in one statement for each step of a key path
// (spec §3.4).
extension ManagedObjectContext {
    /// Loads the destinations of the request's key paths, with their rows.
    ///
    /// - Returns: The objects to hold for as long as they must be available without another
    ///   statement.
    func prefetch(
        for objects: [ManagedObject], _ request: FetchRequest, _ entity: Entity
    ) throws -> [ManagedObject] {
        guard !request.relationshipKeyPathsForPrefetching.isEmpty else { return [] }
        // Paths with the same beginning share its steps.
        var reached: [String: [ManagedObject]] = [:]
        for keyPath in request.relationshipKeyPathsForPrefetching {
            var owners = objects
            var path = ""
            for property in try steps(of: keyPath, from: entity) {
                path += property.name + "."
                if let known = reached[path] {
                    owners = known
                } else {
                    owners = try prefetch(property, of: owners)
                    reached[path] = owners
                    coordinator.debug.annotate(
                        "Prefetching with key '\(property.name)'. Got \(owners.count) rows.")
                }
            }
        }
        return reached.values.flatMap(\.self)
    }

    /// The relationships along a key path to prefetch.
    func steps(of keyPath: String, from entity: Entity) throws(FetchError) -> [Property] {
        var steps: [Property] = []
        var entity = entity
        for key in keyPath.split(separator: ".") {
            guard let property = entity.property(named: String(key)),
                let relationship = property.relationship
            else { throw .unknownKeyPath(keyPath, entity: entity.name) }
            steps.append(property)
            entity = model.destination(of: relationship)
        }
        return steps
    }

    /// Loads the destinations of one relationship, each once.
    func prefetch(_ property: Property, of owners: [ManagedObject]) throws -> [ManagedObject] {
        guard let first = owners.first else { return [] }
        guard property.kind == .toMany else {
            try load(owners, first.binding.model.entities[first.binding.rootIndex])
            let destinations = Set(owners.compactMap { $0.destination(of: property) })
            try load(Array(destinations), model.destination(of: property.relationship!))
            return Array(destinations)
        }
        let loaded = try prefetchToMany(property, of: owners)
        if let loaded { return loaded }
        return Array(Set(owners.flatMap { $0.destinations(of: property) }))
    }

    /// - Returns: All destinations, each once; nil if some of them were loaded before or may be
    ///   unsaved.
    private func prefetchToMany(
        _ property: Property, of owners: [ManagedObject]
    ) throws -> [ManagedObject]? {
        let missing = owners.filter {
            !$0.isInserted && !$0.hasLoadedDestinations(of: property)
        }
        var all: [ManagedObject] = []
        let destination = model.destination(of: property.relationship!)
        for (storeNumber, group) in Dictionary(grouping: missing, by: \.binding.storeNumber) {
            let related = try askAbove {
                try channel.relatedRows(
                    of: property, group[0].binding.scope, keys: Set(group.map(\.reference)).sorted()
                )
            }
            let loaded = objects(
                of: StoreRows(storeNumber: storeNumber, rows: related.rows), root: destination,
                realised: false, refreshes: false)
            let table = table(destination.index, storeNumber)
            for owner in group {
                let members = related.contents[owner.reference, default: []].map {
                    table[$0.key]
                        ?? object($0.key, entityIndex: $0.entityIndex, storeNumber: storeNumber)
                }
                owner.load(members, of: property)
            }
            all += loaded
        }
        return missing.count == owners.count && !hasChanges ? all : nil
    }

    /// Reads the rows of objects that are faults without a row, in one statement a store.
    func load(_ objects: [ManagedObject], _ entity: Entity) throws {
        let faults = objects.filter {
            $0.isFault && $0.row == nil && ($0.reference >= 0 || parent != nil)
        }
        for (storeNumber, group) in Dictionary(grouping: faults, by: \.binding.storeNumber) {
            let rows = try askAbove {
                try channel.rows(
                    group.map(\.reference).sorted(), entity: entity, storeNumber: storeNumber)
            }
            _ = self.objects(
                of: StoreRows(storeNumber: storeNumber, rows: rows), root: entity,
                realised: false, refreshes: false)
        }
    }

    // MARK: - Before the engine reads

    /// Reads the rows of faults that are about to be fired, in one statement a store for each root
    /// entity. A single fault reads its own, and a cached row needs no statement.
    ///
    /// If the read fails, each fault tries again and reports its own failure.
    func readTogether(_ objects: some Sequence<ManagedObject>) {
        let unread = objects.filter {
            $0.isFault && $0.row == nil && !$0.isInserted && !$0.state.isDetached
                && coordinator.cachedVersion($0.reference, $0.binding.scope) == nil
        }
        for (root, faults) in Dictionary(grouping: Set(unread), by: \.binding.rootIndex)
        where faults.count > 1 {
            try? load(faults, model.entities[root])
        }
    }

    /// Reads the other ends of deleted objects, for the rules that read them: the members in one
    /// statement for each relationship of an entity. A single object reads its own.
    ///
    /// If a read fails, the rules try again and report the failure.
    func readEnds(
        of deleted: some Sequence<ManagedObject>, where isConcerned: (DeleteRule) -> Bool
    ) {
        // Sorted, since a dictionary has another order in each process, and reading calls hooks.
        let groups = Dictionary(grouping: deleted, by: \.binding.entity.index)
        for (index, objects) in groups.sorted(by: { $0.key < $1.key }) where objects.count > 1 {
            let properties = model.entities[index].properties.filter {
                $0.relationship.map { isConcerned($0.deleteRule) } ?? false
            }
            guard !properties.isEmpty else { continue }
            readTogether(objects)
            for property in properties {
                // An object whose row is gone has no members.
                let owners = objects.filter {
                    !$0.state.isDetached && ($0.row != nil || $0.isInserted)
                }
                try? readEnds(of: property, owners)
            }
        }
    }

    private func readEnds(of property: Property, _ owners: [ManagedObject]) throws {
        let relationship = property.relationship!
        if property.kind == .toMany { _ = try prefetchToMany(property, of: owners) }
        // A rule that deletes or sets the other end needs its row, and so does undo.
        let needsRows =
            switch relationship.deleteRule {
            case .cascade: true
            case .nullify: undoManager != nil || model.inverse(of: relationship)?.kind == .toOne
            case .noAction, .deny: false
            }
        guard needsRows else { return }
        if property.kind == .toMany {
            readTogether(owners.lazy.flatMap { $0.members(of: property) })
        } else {
            readTogether(owners.lazy.compactMap { $0.destination(of: property) })
        }
    }
}
