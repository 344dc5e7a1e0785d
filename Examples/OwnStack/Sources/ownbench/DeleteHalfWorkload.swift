import ObjectGraph
import StackBench

/// Deletes every other note in the background, while the view reads a page of the list at intervals.
enum DeleteHalfWorkload {
    private static let saveSize = 100
    private static let pageSize = 50

    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let noteCount = context.integer("notes")
        let stack = try context.openStack(on: model())
        let worker = try stack.makeWorkerContext()
        worker.performAndWait {
            for number in 0..<noteCount { Note(context: worker)[Note.number] = number }
        }
        try stack.saveToDisk(worker)
        try stack.settle()

        let view = try stack.viewContext
        let reader = LatencyProbe(
            everyMilliseconds: context.integer("readerIntervalMilliseconds")
        ) { completion in
            view.perform { completion(Result { try readPage(of: view) }) }
        }
        var sample = try context.measure(stack, rowCount: noteCount / 2) {
            reader.start()
            let ids = try worker.performAndWait {
                let request = FetchRequest(entityName: "Note", sortKeys: [.ascending("number")])
                return try worker.fetch(request, as: Note.self)
                    .filter { $0[Note.number] % 2 == 1 }.map(\.objectID)
            }
            for start in stride(from: 0, to: ids.count, by: saveSize) {
                worker.performAndWait {
                    for id in ids[start..<min(start + saveSize, ids.count)] {
                        worker.delete(worker.object(with: id))
                    }
                }
                try stack.saveToDisk(worker)
            }
            try stack.settle()
        }
        sample.latencies["reader"] = try reader.stop()
        try stack.close()

        // Another program reads back what is left.
        let store = try StoreReader(context.storeURL)
        let found = try store.integers("SELECT COUNT(*), SUM(ZNUMBER % 2) FROM ZNOTE")
        var verifier = Verifier()
        try verifier.checkJournal(of: store)
        verifier.check("notes left", found[0], equals: (noteCount + 1) / 2)
        verifier.check("odd notes left", found[1], equals: 0)
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }

    private static func readPage(of view: ManagedObjectContext) throws {
        var request = FetchRequest(entityName: "Note", sortKeys: [.ascending("number")])
        request.fetchLimit = pageSize
        for note in try view.fetch(request, as: Note.self) { _ = note[Note.number] }
    }

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [EntityDescription(Note.self)])
    }
}

private final class Note: ManagedObject {
    static let number: Attribute<Int> = Attribute("number")

    override class var managedProperties: [any ManagedProperty] { [number] }
}

extension WorkloadKind {
    static let deleteHalf = WorkloadKind(
        "delete-half", summary: "delete every other note while the view reads pages",
        parameters: [
            WorkloadParameter(
                name: "notes", values: .integer(2...1_000_000), defaultValue: "10000",
                summary: "notes before"),
            WorkloadParameter(
                name: "readerIntervalMilliseconds", values: .integer(1...10_000),
                defaultValue: "2", summary: "time between pages"),
        ],
        isContended: true, primaryMetric: Metric("reader.max", unit: .nanoseconds),
        extraMetrics: [Metric("reader.p50", unit: .nanoseconds)], latencies: ["reader"],
        run: DeleteHalfWorkload.run)
}
