#if PostgreSQL
/// The engine or a peer on the items of a store on a server.
protocol ServerItems {
    /// Reads all items, and each property once.
    func readItems() throws -> ItemChecksum
    /// Inserts items, with a transaction after every `saveSize`.
    func insert(_ items: [ItemRow], saveSize: Int) throws
    /// Inserts items in the fastest way of the subject.
    func batchInsert(_ items: [ItemRow]) throws
    func close() throws
}

extension ObjectGraphEngine: ServerItems {}
#endif
