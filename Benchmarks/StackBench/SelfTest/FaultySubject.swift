import Stacks

/// A stack under load whose writers have a fault, to test that the checks find it.
final class FaultySubject: LoadSubject, StackCounting {
    private let base: StackLoad
    private let addFault: @Sendable (any LoadWriter) -> any LoadWriter

    init(
        _ configuration: SubjectConfiguration,
        _ addFault: @escaping @Sendable (any LoadWriter) -> any LoadWriter
    ) throws {
        base = try StackLoad(.shared, configuration)
        self.addFault = addFault
    }

    func makeWriter() throws -> any LoadWriter { addFault(try base.makeWriter()) }
    func makeReader(_ index: Int) throws -> any LoadReader { try base.makeReader(index) }
    func shownQuantities() throws -> [Int64: Int32]? { try base.shownQuantities() }
    var stack: any PersistenceStack { base.stack }
    func settings(_ pragmas: [String]) throws -> [[String]] { try base.settings(pragmas) }
    func close() throws { try base.close() }
}
