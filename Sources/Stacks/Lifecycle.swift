import ObjectGraph
import Synchronization

/// The coordinators and contexts that a stack has open at a time.
public protocol Arrangement: Sendable {
    /// The view's coordinator first.
    var coordinators: [PersistentStoreCoordinator] { get }
}

/// Opens, resets and closes the arrangement of a stack. It is made at once or on first use, and
/// made again by a reset.
public final class Lifecycle<Current: Arrangement>: Sendable {
    private enum State {
        case unopened
        case open(Current)
        case closed
    }

    private let kind: StackKind
    private let configuration: StackConfiguration
    private let makeArrangement: @Sendable () throws -> Current
    private let state = Mutex(State.unopened)

    /// A stack of a kind; `makeArrangement` opens its stores and makes its contexts.
    ///
    /// - Throws: `StackError.storeNotShared`; with eager opening also the errors of opening.
    public init(
        _ kind: StackKind, _ configuration: StackConfiguration,
        makeArrangement: @escaping @Sendable () throws -> Current
    ) throws {
        guard !kind.traits.contains(.opensStoreTwice) || configuration.location.isShareable else {
            throw StackError.storeNotShared(
                stack: kind.name, location: "\(configuration.location)")
        }
        self.kind = kind
        self.configuration = configuration
        self.makeArrangement = makeArrangement
        if configuration.opening == .eager { _ = try current() }
    }

    /// The arrangement, opened if it never was. Callers wait for an opening in progress.
    ///
    /// - Throws: `StackError.closed`; the errors of opening.
    public func current() throws -> Current {
        try state.withLock { state in
            switch state {
            case .open(let current): return current
            case .closed: throw StackError.closed(stack: kind.name)
            case .unopened:
                let current = try makeArrangement()
                state = .open(current)
                return current
            }
        }
    }

    /// The open coordinators; empty before the first use and after `close`.
    public var coordinators: [PersistentStoreCoordinator] {
        state.withLock { state in
            if case .open(let current) = state { current.coordinators } else { [] }
        }
    }

    /// Closes the stores, destroys them and opens new ones.
    ///
    /// - Throws: `StackError.closed`; `StoreError` if a store cannot be destroyed or opened again.
    public func reset() throws {
        try state.withLock { state in
            if case .closed = state { throw StackError.closed(stack: kind.name) }
            try Self.close(&state)
            try configuration.destroyStore()
            state = .open(try makeArrangement())
        }
    }

    /// Closes the stores for good; a second call does nothing.
    ///
    /// - Throws: `StoreError` if a file cannot be closed.
    public func close() throws {
        try state.withLock { try Self.close(&$0) }
    }

    private static func close(_ state: inout State) throws {
        guard case .open(let current) = state else {
            state = .closed
            return
        }
        state = .closed
        for coordinator in current.coordinators {
            for store in coordinator.persistentStores {
                try coordinator.removePersistentStore(store)
            }
        }
    }
}
