#if PostgreSQL
import Measuring
import ObjectGraph
import Stacks

/// A worker of a stack inserts items in saves of one size.
enum ServerSaveWorkload {
    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let items = ItemRow.generated(count: context.integer("rows"))
        let saveSize = context.integer("saveSize")
        return try context.withServerStore { store in
            let model = try Item.makeModel()
            try store.makeTables(of: model)
            let stack = try context.openStack(on: store, model)
            let worker = try stack.makeWorkerContext()
            let sample = try context.measure(stack, rowCount: items.count) {
                for start in stride(from: 0, to: items.count, by: saveSize) {
                    worker.performAndWait {
                        for row in items[start..<min(start + saveSize, items.count)] {
                            Item(context: worker).take(row)
                        }
                    }
                    try stack.saveToDisk(worker)
                }
                try stack.settle()
            }
            try stack.close()
            var verifier = Verifier()
            try verifier.checkItems(in: store, are: items)
            return WorkloadOutcome(sample: sample, verification: verifier.verification)
        }
    }
}

/// The view of a stack reads items in batches: the first ones, or all.
enum ServerPageWorkload {
    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let items = ItemRow.generated(count: context.integer("rows"))
        let batchSize = context.integer("fetchBatchSize")
        let shownCount = context.text("extent") == "whole" ? items.count : 20
        return try context.withServerStore { store in
            let model = try Item.makeModel([.indexedNumber])
            try ObjectGraphEngine(store.direct, model).fill(with: items)
            let stack = try context.openStack(on: store, model)
            var answers: Set<ItemChecksum> = []
            let sample = try context.measure(stack, rowCount: shownCount, repeats: true) {
                let view = try stack.viewContext
                answers.insert(try view.scrollItems(batchSize, shownCount))
                view.forgetAll()
            }
            try stack.close()
            let facts = ItemSum.facts(of: Array(items.prefix(shownCount)))
            var verifier = Verifier()
            verifier.check(
                answers,
                equal: ItemChecksum(itemCount: shownCount, sum: facts[ItemSum.checksum.name]))
            return WorkloadOutcome(sample: sample, verification: verifier.verification)
        }
    }
}

/// The view of a stack walks from racks to their items.
enum ServerWalkWorkload {
    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let items = ItemRow.generated(count: context.integer("racks") * Rack.itemCount)
        let isPrefetching = context.flag("prefetching")
        return try context.withServerStore { store in
            let model = try Item.makeModel([.racks])
            try ObjectGraphEngine(store.direct, model).fill(withRacksOf: items)
            let stack = try context.openStack(on: store, model)
            var answers: Set<ItemChecksum> = []
            let sample = try context.measure(stack, rowCount: items.count, repeats: true) {
                let view = try stack.viewContext
                answers.insert(try view.walkRacks(prefetching: isPrefetching))
                view.forgetAll()
            }
            try stack.close()
            let facts = ItemSum.facts(of: items)
            var verifier = Verifier()
            verifier.check(
                answers,
                equal: ItemChecksum(itemCount: items.count, sum: facts[ItemSum.checksum.name]))
            return WorkloadOutcome(sample: sample, verification: verifier.verification)
        }
    }
}

extension ObjectGraphEngine {
    fileprivate func fill(with items: [ItemRow]) throws {
        try batchInsert(items)
        try close()
    }

    fileprivate func fill(withRacksOf items: [ItemRow]) throws {
        try insertOnRacks(items)
        try close()
    }
}

extension ManagedObjectContext {
    /// Reads the first of all items, in the order of their numbers.
    fileprivate func scrollItems(_ batchSize: Int, _ count: Int) throws -> ItemChecksum {
        try performAndWait {
            var request = FetchRequest(entityName: "Item", sortKeys: [.ascending("number")])
            request.fetchBatchSize = batchSize
            request.returnsObjectsAsFaults = false
            var checksum = ItemChecksum()
            for item in try fetch(request, as: Item.self).prefix(count) { checksum.add(item) }
            return checksum
        }
    }

    /// Resets this context and those above it, so that the next walk reads from the store.
    fileprivate func forgetAll() {
        for level in sequence(first: self, next: \.parent) {
            level.performAndWait { level.reset() }
        }
    }
}

extension WorkloadKind {
    static let serverSave = WorkloadKind(
        name: ServerKind.save.rawValue, summary: ServerKind.save.summary,
        subjects: [.stack], data: .onServer,
        parameters: [
            WorkloadParameter(
                name: "rows", values: .integer(1...1_000_000), defaultValue: "2000",
                summary: "items"),
            .saveSize, .delay,
        ],
        run: ServerSaveWorkload.run)

    static let serverPage = WorkloadKind(
        name: ServerKind.page.rawValue, summary: ServerKind.page.summary,
        subjects: [.stack], data: .onServer,
        parameters: [
            WorkloadParameter(
                name: "rows", values: .integer(1...1_000_000), defaultValue: "10000",
                summary: "items"),
            WorkloadParameter(
                name: "fetchBatchSize", values: .integer(0...1_000_000), defaultValue: "20",
                summary: "objects per batch; 0 reads all at once"),
            WorkloadParameter(
                name: "extent", values: .choice(["first-page", "whole"]),
                defaultValue: "first-page", summary: "20 objects, or all"),
            .delay,
        ],
        run: ServerPageWorkload.run)

    static let serverWalk = WorkloadKind(
        name: ServerKind.walk.rawValue, summary: ServerKind.walk.summary,
        subjects: [.stack], data: .onServer,
        parameters: [
            WorkloadParameter(
                name: "racks", values: .integer(1...1_000_000), defaultValue: "200",
                summary: "owners of \(Rack.itemCount) items each"),
            WorkloadParameter(
                name: "prefetching", values: .flag, defaultValue: "false",
                summary: "whether the items are fetched along with the racks"),
            .delay,
        ],
        run: ServerWalkWorkload.run)
}
#endif
