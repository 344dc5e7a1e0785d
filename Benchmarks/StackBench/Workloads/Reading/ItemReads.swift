import Measuring

extension WorkerContext {
    /// Measures a read of all properties of all items, closes the subject, and checks the answers.
    ///
    /// - Parameter facts: the sums of the store's items; see ``ItemSum``.
    func measureReads(
        of subject: any ItemsSubject, rowCount: Int, _ facts: [String: Int64],
        _ read: () throws -> ItemChecksum
    ) throws -> WorkloadOutcome {
        // Pools open a connection at the first read.
        _ = try subject.findItems(numbered: [1], inTransaction: false)
        var answers: Set<ItemChecksum> = []
        let sample = try measure(
            counting: subject as? any CountingSubject, rowCount: rowCount, repeats: true
        ) {
            answers.insert(try read())
        }
        try subject.close()

        var verifier = Verifier()
        try verifier.checkJournal(of: StoreReader(storeURL))
        verifier.check(
            answers, equal: ItemChecksum(itemCount: rowCount, sum: facts[ItemSum.checksum.name]))
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }
}
