import Measuring
import ObjectGraph

/// Finds one item at a time by two terms, which are written as one text or joined from two
/// predicates, one of which is made only once.
enum TermsWorkload {
    enum Form: String, CaseIterable {
        /// A text of both terms, parsed for each item.
        case text
        /// A text of the first term, joined with a predicate that exists.
        case compound
    }

    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let form: Form = context.choice("form")
        let rowCount = context.integer("rows")
        let facts = try context.placeStore(isWritten: false)
        let coordinator = try context.openCoordinator(Item.makeModel([.indexedNumber]))
        let objects = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        var random = SeededGenerator(seed: context.job.seed)
        let numbers = (1...Int64(rowCount)).shuffled(using: &random)
        let (sample, found) = try context.measure(in: objects, rowCount: rowCount) {
            let second = try ObjectPredicate("quantity >= %ld", 0)
            var checksum = ItemChecksum()
            for number in numbers {
                let predicate: ObjectPredicate =
                    switch form {
                    case .text:
                        try ObjectPredicate("number == %ld AND quantity >= %ld", number, 0)
                    case .compound: .and([try ObjectPredicate("number == %ld", number), second])
                    }
                if let item = try Item.findFirst(in: objects, where: predicate) {
                    checksum.add(item)
                }
            }
            return checksum
        }
        try coordinator.removePersistentStores()

        var verifier = Verifier()
        try verifier.checkJournal(of: StoreReader(context.storeURL))
        verifier.check(
            [found], equal: ItemChecksum(itemCount: rowCount, sum: facts[ItemSum.checksum.name]))
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }
}

extension WorkloadKind {
    static let terms = WorkloadKind(
        name: "terms", summary: "find items by two terms: one text, or a compound predicate",
        subjects: [.engine],
        data: .own({ ItemStore(rowCount: $0.integer("rows"), features: [.indexedNumber]) }),
        parameters: [
            WorkloadParameter(
                name: "form", values: .cases(of: TermsWorkload.Form.self),
                defaultValue: "text", summary: "how the terms are put together"),
            WorkloadParameter(
                name: "rows", values: .integer(1...1_000_000), defaultValue: "1000",
                summary: "items in the store, each of which is found once"),
        ],
        run: TermsWorkload.run)
}
