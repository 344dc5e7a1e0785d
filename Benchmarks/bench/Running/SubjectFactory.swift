/// Makes subjects by name. This is the one place where a stack or a peer is registered; its
/// description stands in ``Subject/all``.
enum SubjectFactory {
    private typealias Make = @Sendable (SubjectConfiguration) throws -> any FlightsSubject

    private static let makers: [String: Make] = [
        "grdb": GRDBFlights.init,
        "sqlite-c": CFlights.init,
    ]

    /// Opens the subject of that name.
    ///
    /// - Throws: ``UnregisteredSubject``, or what the subject throws when its store cannot be opened.
    static func make(
        _ name: String, _ configuration: SubjectConfiguration
    ) throws -> any FlightsSubject {
        guard let make = makers[name] else { throw UnregisteredSubject(name: name) }
        return try make(configuration)
    }
}

/// A subject that is described but that nobody makes.
struct UnregisteredSubject: Error, CustomStringConvertible {
    var name: String

    var description: String { "the subject \(name) is not registered in SubjectFactory" }
}
