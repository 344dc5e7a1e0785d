// Long lists of identities, whose first page is there before the rest is read (spec §3.9).
extension SQLiteStore {
    /// How many identities are read at once. A result that ends here costs one statement.
    static let firstKeyCount = 256

    /// How many more are read at once too: in less time than a second reader is opened.
    static let nearKeyCount = 4096

    /// The identities are those of one state. As long as another thread reads the rest, it keeps a
    /// reader and that state. The rows of the first batch are read with that reader before.
    ///
    /// Reads all identities at once if SQLite must find them all to sort them, if it looks for them
    /// without an index, since the count would do that again, or if the file has no WAL: the reader
    /// would keep others from writing. Nil for the store of a generation, whose
    /// only reader the rest would occupy.
    func startList(_ request: FetchRequest, entity: Entity) throws -> ListStart? {
        guard !isPinned, pool.canReadAhead else { return nil }
        let translation = try FetchTranslation(
            request, entity: entity, layout: layout, selection: .keys)
        return try mapping {
            try pool.readAhead {
                connection -> (value: ListStart, rest: (any RestOfRead)?) in
                let isNewest = self.isNewest()
                let statement = try connection.statement(translation.sql)
                statement.bind(translation.bindings)
                let reading = RestOfKeys(statement, entity, self)
                // One more than the first page, to see whether anything is left.
                let size = min(max(request.fetchBatchSize, Self.firstKeyCount), .max - 1)
                let first = try reading.keys(size + 1)
                func readAll() throws -> (value: ListStart, rest: (any RestOfRead)?) {
                    let keys = KeyStream(try first + reading.keys(.max))
                    return (ListStart(keys: keys, firstRows: nil), nil)
                }
                // The count cannot exceed the limit.
                guard reading.isRunning, !statement.hasSorted,
                    request.fetchLimit == 0
                        || request.fetchLimit - first.count > Self.nearKeyCount,
                    request.predicate == nil || !statement.hasScanned
                else { return try readAll() }
                // The statements in between have events of their own.
                statement.endTrace()
                guard try connection.hasWAL(),
                    // Sees the same state, since the other statement is still running.
                    let count = try count(
                        request, entity, translation.bindings, on: connection),
                    count - first.count > Self.nearKeyCount
                else {
                    statement.continueTrace()
                    return try readAll()
                }
                let stream = KeyStream(
                    startingWith: first, count: count,
                    forkError: StoreError(.openedBeforeFork(path: url?.path ?? ""), url: url))
                let rows = firstRows(of: request, first, entity, on: connection)
                reading.willContinue(stream, from: first.count)
                return (
                    ListStart(
                        keys: stream,
                        firstRows: rows.map { FirstRows(rows: $0, isNewest: isNewest) }), reading
                )
            }
        }
    }

    /// Says later whether this process has not written to the file since.
    private func isNewest() -> @Sendable () -> Bool {
        let commits = pool.commits
        let count = commits.count.load(ordering: .acquiring)
        return { commits.count.load(ordering: .acquiring) == count }
    }

    /// Nil if the first batch needs no rows, many, or others that must be of the same state, or if
    /// they cannot be read: who asks for the batch then gets the error.
    private func firstRows(
        of request: FetchRequest, _ keys: [EntityKey], _ entity: Entity, on connection: Connection
    ) -> RowList? {
        guard request.includesPropertyValues, request.fetchBatchSize <= Self.firstKeyCount,
            request.relationshipKeyPathsForPrefetching.isEmpty
        else { return nil }
        return try? rows(
            keys.prefix(request.fetchBatchSize).map(\.key), entity, on: connection)
    }

    /// - Parameter bindings: Those of the statement that is counted, since `now()` is one of them. Nil
    ///   if an order has bindings too.
    private func count(
        _ request: FetchRequest, _ entity: Entity, _ bindings: [SQLBinding],
        on connection: Connection
    ) throws -> Int? {
        let translation = try FetchTranslation(
            request, entity: entity, layout: layout, selection: .count)
        guard translation.bindings.count == bindings.count else { return nil }
        let statement = try connection.statement(translation.sql)
        defer { statement.reset() }
        statement.bind(bindings)
        return try statement.step() ? Int(statement.value(at: 0).integer) : 0
    }
}

/// The identities that a running statement has still to deliver.
private final class RestOfKeys: RestOfRead {
    private static let chunkCount = 1024

    /// Nil at the end, before another thread may use the connection.
    private var statement: Statement?
    private let entity: Entity
    private let store: SQLiteStore
    private(set) var isRunning = true

    private weak var stream: KeyStream?
    private var progress: FetchProgress?
    private(set) var rowCount = 0
    private var outcome: Result<[EntityKey], any Error> = .success([])

    init(_ statement: Statement, _ entity: Entity, _ store: SQLiteStore) {
        self.statement = statement
        self.entity = entity
        self.store = store
    }

    /// The next identities, at most this number.
    func keys(_ maximumCount: Int) throws -> [EntityKey] {
        var keys: [EntityKey] = []
        guard let statement else { return keys }
        while isRunning, keys.count < maximumCount {
            guard try statement.step() else {
                isRunning = false
                break
            }
            keys.append(
                try EntityKey(
                    number: statement.value(at: 1).integer, key: statement.value(at: 0).integer,
                    of: entity))
        }
        return keys
    }

    /// Call this before another thread runs the rest.
    func willContinue(_ stream: KeyStream, from position: Int) {
        self.stream = stream
        progress = stream.progress
        rowCount = max(0, stream.count - position)
    }

    func run(on connection: Connection) {
        statement?.continueTrace()
        defer { statement = nil }
        outcome = Result {
            try store.mapping { try connection.reporting(to: progress) { try streamKeys() } }
        }
    }

    func end() { stream?.end(outcome) }

    /// - Returns: The last chunk, which `end` adds: who has all identities knows that the reader
    ///   was returned.
    private func streamKeys() throws -> [EntityKey] {
        var chunk = try keys(Self.chunkCount)
        while isRunning {
            let next = try keys(Self.chunkCount)
            guard !next.isEmpty else { break }
            stream?.append(chunk)
            chunk = next
        }
        return chunk
    }
}
