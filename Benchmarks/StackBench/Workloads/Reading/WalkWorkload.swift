/// Walks a to-many relationship: reads all racks, and the items of each.
enum WalkWorkload {
    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let rowCount = context.integer("racks") * Rack.itemCount
        let isPrefetching = context.flag("prefetching")
        let (subject, facts) = try context.openItems(isWritten: false, [.racks])
        return try context.measureReads(of: subject, rowCount: rowCount, facts) {
            try subject.walkRacks(prefetching: isPrefetching)
        }
    }
}

extension WorkloadKind {
    static let walk = WorkloadKind(
        name: "walk", summary: "walk a to-many relationship of many owners",
        subjects: [.stack, .peer],
        data: .own({
            ItemStore(rowCount: $0.integer("racks") * Rack.itemCount, features: [.racks])
        }),
        parameters: [
            WorkloadParameter(
                name: "racks", values: .integer(1...1_000_000), defaultValue: "2000",
                summary: "owners of \(Rack.itemCount) items each"),
            WorkloadParameter(
                name: "prefetching", values: .flag, defaultValue: "false",
                summary: "whether the items are fetched along with the racks"),
        ],
        run: WalkWorkload.run)
}
