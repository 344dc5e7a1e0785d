import Synchronization

/// The history of an open store (spec §8.7, §10.4).
final class StoreHistory: Sendable {
    let layout: StoreLayout

    /// Whether saves and batch requests are recorded. If not, the history is only read.
    let isRecording: Bool

    /// By entity index.
    let entities: [HistoryEntity]

    /// How many tombstones the rows have.
    let tombstoneCount: Int

    /// The columns of `ATRANSACTION` in upper case: those of early versions lack some.
    let transactionColumns: Set<String>

    /// Names of authors, contexts and programs that are in the store, as bytes: equal strings may
    /// differ in them.
    private let interned = Mutex<Set<[UInt8]>>([])

    /// Finds the history of a store.
    ///
    /// - Parameters:
    ///   - hasTables: Whether the file has the tables of a history.
    ///   - isRecording: Whether changes are to be recorded; then missing tables are made.
    /// - Returns: Nil if the store has none.
    init?(
        of layout: StoreLayout, hasTables: Bool, isOfCoreData: Bool, isRecording: Bool,
        on connection: Connection
    ) throws {
        guard isRecording || hasTables else { return nil }
        self.layout = layout
        self.isRecording = isRecording
        entities = layout.model.entities.map {
            HistoryEntity($0, layout, isOfCoreData: isOfCoreData)
        }
        if isRecording {
            let needed = entities.map(\.tombstones.count).max() ?? 0
            try HistoryTables.prepare(on: connection, tombstoneCount: needed)
        }
        let names = try HistoryTables.names(on: connection)
        guard let transactions = names["ATRANSACTION"], let changes = names["ACHANGE"] else {
            return nil
        }
        transactionColumns = transactions
        tombstoneCount = changes.count { $0.hasPrefix("ZTOMBSTONE") }
    }

    /// A recorder for one transaction of the connection; nil if changes are not recorded.
    func recorder(from origin: ChangeOrigin, on connection: Connection) -> HistoryRecorder? {
        isRecording ? HistoryRecorder(of: self, from: origin, on: connection) : nil
    }

    func isInterned(_ name: String) -> Bool { interned.withLock { $0.contains(Array(name.utf8)) } }

    /// Notes names that a commit has brought into the store.
    func noteInterned(_ names: [String]) {
        guard !names.isEmpty else { return }
        interned.withLock { $0.formUnion(names.map { Array($0.utf8) }) }
    }
}
