import Benchmarking

/// Collects what was read back, and the first thing that was not as it must be.
struct Verifier {
    private var facts: [String: Fact] = [:]
    private var problem: String?

    mutating func check(_ name: String, _ found: Int, equals expected: Int) {
        facts[name] = .integer(Int64(found))
        guard found != expected, problem == nil else { return }
        problem = "\(name) is \(found), must be \(expected)"
    }

    /// Whoever answers nothing would be right if there were nothing to be found.
    mutating func checkAny(_ name: String, _ expected: Int) {
        guard expected == 0, problem == nil else { return }
        problem = "\(name): there are none to be found; ask of more rows"
    }

    mutating func check(_ name: String, _ found: String, equals expected: String) {
        facts[name] = .text(found)
        guard found != expected, problem == nil else { return }
        problem = "\(name) is \(found), must be \(expected)"
    }

    /// The pragmas that a file keeps must be the same for all subjects, or their work is not equal.
    mutating func checkJournal(of store: StoreReader) throws {
        let mode = try store.text("PRAGMA journal_mode")
        check("journalMode", mode, equals: store.expectedJournalMode)
    }

    var verification: Verification {
        problem.map { .failed(reason: $0) } ?? .verified(facts: facts)
    }
}
