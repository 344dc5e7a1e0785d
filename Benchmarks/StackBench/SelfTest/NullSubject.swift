/// Does nothing: its load measures the cost of the harness itself.
final class NullSubject: LoadSubject, LoadWriter, LoadReader {
    func makeWriter() throws -> any LoadWriter { self }
    func makeReader(_ index: Int) throws -> any LoadReader { self }
    var storesItems: Bool { false }
    func settings(_ pragmas: [String]) throws -> [[String]] { [] }
    func close() throws {}

    func insert(_ items: [ItemRow]) throws -> WriteResult { .saved }
    func update(_ numbers: [Int64]) throws -> WriteResult { .saved }
    func delete(_ numbers: [Int64]) throws -> WriteResult { .saved }

    func read(_ number: Int64) throws -> Int32? { .max }
    func page(from number: Int64) throws -> [Int64] { [number] }
    func count() throws -> Int { .max }
}
