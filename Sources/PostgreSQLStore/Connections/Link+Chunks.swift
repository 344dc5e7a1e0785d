#if PostgreSQL

extension Link {
    /// Runs a query, and passes on its rows while the server goes on with the next ones.
    ///
    /// It reads through a cursor, and asks for a chunk ahead. Outside a transaction it begins one,
    /// so that all chunks are of one state.
    ///
    /// - Parameter body: Gets some of the rows, in order. Returns whether it wants more.
    /// - Throws: `PostgreSQLError`; what `body` throws.
    func runInChunks(
        _ command: Command, rowsPerChunk: Int, _ body: (Rows) throws -> Bool
    ) throws {
        try command.validate()
        let isAlone = !isInTransaction
        let rowsPerChunk = max(1, rowsPerChunk)
        let fetch = Command("FETCH \(rowsPerChunk) FROM og_rows")
        let wasWriting = isWriting
        if isAlone { isWriting = false }
        defer { isWriting = wasWriting }
        var pipeline = try Pipeline(on: self)
        if isAlone { pipeline.send(Command("BEGIN READ ONLY")) }
        pipeline.send(
            Command("DECLARE og_rows NO SCROLL CURSOR FOR \(command.sql)", command.parameters))
        pipeline.send(fetch)
        pipeline.flush()
        pipeline.send(fetch)
        pipeline.flush()
        let result = Result<Void, any Error> {
            if isAlone { _ = pipeline.receive() }
            _ = pipeline.receive()
            while let rows = pipeline.receive() {
                let isLast = rows.count < rowsPerChunk
                if !isLast {
                    pipeline.send(fetch)
                    pipeline.flush()
                }
                guard try rows.count > 0 && body(rows), !isLast else { break }
            }
        }
        pipeline.send(Command(isAlone ? "COMMIT" : "CLOSE og_rows"))
        do {
            try pipeline.finish()
        } catch {
            // The commit was skipped. If this fails too, the link is broken.
            if isAlone, isInTransaction, !isBroken { try? execute("ROLLBACK") }
            throw error
        }
        try result.get()
    }
}
#endif
