/// Statements by their SQL. When the cache is full, the least recently used one is removed.
final class StatementCache {
    private struct Entry {
        let statement: Statement
        var lastUse: Int
    }

    private let capacity: Int
    private var entries: [String: Entry] = [:]
    private var uses = 0
    /// The last requested statement, found without hashing. Most work repeats one statement, and
    /// strings that share their storage compare quickly.
    private var last: Statement?

    init(capacity: Int) { self.capacity = capacity }

    var count: Int { entries.count }

    func statement(for sql: String) -> Statement? {
        if let last, last.sql == sql { return last }
        guard let index = entries.index(forKey: sql) else { return nil }
        uses += 1
        entries.values[index].lastUse = uses
        last = entries.values[index].statement
        return last
    }

    /// A removed statement lives as long as it is referenced.
    func insert(_ statement: Statement) {
        if entries.count >= capacity {
            // A scan, but rare: a miss compiles a statement, which costs far more.
            if let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
                entries[oldest.key] = nil
            }
        }
        uses += 1
        last = statement
        entries[statement.sql] = Entry(statement: statement, lastUse: uses)
    }

    func removeAll() {
        entries.removeAll()
        last = nil
    }
}
