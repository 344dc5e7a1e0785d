#if PostgreSQL
import ObjectGraph

/// Commands that see one state: that of a generation, or the newest one when the first of them runs.
///
/// Confined to the thread that reads.
final class ReadTransaction {
    static let begin = Command("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    private let link: Link
    private let generation: Generation?
    private let progress: FetchProgress?

    /// Whether the link is in a transaction, perhaps a failed one.
    private var isOpen = false

    init(_ link: Link, _ generation: Generation?, _ progress: FetchProgress?) {
        self.link = link
        self.generation = generation
        self.progress = progress
    }

    /// Runs commands in one round trip; the first call begins the transaction.
    func run(_ commands: [Command]) throws -> [Rows] {
        try run(commands, ends: false)
    }

    /// Runs one command as the whole transaction, in one round trip.
    func run(only command: Command) throws -> Rows {
        guard generation != nil else { return try send([command])[0] }
        return try run([command], ends: true)[0]
    }

    /// Ends the transaction. A failure is none of the reader's: nothing was written.
    func end() {
        guard isOpen, !link.isBroken else { return }
        isOpen = false
        _ = try? link.run(Command("ROLLBACK"))
    }

    private func run(_ commands: [Command], ends: Bool) throws -> [Rows] {
        let beginning = isOpen ? [] : generation?.beginning ?? [Self.begin]
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
