#if PostgreSQL
import CPostgreSQL
import ObjectGraph

/// One connection to the server.
///
/// Confined: only one thread at a time may use it. It is not `Sendable`; `LinkPool` passes it
/// between threads. The rows that it returns may go to other threads.
///
/// Every command is prepared once and its results are binary. A command that fails leaves the link
/// usable; within a transaction, the caller has to roll back.
final class Link {
    let handle: LinkHandle
    let settings: LinkSettings
    private var trace: (@Sendable (String, Duration) -> Void)?

    /// The work since the link was opened or, for a link of a pool, borrowed.
    var statistics = LinkStatistics()
    var statements = PreparedStatements(capacity: 256)

    /// Whether it is used for changes: then a commit that gets no answer is an error of its own.
    var isWriting = true
    /// Whether the server has sent any result since this was set to false.
    var hasReceived = false

    /// Whether a ROLLBACK is on its way.
    private var isEnding = false

    /// Asked while the link waits, whether its caller has given up.
    private(set) var isCancelled: (() -> Bool)?
    /// Whether the session may listen to notifications, so that others cannot use it.
    var isListener = false

    /// Connects, and requires of a session of its own that it has taken its settings.
    ///
    /// - Throws: as `LinkHandle.init`; `settingsIgnored`.
    init(_ settings: LinkSettings) throws(PostgreSQLError) {
        self.settings = settings
        handle = try LinkHandle(settings)
        if !settings.isPooled {
            try settings.require(searchPath: run(settings.check).text(0, 0))
            statistics = LinkStatistics()
        }
        trace = settings.trace
    }

    /// For other threads.
    var canceller: Canceller { handle.canceller }

    /// Whether the link must be thrown away.
    var isBroken: Bool { handle.isBroken }
    var isInTransaction: Bool { !isEnding && handle.isInTransaction }

    /// The number of the server's process.
    var processID: Int32 { PQbackendPID(handle.connection) }

    /// Runs a command in one round trip.
    ///
    /// - Throws: `PostgreSQLError`; `commitUnknown` if the connection ended during a commit.
    func run(_ command: Command) throws(PostgreSQLError) -> Rows {
        try run([command])[0]
    }

    /// Runs commands in one round trip, whatever their number.
    ///
    /// Outside a transaction they are one transaction, unless they contain `BEGIN`.
    ///
    /// - Returns: The rows of each command.
    /// - Throws: The error of the first command that failed, with its index. Those after it were
    ///   not run.
    func run(_ commands: [Command]) throws(PostgreSQLError) -> [Rows] {
        guard settings.isPooled, !isInTransaction, let first = commands.first else {
            return try send(commands)
        }
        // A session that is shared has the settings only within a transaction.
        let hasBegin = first.isBegin
        let beginning = [hasBegin ? first : Command("BEGIN"), settings.ofTransaction]
        let rest = hasBegin ? commands.dropFirst() : commands[...]
        do {
            let results = try send(beginning + rest + (hasBegin ? [] : [Command("COMMIT")]))
            return Array((hasBegin ? results[..<1] : []) + results[2..<2 + rest.count])
        } catch var error {
            let addedCount = hasBegin ? 1 : 2
            error.commandIndex = error.commandIndex.map {
                min(max(0, $0 - addedCount), commands.count - 1)
            }
            if !hasBegin, isInTransaction, !isBroken { try? execute("ROLLBACK") }
            throw error
        }
    }

    private func send(_ commands: [Command]) throws(PostgreSQLError) -> [Rows] {
        guard !commands.isEmpty else { return [] }
        for command in commands { try command.validate() }
        var pipeline = try Pipeline(on: self)
        for command in commands { pipeline.send(command) }
        pipeline.synchronize()
        var results: [Rows] = []
        results.reserveCapacity(commands.count)
        while results.count < commands.count, let rows = pipeline.receive() { results.append(rows) }
        try pipeline.finish()
        return results
    }

    /// Runs one or several statements without parameters in one round trip, and discards their
    /// rows. They are not prepared.
    ///
    /// - Throws: `PostgreSQLError`. The statements after the failed one were not run. Without
    ///   `BEGIN` the whole script is one transaction.
    func execute(_ script: String) throws(PostgreSQLError) {
        try requireUsable()
        try Command(script).validate()
        let isImplicit = !isInTransaction
        statistics.roundTripCount += 1
        statistics.statementCount += 1
        let startNanoseconds = TraceEvent.now
        guard PQsendQuery(handle.connection, script) == 1 else {
            handle.breakOff()
            throw handle.error(nil, sql: script)
        }
        handle.flush()
        var failure: PostgreSQLError?
        while let result = handle.nextResult(cancelledIf: isCancelled) {
            defer { PQclear(result) }
            switch PQresultStatus(result) {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: hasReceived = true
            case PGRES_FATAL_ERROR: failure = failure ?? handle.error(result, sql: script)
            default:
                // A COPY would wait for data.
                handle.breakOff()
                throw PostgreSQLError(.other, "a script cannot copy rows", sql: script)
            }
        }
        noteEnd(of: script, since: startNanoseconds)
        guard var failure else { return }
        if failure.kind == .connectionLost, isWriting, isImplicit || script.contains("COMMIT") {
            failure = failure.asUnknownCommit
        }
        throw failure
    }

    /// Ends a transaction that has written nothing, without waiting for the server: the next command
    /// does.
    func rollBackLater() {
        guard !isBroken, isInTransaction else { return }
        statistics.statementCount += 1
        isEnding = PQsendQuery(handle.connection, "ROLLBACK") == 1
        if !isEnding { handle.breakOff() }
        handle.flush()
    }

    /// Takes the answer to `rollBackLater`.
    private func awaitEnd() {
        guard isEnding else { return }
        while let result = handle.nextResult(cancelledIf: nil) {
            // The link is of no use in a transaction that does not end.
            if PQresultStatus(result) != PGRES_COMMAND_OK { handle.breakOff() }
            PQclear(result)
        }
        isEnding = false
    }

    /// Runs the body while a cancellation can end its commands, which then fail with `cancelled`.
    ///
    /// - Parameter isCancelled: Asked about every 20 ms.
    func whileCancellable<T>(
        by isCancelled: @escaping () -> Bool, _ body: () throws -> T
    ) throws -> T {
        // A cancellation that came too late for the command before is not this one's.
        _ = canceller.takeRequest()
        let outer = self.isCancelled
        self.isCancelled = isCancelled
        defer { self.isCancelled = outer }
        return try body()
    }

    func requireUsable() throws(PostgreSQLError) {
        awaitEnd()
        guard !isBroken else {
            throw PostgreSQLError(.connectionLost, "the connection ended before")
        }
        guard isCancelled?() != true else {
            throw PostgreSQLError(.cancelled, "cancelled before the command was sent")
        }
    }

    func noteReceived(_ rows: Rows) {
        hasReceived = true
        statistics.rowCount += rows.count
        statistics.receivedByteCount += rows.byteCount
    }

    /// Reports a command that has ended to the log and to tracers.
    ///
    /// - Returns: The end if it was reported, otherwise the start.
    @discardableResult
    func noteEnd(of sql: String, rowCount: Int = 0, since startNanoseconds: UInt64) -> UInt64 {
        let isTraced = EventTracing.isAttached
        guard trace != nil || isTraced else { return startNanoseconds }
        let end = TraceEvent.now
        trace?(sql, .nanoseconds(end - startNanoseconds))
        if isTraced {
            EventTracing.report(
                TraceEvent(
                    .statement, track: Self.track, name: TraceName(sql), count: rowCount,
                    startNanoseconds: startNanoseconds, durationNanoseconds: end - startNanoseconds)
            )
        }
        return end
    }

    /// The connection in the events of all links.
    private static let track = TraceName("postgresql")

    /// Returns the statistics and resets them.
    func takeStatistics() -> LinkStatistics {
        defer { statistics = LinkStatistics() }
        return statistics
    }
}
#endif
