import RunRecords

/// Compares the store, read with plain SQL, and the view with the writes that were reported as
/// saved.
struct LoadFindings {
    private let store: StoreReader
    private let rowCount: Int
    private let distinctCount: Int
    private let expectedRowCount: Int
    private let conflicts: Int
    private let staleReads: Int
    /// Updates that were reported as saved and are not in the store.
    private var lostUpdates = 0
    /// Updates in the store that were not reported as saved.
    private var unknownUpdates = 0
    /// Items whose value in the view differs from the store after all merges.
    private var undeliveredMerges = 0

    init(
        _ store: StoreReader, _ ledger: LoadLedger, _ tally: LoadItemClient.Tally,
        shown: [Int64: Int32]?
    ) throws {
        let rows = try store.rows("SELECT ZNUMBER, ZQUANTITY FROM ZITEM")
        self.store = store
        rowCount = rows.count
        distinctCount = Set(rows.map { $0[0] }).count
        expectedRowCount = ledger.itemCount
        conflicts = tally.conflicts
        staleReads = tally.staleReads
        let quantities = Dictionary(rows.map { ($0[0], $0[1]) }) { $1 }
        for number in 1...ledger.firstItemCount {
            let difference =
                Int(ledger.quantity(of: Int64(number))) - quantities[number, default: 0]
            lostUpdates += max(difference, 0)
            unknownUpdates += max(-difference, 0)
        }
        for (number, quantity) in shown ?? [:] where quantities[Int(number)] != Int(quantity) {
            undeliveredMerges += 1
        }
    }

    /// By ``Measuring/Metric/name``. These are metrics of the whole load, so a counting pass
    /// over a few operations does not replace them.
    var metrics: [String: Double] {
        [
            "conflicts": Double(conflicts), "lostUpdates": Double(lostUpdates),
            "staleReads": Double(staleReads), "undeliveredMerges": Double(undeliveredMerges),
        ]
    }

    /// - Parameter readsAreFresh: whether the subject promises fresh reads; if not, stale reads are
    ///   no fault.
    func verification(of checks: Set<LoadCheck>, readsAreFresh: Bool) throws -> Verification {
        var verifier = Verifier()
        try verifier.checkJournal(of: store)
        verifier.check("integrity", try store.text("PRAGMA quick_check"), equals: "ok")
        if checks.contains(.rows) {
            verifier.check("items", rowCount, equals: expectedRowCount)
            verifier.check("numbers of items", distinctCount, equals: expectedRowCount)
        }
        if checks.contains(.lostUpdates) {
            verifier.check("lost updates", lostUpdates, equals: 0)
            verifier.check("updates that no client made", unknownUpdates, equals: 0)
        }
        if checks.contains(.staleReads), readsAreFresh {
            verifier.check("stale reads", staleReads, equals: 0)
        }
        if checks.contains(.undeliveredMerges) {
            verifier.check("undelivered merges", undeliveredMerges, equals: 0)
        }
        return verifier.verification
    }
}
