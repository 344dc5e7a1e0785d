import Dispatch
import Measuring
import ObjectGraph
import Reports
import Stacks

/// Imports the rows of the user's store into an empty one in chunks, with their links, while
/// heartbeats run on the main queue.
enum StoreImportWorkload {
    private static let heartbeatIntervalMilliseconds = 1

    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let source = try context.openOwnStore(isWritten: false)
        let groups = try source.rowsToImport(limit: context.integer("rows"))
        let rows = Array(groups.joined())
        try source.stack.close()
        let session = try context.openEmptyOwnStore()
        let importer = try StoreImporter(
            rows, groups.map(\.count), saveSize: context.integer("saveSize"), session)
        let heartbeat = LatencyProbe(everyMilliseconds: heartbeatIntervalMilliseconds) { done in
            DispatchQueue.main.async { done(.success(())) }
        }
        var sample = try context.measure(session.stack, rowCount: rows.count) {
            heartbeat.start()
            try importer.run()
            try session.stack.settle()
        }
        let latencies = try heartbeat.stop()
        sample.latencies["mainQueue"] = latencies
        // A p99 takes a second; a stack that imports fast, but on the main queue, has none.
        let p95 = latencies.flatMap { LatencyRecorder($0).percentile(0.95) }
        sample.metrics["mainQueue.p95"] = p95.map { Double($0) }
        let linkCount = importer.linkCount
        let (store, tables) = try session.readBack()
        var verifier = Verifier()
        try verifier.checkJournal(of: store)
        let entities = Dictionary(grouping: rows, by: \.id.entityName)
        var found = 0
        for entity in entities.keys {
            guard let table = tables.table(of: entity), let number = tables.number(of: entity)
            else { continue }
            found += try store.integer("SELECT COUNT(*) FROM \(table) WHERE Z_ENT = \(number)")
        }
        verifier.check("rows", found, equals: rows.count)
        verifier.checkAny("rows", rows.count)
        let linksFound = try session.ownedPaths.compactMap(tables.links).reduce(0) {
            try $0 + store.integer("SELECT COUNT(*) FROM (\($1))")
        }
        verifier.check("links", linksFound, equals: linkCount)
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }
}

extension OwnStoreSession {
    /// The first rows of each entity, in groups that can be saved one after the other. A row that
    /// lacks what a mandatory relationship needs is left out.
    fileprivate func rowsToImport(limit: Int) throws -> [[CopiedRow]] {
        let context = try stack.makeWorkerContext()
        return try context.performAndWait {
            var rows: [CopiedRow] = []
            for entity in model.importOrder where rowCount(of: entity) > 0 {
                rows += try CopiedRow.read(
                    entity, limit: limit, model.ownedRelationships(of: entity),
                    attributes: storedAttributes(of: entity), in: context)
            }
            context.reset()
            return MandatoryLinks(rows, model).groups.map { group in group.map { rows[$0] } }
        }
    }

    /// One end of each relationship that plain SQL can count, as declared.
    fileprivate var ownedPaths: [PropertyPath] {
        model.entitiesByName.values.flatMap { entity in
            let owned = Set(model.ownedRelationships(of: entity.name).map(\.name))
            return entity.relationships.map(\.name).filter(owned.contains).map {
                PropertyPath(entity: entity.name, property: $0)
            }
        }
    }
}

extension ManagedObjectModel {
    /// The entities that can have rows, those that others need by mandatory relationships first.
    fileprivate var importOrder: [String] {
        let concrete = entitiesByName.values.filter { !$0.isAbstract }.map(\.name).sorted()
        var order: [String] = []
        var visited: Set<String> = []
        func visit(_ entity: String) {
            guard visited.insert(entity).inserted else { return }
            for relationship in ownedRelationships(of: entity) where !relationship.isToMany {
                guard !relationship.isOptional else { continue }
                concrete.filter { isEntity($0, kindOf: relationship.destination) }.forEach(visit)
            }
            order.append(entity)
        }
        concrete.forEach(visit)
        return order
    }
}

/// Inserts copied rows chunk by chunk in a worker context.
private final class StoreImporter: @unchecked Sendable {
    // @unchecked Sendable: the objects are used on the worker's queue only, and other state by the
    // importing thread and by blocks that it waits for.

    private(set) var linkCount = 0
    private let rows: [CopiedRow]
    private let stack: any PersistenceStack
    private let worker: ManagedObjectContext
    private let isToMany: [String: [String: Bool]]
    private var places: [ManagedObjectID: Int] = [:]
    private var identifiers: [ManagedObjectID?]
    private var objects: [Int: ManagedObject] = [:]
    /// The rows of each save.
    private let chunks: [Range<Int>]

    /// - Parameter groups: the numbers of rows that have to be saved together, in the order of rows.
    init(
        _ rows: [CopiedRow], _ groups: [Int], saveSize: Int, _ session: OwnStoreSession
    ) throws {
        self.rows = rows
        var chunks: [Range<Int>] = []
        for count in groups {
            if let last = chunks.last, last.count + count <= saveSize {
                chunks[chunks.count - 1] = last.lowerBound..<last.upperBound + count
            } else {
                let start = chunks.last?.upperBound ?? 0
                chunks.append(start..<start + count)
            }
        }
        self.chunks = chunks
        stack = session.stack
        worker = try session.stack.makeWorkerContext()
        identifiers = Array(repeating: nil, count: rows.count)
        places = Dictionary(uniqueKeysWithValues: rows.enumerated().map { ($1.id, $0) })
        let names = Set(rows.map(\.id.entityName))
        isToMany = names.reduce(into: [:]) { kinds, name in
            kinds[name] = Dictionary(
                uniqueKeysWithValues: session.model.relationships(of: name).map {
                    ($0.name, $0.isToMany)
                })
        }
    }

    /// Inserts and saves all rows. Links to rows of later saves are set at the end.
    func run() throws {
        for chunk in chunks {
            try save {
                for place in chunk { objects[place] = try rows[place].insert(in: worker) }
                for place in chunk { try link(place) { $0 < chunk.upperBound } }
            }
        }
        for chunk in chunks {
            let late = chunk.filter { place in
                rows[place].links.values.joined().contains {
                    places[$0] ?? -1 >= chunk.upperBound
                }
            }
            guard !late.isEmpty else { continue }
            try save {
                for place in late { try link(place) { $0 >= chunk.upperBound } }
            }
        }
    }

    /// Runs a block on the worker's queue, saves, and remembers the identifiers of new rows.
    private func save(_ work: () throws -> Void) throws {
        try withoutActuallyEscaping(work) { work in
            let work = Work(run: work)
            try worker.performAndWait { try work.run() }
        }
        try stack.saveToDisk(worker)
        worker.performAndWait {
            for (place, object) in objects { identifiers[place] = object.objectID }
            objects = [:]
            worker.refreshAllObjects()
        }
    }

    /// A block that the caller of ``save(_:_:)`` waits for.
    private struct Work: @unchecked Sendable {
        // @unchecked Sendable: it is run once, while the thread that made it waits.
        let run: () throws -> Void
    }

    /// Sets those links of a row that lead to imported rows in these places.
    private func link(_ place: Int, _ isWanted: (Int) -> Bool) throws {
        for (name, others) in rows[place].links {
            let targets = others.compactMap { places[$0] }.filter(isWanted)
            guard !targets.isEmpty, let object = object(at: place) else { continue }
            try object.link(
                targets.compactMap(object(at:)), by: name,
                isToMany: isToMany[rows[place].id.entityName]?[name] == true)
            linkCount += targets.count
        }
    }

    private func object(at place: Int) -> ManagedObject? {
        objects[place] ?? identifiers[place].map { worker.object(with: $0) }
    }
}

extension WorkloadKind {
    static let storeImport = WorkloadKind(
        name: "store-import", summary: "import the store's rows while the main queue is watched",
        subjects: [.stack], data: .none, work: .contended,
        parameters: [.shown("rows"), .shown("saveSize")],
        primaryMetric: Metric("mainQueue.p95", title: "main queue p95", unit: .nanoseconds),
        extraMetrics: [
            Metric("mainQueue.p50", title: "main queue p50", unit: .nanoseconds),
            Metric("mainQueue.max", title: "main queue longest", unit: .nanoseconds),
        ],
        latencies: ["mainQueue"],
        run: StoreImportWorkload.run)
}
