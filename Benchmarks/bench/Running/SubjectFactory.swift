import Stacks

/// Makes subjects by name. This is the one place where a stack or a peer is registered; its
/// description stands in ``Subject/all``.
enum SubjectFactory {
    private typealias Make = @Sendable (SubjectConfiguration) throws -> any FlightsSubject
    private typealias MakeEngine = @Sendable (SubjectConfiguration) throws -> any EngineSubject

    private static let peers: [String: Make] = [
        "grdb": GRDBFlights.init,
        "sqlite-c": CFlights.init,
    ]

    private static let engines: [String: MakeEngine] = [
        "grdb": GRDBItems.init,
        "object-graph": ObjectGraphEngine.init,
        "sqlite-c": CItems.init,
    ]

    /// Opens the subject of that name: a stack or a peer.
    ///
    /// - Throws: ``UnregisteredSubject``, or what the subject throws when its store cannot be opened.
    static func make(
        _ name: String, _ configuration: SubjectConfiguration
    ) throws -> any FlightsSubject {
        if let stack = StackKind(rawValue: name) { return try StackSubject(stack, configuration) }
        guard let make = peers[name] else { throw UnregisteredSubject(name: name) }
        return try make(configuration)
    }

    /// Opens the subject of that name for the engine workload.
    ///
    /// - Throws: as ``make(_:_:)``.
    static func makeEngine(
        _ name: String, _ configuration: SubjectConfiguration
    ) throws -> any EngineSubject {
        guard let make = engines[name] else { throw UnregisteredSubject(name: name) }
        return try make(configuration)
    }
}

/// A subject that is described but that nobody makes.
struct UnregisteredSubject: Error, CustomStringConvertible {
    var name: String

    var description: String { "the subject \(name) is not registered in SubjectFactory" }
}
