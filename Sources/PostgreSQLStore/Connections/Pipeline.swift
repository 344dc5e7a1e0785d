#if PostgreSQL
import CPostgreSQL
import ObjectGraph

/// Commands that are sent without waiting for the results of those before
/// (https://www.postgresql.org/docs/15/libpq-pipeline-mode.html).
///
/// After a failure the server skips what follows. Here, `send` then does nothing, `receive` returns
/// nil, and `finish`, which must be called in any case, throws the failure.
struct Pipeline {
    private enum Step {
        case deallocate(name: String)
        case prepare(name: String, sql: String)
        case execute(index: Int, sql: String)
    }

    private let link: Link
    private let handle: LinkHandle
    /// Whether the server commits at the end without being told.
    private let commitsImplicitly: Bool
    private var steps: [Step] = []
    private var completedStepCount = 0
    private var sentCommandCount = 0
    private var beginsTransaction = false
    private var isCommitting = false
    private var isSynchronized = false
    private var failure: PostgreSQLError?
    /// When the command whose result comes next may have begun to run: the server runs them one after
    /// the other, so each has the time since the result before it.
    private var startNanoseconds = TraceEvent.now

    /// - Throws: `closed` if the link cannot be used; `cancelled` before anything is sent.
    init(on link: Link) throws(PostgreSQLError) {
        try link.requireUsable()
        self.link = link
        handle = link.handle
        commitsImplicitly = !handle.isInTransaction
        guard PQenterPipelineMode(handle.connection) == 1 else {
            throw handle.error(nil, sql: nil)
        }
    }

    /// Adds a command. It must be valid (`Command.validate`).
    mutating func send(_ command: Command) {
        guard failure == nil else { return }
        if command.isBegin { beginsTransaction = true }
        if command.isCommit { isCommitting = true }
        let index = sentCommandCount
        sentCommandCount += 1
        let isSent: Int32
        if command.isPrepared, !link.settings.isPooled {
            guard let name = link.statements.name(for: command) ?? prepare(command) else { return }
            isSent = command.parameters.withEncoded { addresses, lengths, formats in
                PQsendQueryPrepared(
                    handle.connection, name, Int32(command.parameters.count), addresses, lengths,
                    formats, 1)
            }
        } else {
            let types = command.parameters.map(\.type)
            isSent = command.parameters.withEncoded { addresses, lengths, formats in
                PQsendQueryParams(
                    handle.connection, command.sql, Int32(types.count), types, addresses, lengths,
                    formats, 1)
            }
        }
        note(isSent, .execute(index: index, sql: command.sql))
        link.statistics.statementCount += 1
        link.statistics.sentByteCount += command.byteCount
    }

    /// - Returns: The name of the statement; nil if it could not be sent.
    private mutating func prepare(_ command: Command) -> String? {
        for name in link.statements.takeSurplus() {
            let isSent = PQsendQueryParams(
                handle.connection, "DEALLOCATE \(name)", 0, nil, nil, nil, nil, 1)
            note(isSent, .deallocate(name: name))
        }
        let (name, types) = link.statements.add(command)
        let isSent = PQsendPrepare(
            handle.connection, name, command.sql, Int32(types.count), types)
        note(isSent, .prepare(name: name, sql: command.sql))
        link.statistics.preparedCount += 1
        return failure == nil ? name : nil
    }

    private mutating func note(_ isSent: Int32, _ step: Step) {
        steps.append(step)
        guard isSent != 1, failure == nil else { return }
        failure = lostError()
        // What was sent so far must not be committed: the server forgets it without the end of the
        // pipeline.
        handle.breakOff()
    }

    /// Sends everything, and ends the pipeline. Without `BEGIN`, its commands are one transaction,
    /// which the server commits now.
    mutating func synchronize() {
        guard !isSynchronized, !handle.isBroken else { return }
        isSynchronized = true
        PQpipelineSync(handle.connection)
        handle.flush()
        link.statistics.roundTripCount += 1
    }

    /// The rows of the next command; nil after the last one and after a failure.
    mutating func receive() -> Rows? {
        while failure == nil, completedStepCount < steps.count {
            let step = steps[completedStepCount]
            guard let result = nextResult() else {
                failure = lostError()
                return nil
            }
            let status = PQresultStatus(result)
            guard
                status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK
                    || status == PGRES_EMPTY_QUERY
            else {
                fail(result, at: step)
                PQclear(result)
                return nil
            }
            completedStepCount += 1
            if case .execute(_, let sql) = step {
                if isCommitting, sql.hasPrefix("COMMIT") { isCommitting = false }
                let rows = Rows(result, sql: sql)
                link.noteReceived(rows)
                startNanoseconds = link.noteEnd(
                    of: sql, rowCount: rows.count, since: startNanoseconds)
                return rows
            }
            PQclear(result)
        }
        return nil
    }

    /// Receives what is left and makes the link ready for its next use.
    ///
    /// - Throws: The first failure.
    mutating func finish() throws(PostgreSQLError) {
        synchronize()
        while receive() != nil {}
        if !handle.isBroken { awaitEnd() }
        if failure != nil { forgetUnfinishedSteps() }
        if handle.isBroken || PQexitPipelineMode(handle.connection) != 1 { handle.breakOff() }
        if let failure { throw failure }
    }

    /// The result of a command, without the nil that follows it.
    private func nextResult() -> OpaquePointer? {
        let result = handle.nextResult(cancelledIf: link.isCancelled)
        while result != nil, let surplus = handle.nextResult(cancelledIf: link.isCancelled) {
            PQclear(surplus)
        }
        return result
    }

    private mutating func fail(_ result: OpaquePointer, at step: Step) {
        switch step {
        case .execute(let index, let sql):
            failure = handle.error(result, sql: sql, at: index)
            switch failure?.sqlState {
            // "cached plan must not change result type": another session has changed the table.
            case "0A000": link.statements.removeOutdated(sql)
            case "26000": link.statements.removeAll()
            default: break
            }
        case .prepare(_, let sql): failure = handle.error(result, sql: sql, at: nextCommandIndex)
        case .deallocate: failure = handle.error(result, sql: nil, at: nextCommandIndex)
        }
        if failure?.kind == .connectionLost { failure = lostError(failure) }
    }

    /// The index of the first command whose result is still to come.
    private var nextCommandIndex: Int? {
        for case .execute(let index, _) in steps[completedStepCount...] { return index }
        return sentCommandCount > 0 ? sentCommandCount - 1 : nil
    }

    /// The error of a lost connection: whether the transaction was committed is unknown if its end
    /// was sent and no command before it failed.
    private func lostError(_ known: PostgreSQLError? = nil) -> PostgreSQLError {
        var sql: String?
        if case .execute(_, let text)? = steps.dropFirst(completedStepCount).first { sql = text }
        let error = known ?? handle.error(nil, sql: sql, at: nextCommandIndex)
        let isImplicit = commitsImplicitly && !beginsTransaction && isSynchronized
        guard link.isWriting, isCommitting || isImplicit else { return error }
        // The server itself ended the connection, during a command before the commit.
        if error.sqlState != nil, let sql = error.sql, !sql.hasPrefix("COMMIT") { return error }
        return error.asUnknownCommit
    }

    /// Waits until the server has answered the end of the pipeline. It reports what fails at the
    /// end of the transaction.
    private mutating func awaitEnd() {
        var emptyCount = 0
        while emptyCount < 3, !handle.isBroken {
            guard let result = handle.nextResult(cancelledIf: link.isCancelled) else {
                emptyCount += 1
                continue
            }
            defer { PQclear(result) }
            emptyCount = 0
            switch PQresultStatus(result) {
            case PGRES_PIPELINE_SYNC: return
            case PGRES_FATAL_ERROR:
                let error = handle.error(result, sql: nil)
                if failure == nil {
                    failure = error.kind == .connectionLost ? lostError(error) : error
                }
            default: break
            }
        }
        handle.breakOff()
        if failure == nil { failure = lostError() }
    }

    /// Undoes what the cache knows of statements that the server has skipped.
    private func forgetUnfinishedSteps() {
        var unprepared: Set<String> = []
        for step in steps[completedStepCount...] {
            switch step {
            case .prepare(let name, let sql):
                unprepared.insert(name)
                link.statements.remove(sql, named: name)
            case .deallocate(let name) where !unprepared.contains(name):
                link.statements.keepSurplus(name)
            case .deallocate, .execute: break
            }
        }
    }
}

extension PostgreSQLError {
    var asUnknownCommit: Self {
        var error = Self(
            .commitUnknown, "the connection ended during the commit: \(message)",
            sqlState: sqlState, sql: sql)
        error.commandIndex = commandIndex
        return error
    }
}
#endif
