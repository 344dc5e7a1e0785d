import RunRecords

/// Collects the facts that were read back, and the first wrong one.
public struct Verifier {
    private var facts: [String: Fact] = [:]
    private var problem: String?

    public init() {}

    /// Notes a number that was read back, and fails the sample if it is another one.
    public mutating func check(_ name: String, _ found: Int, equals expected: Int) {
        facts[name] = .integer(Int64(found))
        guard found != expected, problem == nil else { return }
        problem = "\(name) is \(found), must be \(expected)"
    }

    /// Fails if nothing is expected: a subject that finds nothing would pass.
    public mutating func checkAny(_ name: String, _ expected: Int) {
        guard expected == 0, problem == nil else { return }
        problem = "\(name): none match, so nothing is verified; use more rows"
    }

    /// Notes a text that was read back, and fails the sample if it is another one.
    public mutating func check(_ name: String, _ found: String, equals expected: String) {
        facts[name] = .text(found)
        guard found != expected, problem == nil else { return }
        problem = "\(name) is \(found), must be \(expected)"
    }

    /// Subjects do equal work only if the store has the same journal mode for all.
    ///
    /// - Throws: if the store cannot be read.
    public mutating func checkJournal(of store: StoreReader) throws {
        let mode = try store.text("PRAGMA journal_mode")
        check("journalMode", mode, equals: store.expectedJournalMode)
    }

    public var verification: Verification {
        problem.map { .failed(reason: $0) } ?? .verified(facts: facts)
    }
}
