import Synchronization

/// How far an asynchronous fetch is, and the way to end it. Safe to use from any thread. Source: spec §3.10.
public final class FetchProgress: Sendable {
    /// How many results are expected; nil if nobody knows.
    public let estimatedResultCount: Int?

    private let rows = Atomic<Int>(0)
    private let cancellation = Atomic<Bool>(false)

    public init(estimatedResultCount: Int? = nil) {
        self.estimatedResultCount = estimatedResultCount
    }

    /// How many rows the store has returned so far. Counts on in steps while SQLite works.
    public var rowCount: Int { rows.load(ordering: .relaxed) }

    /// From 0 to 1; nil without an estimate.
    public var fractionCompleted: Double? {
        estimatedResultCount.map { min(1, Double(rowCount) / Double(max(1, $0))) }
    }

    public var isCancelled: Bool { cancellation.load(ordering: .relaxed) }

    /// Ends the fetch: SQLite stops within some thousand of its instructions, and the fetch fails with
    /// `StoreError.Reason.cancelled`.
    public func cancel() { cancellation.store(true, ordering: .relaxed) }

    func note(rowCount: Int) { rows.store(rowCount, ordering: .relaxed) }
}
