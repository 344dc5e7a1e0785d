import Measuring

extension Run {
    /// Joins the runs of all shards. Each cell keeps the number of its shard.
    ///
    /// - Parameter shards: in any order, one or more, each with the path that errors name.
    /// - Throws: ``MergeError`` if a shard is missing, unfinished or given twice, or if the shards
    ///   do not belong to one run.
    public init(
        merging shards: [(path: String, run: Run)], name: String, commandLine: [String]
    ) throws(MergeError) {
        var parts: [Part] = []
        for (path, run) in shards { parts.append(try Part(path, run)) }
        parts.sort { $0.shard.number < $1.shard.number }
        guard let first = parts.first else { preconditionFailure("there is no shard to merge") }
        for part in parts.dropFirst() {
            if let trait = first.difference(from: part) {
                throw .differs(trait, paths: [first.path, part.path])
            }
        }
        try Self.requireEachOnce(parts, count: first.shard.count)
        let origins = parts.map(\.origin)
        self.init(
            name: name, startedAt: origins.map(\.startedAt).min() ?? first.run.startedAt,
            seed: first.run.seed, commandLine: commandLine, build: first.run.build,
            commit: first.run.commit, environment: first.run.environment,
            dataset: first.run.dataset, workloads: try Self.results(of: parts, first.shard.plan))
        state = .completed
        finishedAt = origins.compactMap(\.finishedAt).max()
        self.shards = origins
        if parts.contains(where: { $0.run.environment.isBuiltBeforeCommit == true }) {
            environment.isBuiltBeforeCommit = true
        }
        for capacity in parts.flatMap({ $0.run.capacities ?? [] }) {
            apply(.foundCapacity(capacity))
        }
        removeUntouchedWorkloads()
    }

    private static func requireEachOnce(_ parts: [Part], count: Int) throws(MergeError) {
        for (part, next) in zip(parts, parts.dropFirst())
        where part.shard.number == next.shard.number {
            throw .twice(part.shard.number, paths: [part.path, next.path])
        }
        let missing = Set(1...count).subtracting(parts.map(\.shard.number))
        guard missing.isEmpty else { throw .missing(missing.sorted(), of: count) }
    }

    /// The planned workloads with the results of all shards.
    private static func results(
        of parts: [Part], _ plan: [WorkloadResult]
    ) throws(MergeError) -> [WorkloadResult] {
        var workloads = plan
        for place in workloads.indices {
            let name = workloads[place].name
            for index in workloads[place].cells.indices {
                let identifier = workloads[place].cells[index].identifier
                let owners = parts.filter { $0.cells[name]?.contains(identifier) == true }
                guard owners.count == 1 else {
                    throw .notOnce(workload: name, cell: identifier)
                }
                // A shard that ran out of time may have no result.
                if let result = owners[0].results[name]?[identifier] {
                    workloads[place].cells[index] = result
                }
                workloads[place].cells[index].shard = owners[0].shard.number
            }
        }
        return workloads
    }
}

/// A shard with what it measured.
private struct Part {
    let path: String
    let run: Run
    let shard: Shard
    /// ``Shard/cells`` for quick look-ups.
    let cells: [String: Set<String>]
    /// By workload and cell.
    let results: [String: [String: CellResult]]

    init(_ path: String, _ run: Run) throws(MergeError) {
        guard let shard = run.shard, shard.isPossible else { throw .notAShard(path: path) }
        guard run.state == .completed else { throw .unfinished(path: path, run.state) }
        self.path = path
        self.run = run
        self.shard = shard
        cells = shard.cells.mapValues(Set.init)
        results = run.workloads.reduce(into: [:]) { results, workload in
            for cell in workload.cells {
                results[workload.name, default: [:]][cell.identifier] = cell
            }
        }
    }

    var origin: ShardOrigin {
        ShardOrigin(
            number: shard.number, startedAt: run.startedAt, finishedAt: run.finishedAt,
            commandLine: run.commandLine, environment: run.environment)
    }

    /// What both must have in common and do not; `nil` if they belong to one run.
    func difference(from other: Part) -> MergeError.Trait? {
        let (own, others) = (run.environment.identity, other.run.environment.identity)
        let traits: [(trait: MergeError.Trait, isSame: Bool)] = [
            (.shardCount, shard.count == other.shard.count),
            (.seed, run.seed == other.run.seed),
            (.commit, run.commit == other.run.commit),
            (.build, run.build == other.run.build),
            (.swiftVersion, own.swiftVersion == others.swiftVersion),
            (
                .sqlite,
                own.sqliteVersion == others.sqliteVersion
                    && own.sqliteCompileOptions == others.sqliteCompileOptions
            ),
            (.allocator, own.allocator == others.allocator),
            (.dataset, run.dataset == other.run.dataset),
        ]
        return traits.first { !$0.isSame }?.trait
            ?? differentWorkload(in: other).map(MergeError.Trait.workload)
    }

    private func differentWorkload(in other: Part) -> String? {
        let names = (shard.plan + other.shard.plan).map(\.name).uniqued
        return names.first { name in
            shard.plan.first { $0.name == name } != other.shard.plan.first { $0.name == name }
        } ?? (shard.plan == other.shard.plan ? nil : names.first)
    }
}
