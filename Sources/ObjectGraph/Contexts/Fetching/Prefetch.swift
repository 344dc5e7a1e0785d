/// Loads related objects, in one statement for each relationship and store (spec §3.4).
struct Prefetch {
    private let context: ManagedObjectContext

    init(in context: ManagedObjectContext) { self.context = context }

    /// Loads the destinations of the request's key paths, with their rows.
    ///
    /// - Returns: The objects to hold for as long as they must be available without another
    ///   statement.
    func run(
        for objects: [ManagedObject], _ request: FetchRequest, _ entity: Entity
    ) throws -> [ManagedObject] {
        guard !request.relationshipKeyPathsForPrefetching.isEmpty else { return [] }
        // Paths with the same beginning share its steps.
        var reached: [String: [ManagedObject]] = [:]
        for keyPath in request.relationshipKeyPathsForPrefetching {
            var owners = objects
            var path = ""
            for property in try context.model.steps(of: keyPath, from: entity) {
                path += property.name + "."
                if let known = reached[path] {
                    owners = known
                } else {
                    owners = try destinations(of: property, owners)
                    reached[path] = owners
                    context.coordinator.debug.annotate(
                        "Prefetching with key '\(property.name)'. Got \(owners.count) rows.")
                }
            }
        }
        return reached.values.flatMap(\.self)
    }

    /// Loads the destinations of one relationship, each once.
    func destinations(
        of property: Property, _ owners: [ManagedObject]
    ) throws -> [ManagedObject] {
        guard let first = owners.first else { return [] }
        guard property.kind == .toMany else {
            try context.load(owners, first.binding.model.entities[first.binding.rootIndex])
            let destinations = Set(owners.compactMap { $0.destination(of: property) })
            try context.load(
                Array(destinations), context.model.destination(of: property.relationship!))
            return Array(destinations)
        }
        let loaded = try loadMembers(of: property, owners)
        if let loaded { return loaded }
        return Array(Set(owners.flatMap { $0.destinations(of: property) }))
    }

    /// - Returns: All destinations, each once; nil if some of them were loaded before or may be
    ///   unsaved.
    private func loadMembers(
        of property: Property, _ owners: [ManagedObject]
    ) throws -> [ManagedObject]? {
        let missing = owners.filter {
            !$0.isInserted && !$0.hasLoadedDestinations(of: property)
        }
        var all: [ManagedObject] = []
        let destination = context.model.destination(of: property.relationship!)
        for (storeNumber, group) in Dictionary(grouping: missing, by: \.binding.storeNumber) {
            let related = try context.askAbove {
                try context.channel.relatedRows(
                    of: property, group[0].binding.scope, keys: Set(group.map(\.reference)).sorted()
                )
            }
            let loaded = context.objects(
                of: StoreRows(storeNumber: storeNumber, rows: related.rows), root: destination,
                realised: false, refreshes: false)
            let table = context.table(destination.index, storeNumber)
            for owner in group {
                let members = related.contents[owner.reference, default: []].map {
                    table[$0.key]
                        ?? context.object(
                            $0.key, entityIndex: $0.entityIndex, storeNumber: storeNumber)
                }
                owner.load(members, of: property)
            }
            all += loaded
        }
        return missing.count == owners.count && !context.hasChanges ? all : nil
    }

    // MARK: - Before rules read

    /// Reads the other ends of deleted objects, for the rules that read them: the members in one
    /// statement for each relationship of an entity. A single object reads its own.
    ///
    /// If a read fails, the rules try again and report the failure.
    func readEnds(
        ofDeleted deleted: some Sequence<ManagedObject>, where isConcerned: (DeleteRule) -> Bool
    ) {
        // Sorted, since a dictionary has another order in each process, and reading calls hooks.
        let groups = Dictionary(grouping: deleted, by: \.binding.entity.index)
        for (index, objects) in groups.sorted(by: { $0.key < $1.key }) where objects.count > 1 {
            let properties = context.model.entities[index].properties.filter {
                $0.relationship.map { isConcerned($0.deleteRule) } ?? false
            }
            guard !properties.isEmpty else { continue }
            context.readTogether(objects)
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
        if property.kind == .toMany { _ = try loadMembers(of: property, owners) }
        // A rule that deletes or sets the other end needs its row, and so does undo.
        let needsRows =
            switch relationship.deleteRule {
            case .cascade: true
            case .nullify:
                context.undoManager != nil
                    || context.model.inverse(of: relationship)?.kind == .toOne
            case .noAction, .deny: false
            }
        guard needsRows else { return }
        if property.kind == .toMany {
            context.readTogether(owners.lazy.flatMap { $0.members(of: property) })
        } else {
            context.readTogether(owners.lazy.compactMap { $0.destination(of: property) })
        }
    }
}

extension ManagedObjectModel {
    /// The relationships along a key path to prefetch.
    func steps(of keyPath: String, from entity: Entity) throws(FetchError) -> [Property] {
        var steps: [Property] = []
        var entity = entity
        for key in keyPath.split(separator: ".") {
            guard let property = entity.property(named: String(key)),
                let relationship = property.relationship
            else { throw .unknownKeyPath(keyPath, entity: entity.name) }
            steps.append(property)
            entity = destination(of: relationship)
        }
        return steps
    }
}
