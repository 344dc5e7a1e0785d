import Stacks

/// Makes subjects by name. This is the one place where a stack or a peer is registered; its
/// description stands in ``Subject/all``.
enum SubjectFactory {
    private typealias Make = @Sendable (SubjectConfiguration) throws -> any FlightsSubject
    private typealias MakeEngine = @Sendable (SubjectConfiguration) throws -> any EngineSubject
    private typealias MakeLoad = @Sendable (SubjectConfiguration) throws -> any LoadSubject

    private static let peers: [String: Make] = [
        "grdb": GRDBFlights.init,
        "sqlite-c": CFlights.init,
    ]

    private static let engines: [String: MakeEngine] = [
        "grdb": GRDBItems.init,
        "object-graph": ObjectGraphEngine.init,
        "sqlite-c": CItems.init,
    ]

    private static let loads: [String: MakeLoad] = [
        "grdb": GRDBLoad.init,
        "sqlite-c": CLoad.init,
        "selftest-null": { _ in NullSubject() },
        "selftest-drops-update": { try FaultySubject($0, DroppedUpdate.init) },
        "selftest-loses-merge": {
            try StackLoad(LostMergeStack(StackConfiguration(loading: $0)))
        },
        "selftest-swallows-conflict": { try FaultySubject($0, SwallowedConflict.init) },
        "selftest-unsafe": {
            var configuration = $0
            configuration.synchronous = "off"
            return try CLoad(configuration: configuration)
        },
    ]

    /// Opens the subject of that name: a stack or a peer.
    ///
    /// - Throws: ``UnregisteredSubject``, ``UnequalSetting``, or what the subject throws when its store
    ///   cannot be opened.
    static func make(
        _ name: String, _ configuration: SubjectConfiguration
    ) throws -> any FlightsSubject {
        let subject: any FlightsSubject
        if let stack = StackKind(rawValue: name) {
            subject = try StackSubject(stack, configuration)
        } else if let make = peers[name] {
            subject = try make(configuration)
        } else {
            throw UnregisteredSubject(name: name)
        }
        try configuration.check(subject)
        return subject
    }

    /// Opens the subject of that name for the engine workload.
    ///
    /// - Throws: as ``make(_:_:)``.
    static func makeEngine(
        _ name: String, _ configuration: SubjectConfiguration
    ) throws -> any EngineSubject {
        guard let make = engines[name] else { throw UnregisteredSubject(name: name) }
        let subject = try make(configuration)
        try configuration.check(subject)
        return subject
    }

    /// Opens the subject of that name for a load, which checks the settings when all connections are
    /// open.
    ///
    /// - Throws: as ``make(_:_:)``.
    static func makeLoad(
        _ name: String, _ configuration: SubjectConfiguration
    ) throws -> any LoadSubject {
        if let stack = StackKind(rawValue: name) { return try StackLoad(stack, configuration) }
        guard let make = loads[name] else { throw UnregisteredSubject(name: name) }
        return try make(configuration)
    }
}

/// A subject that is described but that nobody makes.
struct UnregisteredSubject: Error, CustomStringConvertible {
    var name: String

    var description: String { "the subject \(name) is not registered in SubjectFactory" }
}
