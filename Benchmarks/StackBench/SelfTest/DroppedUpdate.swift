/// Drops every tenth update and reports it as saved.
final class DroppedUpdate: LoadWriter {
    private let base: any LoadWriter
    private var updateCount = 0

    init(_ base: any LoadWriter) {
        self.base = base
    }

    func insert(_ items: [ItemRow]) throws -> WriteResult { try base.insert(items) }
    func delete(_ numbers: [Int64]) throws -> WriteResult { try base.delete(numbers) }

    func update(_ numbers: [Int64]) throws -> WriteResult {
        updateCount += 1
        return updateCount.isMultiple(of: 10) ? .saved : try base.update(numbers)
    }
}
