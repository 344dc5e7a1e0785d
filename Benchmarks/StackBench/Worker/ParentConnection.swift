import Foundation
import Synchronization

/// A worker's pipes to its parent: the job and orders come in, replies go out, one per line.
final class ParentConnection: Sendable {
    private let orders = Mutex<[TurnOrder]>([])
    private let arrived = DispatchSemaphore(value: 0)

    /// Starts a thread that reads orders. It ends the process when the parent is gone.
    ///
    /// The thread allocates nothing between signalling an order and waiting for the next one, since
    /// the worker may be counting its allocations then.
    func open() {
        let thread = Thread { [self] in
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 1)
            var length = 0
            while length < buffer.count {
                let count = read(STDIN_FILENO, buffer.baseAddress! + length, buffer.count - length)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                length += count
                guard buffer[length - 1] == UInt8(ascii: "\n") else { continue }
                // The parent waits for each reply, so at most one line is in the pipe.
                let line = String(decoding: buffer[..<(length - 1)], as: UTF8.self)
                guard let order = TurnOrder(line: line) else { break }
                length = 0
                orders.withLock { $0.append(order) }
                arrived.signal()
            }
            _exit(1)
        }
        thread.start()
    }

    func nextOrder() -> TurnOrder {
        arrived.wait()
        return orders.withLock { $0.removeFirst() }
    }

    func send(_ reply: WorkerReply) {
        let line = ((try? JSONEncoder().encode(reply)) ?? Data()) + Data("\n".utf8)
        FileHandle.standardOutput.write(line)
    }
}
