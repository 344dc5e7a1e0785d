#if PostgreSQL
import CPostgreSQL
import ObjectGraph

extension Link {
    /// Inserts rows by `COPY`, in two round trips whatever their number. Unless in a transaction,
    /// it is one.
    ///
    /// - Parameters:
    ///   - table: The table, and the columns that each row has.
    ///   - body: Writes the rows. If it throws, no row is inserted.
    /// - Returns: The number of rows.
    /// - Throws: what `body` throws; `PostgreSQLError`.
    @discardableResult
    func copy(
        into table: String, _ columns: [String], _ body: (inout CopyWriter) throws -> Void
    ) throws -> Int {
        let sql =
            "COPY \(table) (\(columns.joined(separator: ", "))) FROM STDIN (FORMAT binary)"
        let isImplicit = !isInTransaction
        let startNanoseconds = TraceEvent.now
        try beginCopy(sql)
        defer {
            // Fails only if the connection is broken.
            PQsetnonblocking(handle.connection, 1)
        }
        var writer = CopyWriter(to: handle, columnCount: columns.count)
        let written = Result<Void, any Error> {
            try body(&writer)
            try writer.finish()
        }
        statistics.sentByteCount += writer.byteCount
        do {
            try endCopy(sql, reason: written.failure == nil ? nil : "the sender gave up")
        } catch {
            // The body failed first, and the server reports only that.
            if written.failure == nil || error.kind == .connectionLost {
                guard error.kind == .connectionLost, isWriting, isImplicit else { throw error }
                throw error.asUnknownCommit
            }
        }
        try written.get()
        noteEnd(of: sql, rowCount: writer.rowCount, since: startNanoseconds)
        return writer.rowCount
    }

    private func beginCopy(_ sql: String) throws(PostgreSQLError) {
        try requireUsable()
        try Command(sql).validate()
        statistics.roundTripCount += 1
        statistics.statementCount += 1
        PQsetnonblocking(handle.connection, 0)
        guard let result = PQexec(handle.connection, sql) else {
            throw handle.error(nil, sql: sql)
        }
        defer { PQclear(result) }
        guard PQresultStatus(result) == PGRES_COPY_IN else {
            PQsetnonblocking(handle.connection, 1)
            throw handle.error(result, sql: sql)
        }
    }

    /// - Parameter reason: Makes the server discard the rows.
    private func endCopy(_ sql: String, reason: String?) throws(PostgreSQLError) {
        statistics.roundTripCount += 1
        PQputCopyEnd(handle.connection, reason)
        var failure: PostgreSQLError?
        while let result = handle.nextResult(cancelledIf: isCancelled) {
            defer { PQclear(result) }
            hasReceived = true
            guard PQresultStatus(result) != PGRES_COMMAND_OK, failure == nil else { continue }
            failure = handle.error(result, sql: sql)
        }
        if let failure { throw failure }
        guard !isBroken else { throw handle.error(nil, sql: sql) }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
#endif
