import RunRecords

extension EngineWorkload {
    private static let smallRowCount = 10_000

    /// The cost of a row with `rowCount` rows, divided by its cost with 10,000 rows.
    func growth(
        _ seconds: ([ItemRow], TurnTaker?) throws -> Double
    ) throws -> WorkloadOutcome {
        let items = ItemRow.repeated(count: Self.smallRowCount)
        let small = try seconds(items, nil) / Double(items.count)
        let manyItems = ItemRow.repeated(count: rowCount)
        // Turns measure and count only the many rows.
        let large = try seconds(manyItems, context.turns) / Double(rowCount)
        // Only times: the other metrics would include making the stores.
        var sample = Sample()
        sample[.time] = large * Double(rowCount)
        sample[.rowsPerSecond] = 1 / large
        sample.metrics["costGrowth"] = large / small
        return try outcome(sample) { verifier in
            try verifier.checkItems(
                in: StoreReader(context.storeURL), are: ItemSum.facts(of: manyItems))
        }
    }

    func fetchSeconds(
        _ items: [ItemRow], _ turns: TurnTaker?
    ) throws -> Double {
        let subject = try context.openEngine(
            on: ItemStore(rowCount: items.count, isRepeating: true))
        defer { try? subject.close() }
        var batches = Batches(turns)
        while batches.isAnotherWanted() {
            _ = try batches.time(subject) { try subject.readItems() }
        }
        return batches.fastestSeconds
    }

    func insertSeconds(
        _ items: [ItemRow], _ turns: TurnTaker?
    ) throws -> Double {
        var batches = Batches(turns)
        while batches.isAnotherWanted() {
            let subject = try context.openEngine(on: ItemStore(rowCount: 0))
            try batches.time(subject, once: true) {
                try subject.insert(items, saveSize: Self.saveSize)
            }
            try subject.close()
        }
        return batches.fastestSeconds
    }
}
