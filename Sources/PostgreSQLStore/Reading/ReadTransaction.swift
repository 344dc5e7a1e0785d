#if PostgreSQL
import ObjectGraph

/// Commands that see one state: that of a generation, or the newest one when the first of them runs.
///
/// Confined to the thread that reads.
final class ReadTransaction {
    static let begin = Command("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    private let link: Link
    private let generation: Generation?
    private var progress: FetchProgress?

    /// Whether reads with `run(only:)` belong together.
    private let staysOpen: Bool

    /// Whether the link is in a transaction, perhaps a failed one.
    private var isOpen = false

    init(
        _ link: Link, _ generation: Generation?, _ progress: FetchProgress?,
        staysOpen: Bool = false
    ) {
        self.link = link
        self.generation = generation
        self.progress = progress
        self.staysOpen = staysOpen
    }

    /// Lends the transaction to a read that may be cancelled.
    func observing<T>(
        _ progress: FetchProgress?, _ body: (ReadTransaction) throws -> T
    ) throws -> T {
        let outer = self.progress
        self.progress = progress
        defer { self.progress = outer }
        return try body(self)
    }

    /// Runs commands in one round trip; the first call begins the transaction.
    func run(_ commands: [Command]) throws -> [Rows] {
        try run(commands, ends: false)
    }

    /// Runs one command as the whole transaction, in one round trip, unless it stays open.
    func run(only command: Command) throws -> Rows {
        if staysOpen { return try run([command])[0] }
        guard generation != nil else { return try send([command])[0] }
        return try run([command], ends: true)[0]
    }

    /// Ends the transaction, in which nothing was written, without waiting for the server.
    func end() {
        guard isOpen else { return }
        isOpen = false
        link.rollBackLater()
    }

    private func run(_ commands: [Command], ends: Bool) throws -> [Rows] {
        let beginning = isOpen ? [] : try generation?.beginning() ?? [Self.begin]
        isOpen = true
        let end = ends ? [Command("COMMIT")] : []
        do {
            let results = try send(beginning + commands + end)
            isOpen = !ends
            return Array(results[beginning.count..<beginning.count + commands.count])
        } catch let error as PostgreSQLError {
            if let generation, error.commandIndex.map({ $0 < beginning.count }) == true {
                throw generation.failure
            }
            // The next read begins another one: the server runs nothing in a failed one.
            if staysOpen { self.end() }
            throw error
        }
    }

    private func send(_ commands: [Command]) throws -> [Rows] {
        guard let progress else { return try link.run(commands) }
        do {
            let results = try link.whileCancellable(by: { progress.isCancelled }) {
                try link.run(commands)
            }
            guard !progress.isCancelled else { throw StoreError(.cancelled) }
            return results
        } catch let error as PostgreSQLError where error.kind == .cancelled {
            throw StoreError(.cancelled)
        }
    }
}
#endif
