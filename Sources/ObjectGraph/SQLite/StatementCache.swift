/// Statements by their SQL, bounded: the least recently used one makes room.
final class StatementCache {
    private struct Entry {
        let statement: Statement
        var lastUse: Int
    }

    private let capacity: Int
    private var entries: [String: Entry] = [:]
    private var uses = 0
    /// The statement asked for last, found without hashing: most work repeats one statement, and
    /// strings that share their storage compare at once.
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

    /// A statement that makes room lives on while somebody holds it.
    func insert(_ statement: Statement) {
        if entries.count >= capacity {
            // A scan, but seldom: a miss compiles a statement, which costs far more.
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
