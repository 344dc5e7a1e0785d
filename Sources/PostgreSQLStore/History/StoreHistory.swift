#if PostgreSQL
import ObjectGraph

/// The history of an open store (spec §10.4), in three tables beside those of the entities.
///
/// The changes of a transaction have its key, which a sequence gives at once. Its number is given by
/// a counter just before the commit, and the counter stays locked until then: so transactions are
/// numbered in the order of their commits, and a reader never finds one before those that it has
/// read. Commits of a store with a history therefore follow each other.
struct StoreHistory: Sendable {
    let layout: StoreLayout

    /// Whether saves and batch requests are recorded. If not, the history is only read.
    let isRecording: Bool

    /// By entity index.
    let entities: [HistoryEntity]

    /// Finds the history of a store.
    ///
    /// - Parameter isRecording: Whether changes are to be recorded; then missing tables are made.
    /// - Returns: Nil if the store has none.
    init?(_ layout: StoreLayout, isRecording: Bool, on link: Link) throws {
        if isRecording { try Self.makeTables(on: link) }
        let found = try link.run(Command("SELECT to_regclass('ATRANSACTION') IS NOT NULL"))
        guard try found.integer(0, 0) == 1 else { return nil }
        self.layout = layout
        self.isRecording = isRecording
        entities = layout.model.entities.map { HistoryEntity($0, layout, isOfCoreData: false) }
    }

    /// Whether the history of a store has transactions.
    static func hasTransactions(on link: Link) throws -> Bool {
        try link.run(Command("SELECT Z_PK FROM ATRANSACTION LIMIT 1")).count == 1
    }

    /// Of several processes, one makes the tables, and the others wait for it.
    private static func makeTables(on link: Link) throws {
        let found = try link.run(
            Command("SELECT to_regclass('ATRANSACTIONCOUNTER') IS NOT NULL"))
        if try found.integer(0, 0) == 1 { return }
        _ = try link.run([
            Command("BEGIN"), Command("LOCK TABLE Z_METADATA IN SHARE ROW EXCLUSIVE MODE"),
        ])
        try link.execute(
            """
            CREATE SEQUENCE IF NOT EXISTS ATRANSACTIONKEY;
            CREATE TABLE IF NOT EXISTS ATRANSACTION (
            Z_PK bigint PRIMARY KEY, ZKEY bigint NOT NULL, ZTIMESTAMP double precision NOT NULL,
            ZAUTHOR text, ZBUNDLEID text, ZCONTEXTNAME text, ZPROCESSID text);
            CREATE INDEX IF NOT EXISTS ATRANSACTION_ZTIMESTAMP ON ATRANSACTION (ZTIMESTAMP);
            CREATE TABLE IF NOT EXISTS ACHANGE (
            Z_PK bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, ZTRANSACTIONKEY bigint NOT NULL,
            ZCHANGETYPE bigint NOT NULL, ZENTITY bigint NOT NULL, ZENTITYPK bigint NOT NULL,
            ZCOLUMNS bytea, ZTOMBSTONE text[]);
            CREATE INDEX IF NOT EXISTS ACHANGE_ZTRANSACTIONKEY ON ACHANGE (ZTRANSACTIONKEY);
            CREATE TABLE IF NOT EXISTS ATRANSACTIONCOUNTER (Z_MAX bigint NOT NULL);
            INSERT INTO ATRANSACTIONCOUNTER SELECT 0
            WHERE NOT EXISTS (SELECT 1 FROM ATRANSACTIONCOUNTER)
            """)
        _ = try link.run(Command("COMMIT"))
    }
}
#endif
