import Benchmarking

/// What a store, read back with plain SQL, and a view hold of what clients were told is done.
struct LoadFindings {
    private let store: StoreReader
    private let rowCount: Int
    private let distinctCount: Int
    private let expectedRowCount: Int
    private let conflicts: Int
    private let staleReads: Int
    /// Updates that were said to be saved and are not in the store.
    private var lostUpdates = 0
    /// Updates in the store that nobody was told of.
    private var unknownUpdates = 0
    /// Items of which the view, at rest, shows something else than the store has.
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

    /// By ``Benchmarking/Metric/name``. They are measured of the whole load: what a counting pass finds of a few
    /// operations does not stand for them.
    var metrics: [String: Double] {
        [
            "conflicts": Double(conflicts), "lostUpdates": Double(lostUpdates),
            "staleReads": Double(staleReads), "undeliveredMerges": Double(undeliveredMerges),
        ]
    }

    /// - Parameter readsAreFresh: whether the subject promises it; if not, stale reads are no fault.
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
            verifier.check("updates of nobody", unknownUpdates, equals: 0)
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
