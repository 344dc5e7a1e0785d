#if PostgreSQL
import CPostgreSQL

/// The statements that a connection has prepared, by their SQL.
struct PreparedStatements {
    fileprivate struct Statement {
        let name: String
        /// The types of the parameters, 0 for one that the server has inferred.
        let types: [Oid]
        var lastUse: Int

        func accepts(_ parameters: [Parameter]) -> Bool {
            guard parameters.count == types.count else { return false }
            for (parameter, type) in zip(parameters, types)
            where parameter.type != type && parameter.type != 0 { return false }
            return true
        }
    }

    private let capacity: Int
    /// Begins the names. A server session that a pooler hands from client to client may still have
    /// the statements of another one.
    private let prefix = "og" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
    private var statements: [String: Statement] = [:]
    /// Names that the server still has, though no SQL leads to them.
    private var surplusNames: [String] = []
    private var useCount = 0
    private var nameCount = 0

    init(capacity: Int) { self.capacity = capacity }

    var count: Int { statements.count }

    /// The name of the statement for a command; nil if it is not prepared for these types.
    mutating func name(for command: Command) -> String? {
        guard let index = statements.index(forKey: command.sql),
            statements.values[index].accepts(command.parameters)
        else { return nil }
        useCount += 1
        statements.values[index].lastUse = useCount
        return statements.values[index].name
    }

    /// The names to deallocate before a statement is added.
    mutating func takeSurplus() -> [String] {
        if statements.count >= capacity,
            let oldest = statements.min(by: { $0.value.lastUse < $1.value.lastUse })
        {
            surplusNames.append(oldest.value.name)
            statements[oldest.key] = nil
        }
        defer { surplusNames = [] }
        return surplusNames
    }

    /// Adds a statement that is about to be prepared.
    ///
    /// - Returns: Its name, and the types of its parameters.
    mutating func add(_ command: Command) -> (name: String, types: [Oid]) {
        nameCount += 1
        useCount += 1
        let name = "\(prefix)_\(nameCount)"
        var types = command.parameters.map(\.type)
        if let known = statements[command.sql] {
            // A parameter has another type, or it was NULL before.
            surplusNames.append(known.name)
            for (index, type) in known.types.enumerated().prefix(types.count)
            where types[index] == 0 { types[index] = type }
        }
        statements[command.sql] = Statement(name: name, types: types, lastUse: useCount)
        return (name, types)
    }

    /// Forgets a statement that the server did not prepare.
    mutating func remove(_ sql: String, named name: String) {
        if statements[sql]?.name == name { statements[sql] = nil }
    }

    /// Forgets a statement that no longer fits the tables.
    mutating func removeOutdated(_ sql: String) {
        guard let statement = statements.removeValue(forKey: sql) else { return }
        surplusNames.append(statement.name)
    }

    /// Takes back the name of a statement that the server did not deallocate.
    mutating func keepSurplus(_ name: String) { surplusNames.append(name) }

    /// Forgets all statements, because the server has none.
    mutating func removeAll() {
        statements = [:]
        surplusNames = []
    }
}
#endif
