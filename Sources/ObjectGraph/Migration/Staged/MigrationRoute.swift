/// The steps of a store from its model to another one, over the versions that the program knows
/// (spec §9.7).
///
/// A declared mapping is used between its two models. An inferred step leads to the end of the
/// route, or from one listed version to a later one, and never past a declared mapping: that would
/// lose the values which the mapping keeps.
struct MigrationRoute {
    /// At least one.
    let steps: [MigrationStep]

    /// - Parameters:
    ///   - source: The model of the store.
    ///   - destination: The model that it shall have, another one.
    ///   - listed: The versions in their order, the oldest first.
    ///   - mappings: The declared mappings.
    ///   - infersMappings: Whether there are other steps than those of the declared mappings.
    ///   - configuration: The configuration of the store.
    /// - Throws: `MigrationError` with `notInferable` for the direct step if there is no route; with
    ///   `noRoute` if that step would pass a declared mapping; with `noMapping` if nothing is
    ///   inferred.
    init(
        from source: ManagedObjectModel, to destination: ManagedObjectModel,
        over listed: [ManagedObjectModel], mappings: [MappingModel], infersMappings: Bool = true,
        configuration: String?
    ) throws(MigrationError) {
        let map = VersionMap(source, destination, listed, mappings, configuration)
        let path = MigrationPath.cheapest(
            from: 0, to: map.end, count: map.versions.count
        ) { old, new in
            let edge = map.edge(old, new)
            return edge == .inPlace && !infersMappings ? nil : edge
        }
        guard let path else {
            guard infersMappings else { throw MigrationError(.noMapping) }
            _ = try ModelCorrespondence(from: source, to: destination)
            throw MigrationError(.noRoute)
        }
        let steps = try zip([0] + path, path).map { old, new throws(MigrationError) in
            try map.step(old, new)
        }
        // Versions may be equal as far as the configuration goes.
        self.steps =
            steps.isEmpty ? [MigrationStep(source: source, destination: destination)] : steps
    }
}

/// The known versions of a model, and the steps between two of them.
private struct VersionMap {
    struct Version {
        let model: ManagedObjectModel

        /// The version hashes of the configuration's entities.
        let hashes: [String: [UInt8]]

        /// The position in the list of versions; nil if it is not listed.
        let position: Int?
    }

    /// Each version once: that of the store, those listed and those of mappings, the last one.
    private(set) var versions: [Version] = []
    var end: Int { versions.count - 1 }
    private let mappings: [(source: Version, destination: Version, model: MappingModel)]
    private let configuration: String?

    init(
        _ source: ManagedObjectModel, _ destination: ManagedObjectModel,
        _ listed: [ManagedObjectModel], _ mappings: [MappingModel], _ configuration: String?
    ) {
        func hashes(_ model: ManagedObjectModel) -> [String: [UInt8]] {
            let names = model.entityNames(inConfiguration: configuration)
            return model.entityVersionHashesByName.filter { names?.contains($0.key) ?? true }
        }
        let order = listed.map(hashes)
        func version(_ model: ManagedObjectModel) -> Version {
            let hashes = hashes(model)
            return Version(
                model: model, hashes: hashes, position: order.firstIndex(of: hashes))
        }
        self.mappings = mappings.map { (version($0.source), version($0.destination), $0) }
        self.configuration = configuration
        let last = version(destination)
        var known: Set = [last.hashes]
        let others = listed.map(version) + self.mappings.flatMap { [$0.source, $0.destination] }
        for version in [version(source)] + others
        where known.insert(version.hashes).inserted {
            versions.append(version)
        }
        versions.append(last)
    }

    private func mapping(_ from: Int, _ to: Int) -> MappingModel? {
        mappings.first {
            $0.source.hashes == versions[from].hashes
                && $0.destination.hashes == versions[to].hashes
        }?.model
    }

    func step(_ from: Int, _ to: Int) throws(MigrationError) -> MigrationStep {
        let (source, destination) = (versions[from].model, versions[to].model)
        guard let mapping = mapping(from, to) else {
            return MigrationStep(source: source, destination: destination)
        }
        // Code of the mapping expects the classes of the program's model.
        return MigrationStep(
            source: mapping.source, destination: destination,
            mapping: try MappingModel(
                from: mapping.source, to: destination, mapping.entityMappings))
    }

    func edge(_ from: Int, _ to: Int) -> MigrationPath.Edge? {
        let (old, new) = (versions[from], versions[to])
        guard new.model.entityNames(inConfiguration: configuration) != nil else { return nil }
        if mapping(from, to) != nil { return .mapped }
        let isInferred = isForward(from, to) && !passesMapping(from, to) && isStep(old, new)
        return isInferred ? .inPlace : nil
    }

    /// Whether a version can become another one by inference.
    private func isStep(_ old: Version, _ new: Version) -> Bool {
        old.hashes == new.hashes
            || (try? ModelCorrespondence(from: old.model, to: new.model)) != nil
    }

    private func isForward(_ from: Int, _ to: Int) -> Bool {
        if from == 0, to == end { return true }
        let (old, new) = (versions[from].position, versions[to].position)
        guard let old else { return to == end && from > 0 }
        return to == end && new == nil || new.map { old < $0 } ?? false
    }

    /// Whether a declared mapping begins not before one version and ends not after the other.
    private func passesMapping(_ from: Int, _ to: Int) -> Bool {
        func isBefore(_ first: Version, _ second: Version) -> Bool {
            if first.hashes == second.hashes { return true }
            guard let first = first.position, let second = second.position else { return false }
            return first < second
        }
        let last = versions[end]
        return mappings.contains { mapping in
            guard isBefore(versions[from], mapping.source) else { return false }
            if to == end, last.position == nil {
                return mapping.destination.position != nil || isStep(mapping.destination, last)
            }
            return isBefore(mapping.destination, versions[to])
        }
    }
}
