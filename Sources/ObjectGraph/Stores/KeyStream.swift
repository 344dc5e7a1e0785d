import Dispatch
import Synchronization

/// The identities of all rows of a result, in order. The last of them may still be read by another
/// thread, as long as the stream is referenced.
package final class KeyStream: Sendable {
    fileprivate struct State {
        var keys: [EntityKey]
        var isComplete: Bool
        var failure: (any Error)?
        var waiting: [DispatchSemaphore] = []
    }

    /// How many there are, read or not.
    let count: Int

    /// Cancelled when the stream is no longer referenced.
    let progress = FetchProgress()

    /// A forked child has no thread that reads on.
    private let fork: (count: Int, error: any Error)?
    private let state: Mutex<State>

    /// A stream whose identities are all known.
    init(_ keys: [EntityKey]) {
        count = keys.count
        fork = nil
        state = Mutex(State(keys: keys, isComplete: true))
    }

    /// A stream that starts with these identities. `append` and `end` add the others.
    ///
    /// - Parameter forkError: What a forked child gets that asks for more.
    init(startingWith keys: [EntityKey], count: Int, forkError: any Error) {
        self.count = count
        fork = (ForkCount.startCounting(), forkError)
        state = Mutex(State(keys: keys, isComplete: false))
    }

    deinit { progress.cancel() }

    /// The identities at these positions; waits until they are read.
    ///
    /// - Throws: the error that has ended the reading before.
    func keys(at positions: Range<Int>) throws -> [EntityKey] {
        if let fork, fork.count != ForkCount.current {
            // The thread that reads on may have held the lock when the process was forked.
            let keys = state.withLockIfAvailable { state in
                positions.upperBound <= state.keys.count ? Array(state.keys[positions]) : nil
            }
            guard let keys, let keys else { throw fork.error }
            return keys
        }
        while true {
            let signal = DispatchSemaphore(value: 0)
            let found: [EntityKey]? = try state.withLock { state in
                if positions.upperBound <= state.keys.count { return Array(state.keys[positions]) }
                if let failure = state.failure { throw failure }
                guard !state.isComplete else {
                    throw StoreError(
                        .damagedValue(
                            "a count of \(count) rows, of which \(state.keys.count) can be read"))
                }
                state.waiting.append(signal)
                return nil
            }
            if let found { return found }
            signal.wait()
        }
    }

    func append(_ keys: [EntityKey]) {
        state.withLock { state in
            // Here rather than at the start, which the first page waits for.
            state.keys.reserveCapacity(count)
            state.keys += keys
            state.wake()
        }
    }

    /// - Parameter rest: The last identities, or why they could not be read.
    func end(_ rest: Result<[EntityKey], any Error>) {
        state.withLock { state in
            switch rest {
            case .success(let keys): state.keys += keys
            case .failure(let error): state.failure = error
            }
            state.isComplete = true
            state.wake()
        }
    }
}

extension KeyStream.State {
    fileprivate mutating func wake() {
        for signal in waiting { signal.signal() }
        waiting = []
    }
}

/// What a store has read of a long list before it returns.
package struct ListStart: Sendable {
    let keys: KeyStream

    /// Nil if the rows of the first batch are read when they are needed.
    let firstRows: FirstRows?
}

/// The rows of a list's first batch, which were read with its identities.
package struct FirstRows: Sendable {
    /// In any order.
    let rows: RowList

    /// Whether this process has not written to the store since the list was read.
    let isNewest: @Sendable () -> Bool
}

/// A stream of identities of one store.
struct StoreKeyStream: Sendable {
    let storeNumber: Int
    let keys: KeyStream
}
