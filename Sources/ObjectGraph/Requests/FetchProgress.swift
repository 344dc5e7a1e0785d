import Synchronization

/// The progress of an asynchronous fetch, which can be cancelled. Safe to use from any thread.
/// Source: spec §3.10.
public final class FetchProgress: Sendable {
    /// The expected number of results; nil if unknown.
    public let estimatedResultCount: Int?

    private let rows = Atomic<Int>(0)
    private let cancellation = Atomic<Bool>(false)

    public init(estimatedResultCount: Int? = nil) {
        self.estimatedResultCount = estimatedResultCount
    }

    /// The number of rows that the store has returned so far. It grows in steps while SQLite works.
    public var rowCount: Int { rows.load(ordering: .relaxed) }

    /// From 0 to 1; nil without an estimate.
    public var fractionCompleted: Double? {
        estimatedResultCount.map { min(1, Double(rowCount) / Double(max(1, $0))) }
    }

    public var isCancelled: Bool { cancellation.load(ordering: .relaxed) }

    /// Cancels the fetch. SQLite stops after at most some thousand of its instructions, and the
    /// fetch fails with `StoreError.Reason.cancelled`.
    public func cancel() { cancellation.store(true, ordering: .relaxed) }

    package func note(rowCount: Int) { rows.store(rowCount, ordering: .relaxed) }
}
