/// Statements by their SQL, bounded: the least recently used one makes room.
final class StatementCache {
    private struct Entry {
        let statement: Statement
        var lastUse: Int
    }

    private let capacity: Int
    private var entries: [String: Entry] = [:]
    private var uses = 0

    init(capacity: Int) { self.capacity = capacity }

    var count: Int { entries.count }

    func statement(for sql: String) -> Statement? {
        guard let index = entries.index(forKey: sql) else { return nil }
        uses += 1
        entries.values[index].lastUse = uses
        return entries.values[index].statement
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
        entries[statement.sql] = Entry(statement: statement, lastUse: uses)
    }

    func removeAll() { entries.removeAll() }
}
