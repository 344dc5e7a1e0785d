import Synchronization

@testable import ObjectGraph

/// Makes one of the calls to the file system fail that write and remove values in files.
final class FileFaults: Sendable {
    private let state = Mutex<(left: Int, code: Int32)>((.max, 0))

    /// Fails the call with a number, counted from 1.
    func fail(_ number: Int, with code: Int32) { state.withLock { $0 = (number, code) } }

    /// - Returns: Whether a call has failed.
    func stop() -> Bool {
        state.withLock { state in
            defer { state.left = .max }
            return state.left <= 0
        }
    }

    var calls: FileCalls {
        FileCalls { [self] _ in
            state.withLock { state in
                guard state.left != .max else { return 0 }
                state.left -= 1
                return state.left == 0 ? state.code : 0
            }
        }
    }
}
