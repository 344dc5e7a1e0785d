import Foundation
import Measuring

extension EngineWorkload {
    /// Writes in batches, each to a fresh store, which is checked when the subject has closed it.
    private func write(
        _ items: [ItemRow], _ batch: (inout Batches) throws -> Void,
        _ check: (inout Verifier, StoreReader) throws -> Void
    ) throws -> WorkloadOutcome {
        let facts = ItemSum.facts(of: items)
        var verifier = Verifier()
        let sample = try context.measureBatches(rowCount: items.count) { batches in
            try batch(&batches)
            let store = try StoreReader(context.storeURL)
            try verifier.checkJournal(of: store)
            try verifier.checkItems(in: store, are: facts)
            try check(&verifier, store)
        }
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }

    func insert(
        _ operation: (any EngineSubject, [ItemRow]) throws -> Void
    ) throws -> WorkloadOutcome {
        let items = ItemRow.generated(count: rowCount)
        return try write(items) { batches in
            let (subject, _) = try open(isWritten: true)
            try batches.time(subject, once: true) { try operation(subject, items) }
            try subject.close()
        } _: { verifier, store in
            try verifier.checkHistory(
                in: store, hasOnly: row.tracksHistory ? [.insert: rowCount] : nil)
            guard row.features.contains(.pictures) else { return }
            try verifier.checkPictures(
                in: store, context.configuration.pictureFolder, itemCount: rowCount)
        }
    }

    /// Racks and items are saved together.
    func insertOnRacks() throws -> WorkloadOutcome {
        let items = ItemRow.generated(count: rowCount)
        return try write(items) { batches in
            guard let engine = try open(isWritten: true).subject as? ObjectGraphEngine else {
                throw UnableSubject(name: context.job.subject, kind: context.job.kind)
            }
            try batches.time(engine, once: true) { try engine.insertOnRacks(items) }
            try engine.close()
        } _: { verifier, store in
            guard row.features.contains(.countedRacks) else { return }
            let wrong = try store.integer(
                """
                SELECT COUNT(*) FROM ZRACK r WHERE ZITEMCOUNT IS NOT \
                (SELECT COUNT(*) FROM ZITEM WHERE ZRACK = r.Z_PK)
                """)
            verifier.check("wrong counts", wrong, equals: 0)
        }
    }

    /// Half of the items are stored already, with other quantities.
    func upsert() throws -> WorkloadOutcome {
        var items = ItemRow.generated(count: rowCount)
        for index in items.indices { items[index].quantity += 1_000 }
        return try write(items) { batches in
            let (subject, _) = try open(isWritten: true)
            try batches.time(subject, once: true) { try subject.upsert(items) }
            try subject.close()
        } _: { verifier, store in
            let versions = try store.integer("SELECT SUM(Z_OPT) FROM ZITEM")
            verifier.check("versions", versions, equals: rowCount + rowCount / 2)
        }
    }

    /// Inserts a JSON array that is read as a stream. Measured once, because its memory counts too.
    func importJSON() throws -> WorkloadOutcome {
        let (subject, _) = try open(isWritten: true)
        let file = try ItemFile(
            context.job.folder.appending(path: "items.json"), itemCount: rowCount)
        let sample = try context.measure(nil, rowCount: rowCount) {
            try subject.importItems(from: file)
        }
        try subject.close()
        return try outcome(sample) { verifier in
            let store = try StoreReader(context.storeURL)
            let items = ItemRow.generated(count: min(rowCount, 10_000))
            let expected = (0..<rowCount).map { ItemFile.item($0, of: items) }
            try verifier.checkItems(in: store, are: ItemSum.facts(of: expected))
        }
    }

    func update(
        loadingFirst loadsFirst: Bool = false, _ operation: (any EngineSubject) throws -> Void
    ) throws -> WorkloadOutcome {
        var (subject, facts) = try open(isWritten: true)
        if loadsFirst { try subject.loadItems() }
        var batchCount = 0
        let sample = try context.measureBatches(rowCount: rowCount) { batches in
            try batches.time(subject) {
                try operation(subject)
                batchCount += 1
            }
        }
        try subject.close()
        ItemSum.raiseQuantities(in: &facts, by: batchCount)
        return try outcome(sample) { verifier in
            try verifier.checkItems(in: StoreReader(context.storeURL), are: facts)
        }
    }
}
