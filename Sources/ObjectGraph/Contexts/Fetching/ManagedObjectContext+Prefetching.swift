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
}
