/// That an object was made of an object of the source.
struct Association {
    /// The position of the mapping.
    let plan: Int

    /// The key of the source's object.
    let source: Int64
    let destination: ManagedObject

    /// Whether the source's object was the one being mapped, and has no other association from
    /// then. Each object is that once for a mapping, in the order of the keys.
    var isAlone: Bool

    /// Whether this and the one before it can be in one run.
    func follows(_ previous: Association) -> Bool {
        isAlone && plan == previous.plan && source == previous.source + 1
            && destination.reference == previous.destination.reference + 1
            && destination.binding.entity === previous.destination.binding.entity
    }
}

/// Which objects were made of which, in a database of its own, so that memory does not grow with
/// their number (spec §9.3).
///
/// Most mappings make one object of each, with ascending keys on both sides. Such associations are
/// one row together, a run. All others are rows of their own.
final class Associations {
    enum Destination {
        case new(ManagedObject)
        case stored(EntityKey)
    }

    private struct Place: Hashable {
        let plan: Int
        let source: Int64
    }

    private let connection: Connection

    /// Those whose objects may have no keys yet.
    private var pending: [Association] = []

    /// The positions in `pending`, by mapping and source; nil until they are asked for.
    private var pendingPlaces: [Place: [Int]]?

    /// The position in `pending` of the last one of an object while it was being mapped.
    private var lastCurrent: Int?

    /// The length of the longest run.
    private var longestRun: Int64 = 0

    /// - Parameter path: The file, which is new.
    init(path: String, vfs: String?) throws(SQLiteError) {
        var configuration = SQLiteConfiguration(path: path)
        configuration.vfs = vfs
        // The file is worth nothing after a failure.
        configuration.pragmas = [
            ("journal_mode", "OFF"), ("synchronous", "OFF"), ("locking_mode", "EXCLUSIVE"),
            ("cache_size", "-4096"),
        ]
        connection = try Connection(configuration)
        try connection.execute(
            """
            CREATE TABLE runs (plan INTEGER, source INTEGER, entity INTEGER, destination INTEGER, \
            count INTEGER, PRIMARY KEY (plan, source)) WITHOUT ROWID;
            CREATE INDEX runs_by_destination ON runs (plan, entity, destination);
            CREATE TABLE singles (plan INTEGER, source INTEGER, entity INTEGER, destination INTEGER);
            CREATE INDEX singles_by_source ON singles (plan, source);
            CREATE INDEX singles_by_destination ON singles (plan, entity, destination)
            """)
    }

    func close() throws(SQLiteError) { try connection.close() }

    // MARK: - Writing

    func add(_ association: Association) {
        var association = association
        if association.isAlone {
            if let last = lastCurrent, pending[last].plan == association.plan,
                pending[last].source == association.source
            {
                pending[last].isAlone = false
                association.isAlone = false
            }
            lastCurrent = pending.count
        }
        pendingPlaces?[Place(plan: association.plan, source: association.source), default: []]
            .append(pending.count)
        pending.append(association)
    }

    /// Writes the associations of objects that were saved.
    func flush() throws(SQLiteError) {
        guard !pending.isEmpty else { return }
        try connection.begin(.immediate)
        var position = 0
        while position < pending.count {
            let end = endOfRun(from: position)
            try write(pending[position], count: Int64(end - position))
            position = end
        }
        try connection.commit()
        pending.removeAll(keepingCapacity: true)
        pendingPlaces = nil
        lastCurrent = nil
    }

    private func endOfRun(from position: Int) -> Int {
        var end = position + 1
        guard pending[position].isAlone else { return end }
        while end < pending.count, pending[end].follows(pending[end - 1]) { end += 1 }
        return end
    }

    private func write(_ association: Association, count: Int64) throws(SQLiteError) {
        let object = association.destination
        // A hook has deleted it again.
        guard object.reference > 0, !object.isDeleted else { return }
        let statement = try connection.statement(
            count > 1
                ? "INSERT INTO runs VALUES (?, ?, ?, ?, ?)"
                : "INSERT INTO singles VALUES (?, ?, ?, ?)")
        statement.bind(Int64(association.plan), at: 1)
        statement.bind(association.source, at: 2)
        statement.bind(Int64(object.binding.entity.index), at: 3)
        statement.bind(object.reference, at: 4)
        if count > 1 { statement.bind(count, at: 5) }
        try statement.run()
        longestRun = max(longestRun, count)
    }

    // MARK: - Looking up

    /// What was made of an object of the source, in the order in which it was associated.
    func destinations(of source: Int64, plan: Int) throws(SQLiteError) -> [Destination] {
        let run = try connection.statement(
            """
            SELECT entity, destination + (?2 - source) FROM (SELECT * FROM runs \
            WHERE plan = ?1 AND source <= ?2 ORDER BY source DESC LIMIT 1) \
            WHERE source + count > ?2
            """)
        let singles = try connection.statement(
            "SELECT entity, destination FROM singles WHERE plan = ? AND source = ? ORDER BY rowid")
        var found: [Destination] = []
        for statement in [run, singles] {
            statement.bind(Int64(plan), at: 1)
            statement.bind(source, at: 2)
            defer { statement.reset() }
            while try statement.step() {
                found.append(
                    .stored(
                        EntityKey(
                            entityIndex: Int(statement.value(at: 0).integer),
                            key: statement.value(at: 1).integer)))
            }
        }
        return found + pendingDestinations(of: source, plan: plan)
    }

    private func pendingDestinations(of source: Int64, plan: Int) -> [Destination] {
        guard !pending.isEmpty else { return [] }
        if pendingPlaces == nil {
            pendingPlaces = Dictionary(
                grouping: pending.indices,
                by: { Place(plan: pending[$0].plan, source: pending[$0].source) })
        }
        return pendingPlaces![Place(plan: plan, source: source), default: []]
            .map { .new(pending[$0].destination) }
    }

    /// The keys of the objects of which an object was made, in the order in which they were
    /// associated.
    func sources(of destination: ManagedObject, plan: Int) throws(SQLiteError) -> [Int64] {
        var found: [Int64] = []
        if destination.reference > 0 {
            let run = try connection.statement(
                """
                SELECT source + (?3 - destination) FROM runs WHERE plan = ?1 AND entity = ?2 \
                AND destination > ?3 - ?4 AND destination <= ?3 AND destination + count > ?3
                """)
            let singles = try connection.statement(
                """
                SELECT source FROM singles WHERE plan = ? AND entity = ? AND destination = ? \
                ORDER BY rowid
                """)
            run.bind(longestRun, at: 4)
            for statement in [run, singles] {
                statement.bind(Int64(plan), at: 1)
                statement.bind(Int64(destination.binding.entity.index), at: 2)
                statement.bind(destination.reference, at: 3)
                defer { statement.reset() }
                while try statement.step() { found.append(statement.value(at: 0).integer) }
            }
        }
        return found
            + pending.filter { $0.destination === destination && $0.plan == plan }.map(\.source)
    }

    // MARK: - Going over all

    /// An association whose objects are stored.
    struct Pair {
        let source: Int64
        let destination: EntityKey
    }

    /// Calls the body with all associations of a mapping, some at a time: first the runs, then the
    /// others, both in the order of the source's keys.
    ///
    /// - Parameters:
    ///   - plan: The position of the mapping.
    ///   - size: The number of associations after which no run is added.
    func forEachChunk(of plan: Int, size: Int, _ body: ([Pair]) throws -> Void) throws {
        var last: Int64 = .min
        while true {
            let (pairs, end) = try runs(of: plan, after: last, size: size)
            guard let end else { break }
            last = end
            try body(pairs)
        }
        var place: (source: Int64, row: Int64) = (.min, .min)
        while true {
            let (pairs, end) = try singles(of: plan, after: place, size: size)
            guard let end else { break }
            place = end
            try body(pairs)
        }
    }

    private func runs(
        of plan: Int, after source: Int64, size: Int
    ) throws(SQLiteError) -> (pairs: [Pair], end: Int64?) {
        let statement = try connection.statement(
            """
            SELECT source, entity, destination, count FROM runs \
            WHERE plan = ? AND source > ? ORDER BY source
            """)
        statement.bind(Int64(plan), at: 1)
        statement.bind(source, at: 2)
        defer { statement.reset() }
        var pairs: [Pair] = []
        var end: Int64?
        while pairs.count < size, try statement.step() {
            let source = statement.value(at: 0).integer
            let (entity, first) = (
                Int(statement.value(at: 1).integer), statement.value(at: 2).integer
            )
            for offset in 0..<statement.value(at: 3).integer {
                pairs.append(
                    Pair(
                        source: source + offset,
                        destination: EntityKey(entityIndex: entity, key: first + offset)))
            }
            end = source
        }
        return (pairs, end)
    }

    private func singles(
        of plan: Int, after place: (source: Int64, row: Int64), size: Int
    ) throws(SQLiteError) -> (pairs: [Pair], end: (source: Int64, row: Int64)?) {
        let statement = try connection.statement(
            """
            SELECT source, entity, destination, rowid FROM singles \
            WHERE plan = ? AND (source, rowid) > (?, ?) ORDER BY source, rowid LIMIT ?
            """)
        statement.bind(Int64(plan), at: 1)
        statement.bind(place.source, at: 2)
        statement.bind(place.row, at: 3)
        statement.bind(Int64(size), at: 4)
        defer { statement.reset() }
        var pairs: [Pair] = []
        var end: (source: Int64, row: Int64)?
        while try statement.step() {
            let source = statement.value(at: 0).integer
            pairs.append(
                Pair(
                    source: source,
                    destination: EntityKey(
                        entityIndex: Int(statement.value(at: 1).integer),
                        key: statement.value(at: 2).integer)))
            end = (source, statement.value(at: 3).integer)
        }
        return (pairs, end)
    }
}
