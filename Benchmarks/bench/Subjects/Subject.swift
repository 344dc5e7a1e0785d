import Benchmarking
import Stacks

/// What can be measured: its name, what it is, and how it is opened.
///
/// A stack is one by being in `StackKind.all`; a peer declares itself in its own file and is
/// registered in ``all``.
struct Subject: Sendable {
    var name: String
    var group: Group
    var summary: String
    /// Opens it on a store of flights; nil when it cannot work on one.
    var openFlights: (@Sendable (SubjectConfiguration) throws -> any FlightsSubject)?
    /// Opens it on a store of items, for the engine workload; nil when it cannot work on one.
    var openItems: (@Sendable (SubjectConfiguration) throws -> any EngineSubject)?
    /// Opens it on a store of items, for a load; nil when it takes none.
    var openLoad: (@Sendable (SubjectConfiguration) throws -> any LoadSubject)?
    /// Opens it on a model of a workload's own; nil for what is no stack.
    var openStack: (@Sendable (StackConfiguration) throws -> any PersistenceStack)?

    enum Group: String, Sendable {
        /// An arrangement of contexts: competes.
        case stack
        /// Something else that a user would pick: a yardstick.
        case peer
        /// The engine by itself, one context on one coordinator.
        case engine
        /// Shows that the instrument finds what it is to find. It can be named, and is not listed.
        case selftest
    }

    var role: SubjectRole { group == .peer ? .peer : .stack }

    /// Peers have no coordinator, so no lock policy of one.
    var hasLockPolicy: Bool { group != .peer }

    /// All subjects: the one place where a peer is registered.
    static let all = StackKind.all.map(Subject.init(stack:)) + [.objectGraph, .grdb, .sqliteC]

    static func named(_ name: String) -> Subject? {
        (all + selftests).first { $0.name == name }
    }
}

/// A subject that is asked for something that it does not declare.
struct UnableSubject: Error, CustomStringConvertible {
    var name: String
    var kind: String

    var description: String { "the subject \(name) declares no way to be measured by \(kind)" }
}
