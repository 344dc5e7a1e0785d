import RunRecords
import Stacks
import Synchronization

/// Something to measure: its name, its group and how it is opened.
///
/// Each stack in `StackKind.all` and each that a program adds is a subject. A peer is declared in its own file and registered in
/// ``all``.
struct Subject: Sendable {
    var name: String
    var group: Group
    var summary: String
    /// Opens it on a store of flights; nil if it does not support them.
    var openFlights: (@Sendable (SubjectConfiguration) throws -> any FlightsSubject)?
    /// Opens it on a store of items for the engine workload; nil if it does not support that.
    var openItems: (@Sendable (SubjectConfiguration) throws -> any EngineSubject)?
    /// Opens it on the store of habits; nil if it does not support them.
    var openHabits: (@Sendable (SubjectConfiguration, HabitQuestions) throws -> any HabitSubject)?
    /// Opens it on a store of items for a load; nil if it does not support loads.
    var openLoad: (@Sendable (SubjectConfiguration) throws -> any LoadSubject)?
    /// Migrates a store of items and closes it; nil if it does not support that. The last argument
    /// says whether items have pictures.
    var migrateItems: (@Sendable (SubjectConfiguration, MigratedItems.Way, Bool) throws -> Void)?
    #if PostgreSQL
    /// Opens it on a store of items on a server; nil if it does not support that, and for stacks.
    var openServer: (@Sendable (ServerStore) throws -> any ServerItems)?
    #endif
    /// Opens it on a workload's own model; nil if it is not a stack.
    var openStack: (@Sendable (StackConfiguration) throws -> any PersistenceStack)?

    enum Group: String, Sendable {
        /// An arrangement of contexts; stacks compete with each other.
        case stack
        /// An alternative that a user could choose; a yardstick.
        case peer
        /// The fastest that could be written for the same answers: a bound for the engine.
        case limit
        /// The engine alone: one context on one coordinator.
        case engine
        /// Tests that the instrument finds known faults. It can be named, but is not listed.
        case selfTest
    }

    /// Whether it works without the engine.
    var isPeer: Bool { group == .peer || group == .limit }

    var role: SubjectRole { isPeer ? .peer : .stack }

    /// Peers have no coordinator and therefore no lock policy.
    var hasLockPolicy: Bool { !isPeer }

    /// All subjects. A new peer is registered here only.
    static let all =
        (StackKind.all + added.withLock { $0 }).map(Subject.init(stack:)) + engineAndPeers

    private static let added = Mutex<[StackKind]>([])

    /// Adds stacks of the program's own. Call it before anything asks for ``all``.
    static func add(_ stacks: [StackKind]) { added.withLock { $0 = stacks } }

    #if PostgreSQL
    private static let engineAndPeers: [Subject] = [
        .objectGraph, .grdb, .sqliteC, .sqliteLimit, .libpq,
    ]
    #else
    private static let engineAndPeers: [Subject] = [.objectGraph, .grdb, .sqliteC, .sqliteLimit]
    #endif

    static func named(_ name: String) -> Subject? {
        (all + selfTests).first { $0.name == name }
    }
}

/// A subject was asked for an operation that it does not declare.
struct UnableSubject: Error, CustomStringConvertible {
    var name: String
    var kind: String

    var description: String { "the subject \(name) cannot be measured by the kind \(kind)" }
}
