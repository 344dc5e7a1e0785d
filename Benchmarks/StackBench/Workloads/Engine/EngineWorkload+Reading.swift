import Foundation
import Measuring

extension EngineWorkload {
    /// Reads all items; the sum of their columns is the answer.
    func read(
        _ sum: ItemSum, _ operation: (any EngineSubject) throws -> ItemChecksum
    ) throws -> WorkloadOutcome {
        let (subject, facts) = try open(isWritten: false)
        let expected = ItemChecksum(itemCount: rowCount, sum: facts[sum.name])
        return try read(rowCount, from: subject, expected) { try operation(subject) }
    }

    /// Reads in batches, closes the subject and checks all answers.
    private func read(
        _ rowCount: Int, from subject: any EngineSubject,
        _ expected: ItemChecksum, _ operation: () throws -> ItemChecksum
    ) throws -> WorkloadOutcome {
        var checksums: Set<ItemChecksum> = []
        let sample = try context.measureBatches(rowCount: rowCount) { batches in
            checksums.insert(try batches.time(subject, operation))
        }
        try subject.close()
        return try outcome(sample) { $0.check(checksums, equal: expected) }
    }

    /// Enough rounds that a batch takes milliseconds; few enough neighbours for the first-level
    /// cache.
    static let rounds = Rounds(count: 1_000, neighbourCount: 10)

    func reread(
        _ sum: ItemSum,
        _ operation: (any EngineSubject) throws -> ItemChecksum
    ) throws -> WorkloadOutcome {
        let (subject, facts) = try open(isWritten: false)
        let expected = ItemChecksum(
            itemCount: rowCount * Self.rounds.count,
            sum: facts[sum.name].map { $0 &* Int64(Self.rounds.count) })
        try subject.loadItems()
        var outcome = try read(rowCount * Self.rounds.count, from: subject, expected) {
            try operation(subject)
        }
        outcome.sample.metrics["readTime"] = 1e9 / (outcome.sample[.rowsPerSecond] ?? 0)
        return outcome
    }

    private static let filteredQuantity: Int32 = 500
    private static let filteredCityPrefix = "a"

    /// The first term matches half of the items, the second one in 26 of these.
    func filter() throws -> WorkloadOutcome {
        var expected = ItemChecksum()
        for item in ItemRow.repeated(count: rowCount)
        where item.quantity < Self.filteredQuantity
            && item.city.hasPrefix(Self.filteredCityPrefix)
        {
            expected.add(number: item.number)
        }
        let (subject, _) = try open(isWritten: false)
        try subject.loadItems()
        return try read(rowCount, from: subject, expected) {
            try subject.filterLoadedItems(
                quantityBelow: Self.filteredQuantity, cityPrefix: Self.filteredCityPrefix)
        }
    }

    /// Reads items in random order. None is cached: each is read once, and each batch has a new
    /// context.
    func fault(
        inTransaction: Bool
    ) throws -> WorkloadOutcome {
        var random = SeededGenerator(seed: context.job.seed)
        let keys = (1...Int64(rowCount)).shuffled(using: &random)
        return try read(.checksum) {
            try $0.readItems(withKeys: keys, inTransaction: inTransaction)
        }
    }

    private static let pageCount = 1_000

    /// Enough requests of one shape that the translation of the first does not matter.
    func readPages() throws -> WorkloadOutcome {
        let items = ItemRow.generated(count: rowCount)
        var random = SeededGenerator(seed: context.job.seed)
        let numbers = (0..<Self.pageCount).map { _ in
            Int64.random(in: 1...Int64(rowCount), using: &random)
        }
        let expected = numbers.reduce(into: ItemChecksum()) { checksum, number in
            for item in items[(Int(number) - 1)...].prefix(Self.pageRowCount) { checksum.add(item) }
        }
        let (subject, _) = try open(isWritten: false)
        return try read(Self.pageCount * Self.pageRowCount, from: subject, expected) {
            try subject.readPages(from: numbers, rowCount: Self.pageRowCount)
        }
    }

    /// Looks items up by their indexed number, in random order.
    func lookUp(
        inTransaction: Bool
    ) throws -> WorkloadOutcome {
        let items = ItemRow.generated(count: rowCount)
        var random = SeededGenerator(seed: context.job.seed)
        let numbers = (1...Int64(rowCount)).shuffled(using: &random).prefix(Self.lookUpCount)
        let expected = numbers.reduce(into: ItemChecksum()) { $0.add(items[Int($1) - 1]) }
        let (subject, _) = try open(isWritten: false)
        return try read(numbers.count, from: subject, expected) {
            try subject.findItems(numbered: Array(numbers), inTransaction: inTransaction)
        }
    }

    private static let lookUpCount = 10_000

    func search() throws -> WorkloadOutcome {
        let foundCount = (1...Int64(rowCount)).count { ItemText.isSearched($0) }
        let (subject, facts) = try open(isWritten: false)
        let expected = ItemChecksum(
            itemCount: foundCount, sum: facts[ItemSum.searchedChecksum.name])
        return try read(foundCount, from: subject, expected) {
            try subject.searchItems(for: ItemText.searchedNames)
        }
    }

    /// Fetches the same page repeatedly, each time in a new context. Then fetches and holds as many
    /// pages again, to measure the memory of one page beyond what the allocator reserves for small
    /// blocks.
    func readFirstPage() throws -> WorkloadOutcome {
        let page = ItemRow.generated(count: min(Self.pageRowCount, rowCount))
        let expected = page.reduce(into: ItemChecksum()) { $0.add($1) }
        let (subject, _) = try open(isWritten: false)
        var checksums: Set<ItemChecksum> = []
        var sample = try context.measureBatches(rowCount: Self.pageCount * page.count) { batches in
            let held = try batches.time(subject) {
                try subject.holdFirstPage(rowCount: Self.pageRowCount, times: Self.pageCount)
            }
            checksums.insert(held.checksum)
        }
        let before = Allocator.liveBytes()
        let held = try (0..<Self.pageCount).map { _ in
            try subject.holdFirstPage(rowCount: Self.pageRowCount, times: 1)
        }
        sample[.liveMemory] = Double((Allocator.liveBytes() - before) / Self.pageCount)
        checksums.formUnion(held.map(\.checksum))
        try subject.close()
        return try outcome(sample) { $0.check(checksums, equal: expected) }
    }

    /// Shows a sorted list, each time in a new context.
    func list(
        readCount: Int,
        _ operation: (any EngineSubject) throws -> (count: Int, checksum: ItemChecksum)
    ) throws -> WorkloadOutcome {
        let readCount = min(readCount, rowCount)
        let expected = ItemRow.generated(count: rowCount).prefix(readCount)
            .reduce(into: ItemChecksum()) { $0.add($1) }
        let (subject, _) = try open(isWritten: false)
        var checksums: Set<ItemChecksum> = []
        var counts: Set<Int> = []
        let sample = try context.measureBatches(rowCount: readCount) { batches in
            let answer = try batches.time(subject) { try operation(subject) }
            counts.insert(answer.count)
            checksums.insert(answer.checksum)
        }
        try subject.close()
        return try outcome(sample) { verifier in
            verifier.check(checksums, equal: expected)
            for count in counts { verifier.check("count", count, equals: rowCount) }
        }
    }

    func hold() throws -> WorkloadOutcome {
        let (subject, facts) = try open(isWritten: false)
        let expected = ItemChecksum(itemCount: rowCount, sum: facts[ItemSum.number.name])
        // Fills SQLite's page cache, which is not part of the result.
        var checksums: Set = [try subject.readNumbers()]
        var liveBytes = 0
        var sample = try context.measure(nil, rowCount: rowCount) {
            let before = Allocator.liveBytes()
            let held = try subject.holdItems()
            liveBytes = Allocator.liveBytes() - before
            checksums.insert(held.checksum)
        }
        sample[.liveMemory] = Double(liveBytes)
        try subject.close()
        return try outcome(sample) { $0.check(checksums, equal: expected) }
    }
}
