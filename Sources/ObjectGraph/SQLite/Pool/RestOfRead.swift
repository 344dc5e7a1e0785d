/// The part of a read that goes on after the caller of `ConnectionPool.readAhead` has its result.
protocol RestOfRead: AnyObject {
    /// The number of rows from here to the end of the read.
    var rowCount: Int { get }

    /// Finishes the read, on any thread. Afterwards it has no statement of the connection.
    func run(on connection: Connection)

    /// Called after the reader was returned to the pool.
    func end()
}
