/// Reports a conflict as a success and does not try again.
final class SwallowedConflict: LoadWriter {
    private let base: any LoadWriter

    init(_ base: any LoadWriter) {
        self.base = base
    }

    func insert(_ items: [ItemRow]) throws -> WriteResult { try base.insert(items) }
    func delete(_ numbers: [Int64]) throws -> WriteResult { try base.delete(numbers) }

    func update(_ numbers: [Int64]) throws -> WriteResult {
        _ = try base.update(numbers)
        return .saved
    }
}
