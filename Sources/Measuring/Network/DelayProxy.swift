import Foundation
import Synchronization

/// Makes a server look further away: forwards connections and delivers each byte later, in both
/// directions. An answer takes twice the delay longer.
///
/// It has one thread and a bounded memory, so it slows down a sender whose receiver does not read.
/// Opening a connection is not delayed. Where a side ends or breaks its stream, the other one learns
/// of it after the delay. If the server cannot be reached, the client's connection is closed.
///
/// May be used from any thread.
public final class DelayProxy: Sendable {
    /// The delays that a proxy can add.
    public static let delays = Duration.zero...Duration.seconds(10)

    /// Where clients connect; with the port that it got.
    public let address: SocketAddress
    private let stopping: Int32
    private let stopped = DispatchSemaphore(value: 0)
    private let isClosed = Mutex(false)

    /// Starts to listen.
    ///
    /// - Parameter address: nobody may listen there yet. A Unix socket is removed at the end.
    /// - Parameter delay: of each direction, within ``delays``.
    /// - Throws: ``SocketError``.
    public init(
        to server: SocketAddress, on address: SocketAddress = .anyLocalPort, delay: Duration
    ) throws(SocketError) {
        guard Self.delays.contains(delay) else {
            throw .unsuitableDelay(delay, allowed: Self.delays)
        }
        let server = try ResolvedAddress(server)
        let listener = try Socket.listening(on: address)
        guard listener.number <= SocketSet.numberMax, let stopPipe = try? PrivatePipe() else {
            listener.close()
            throw .cannotListen(address, reason: "too many files are open")
        }
        stopping = stopPipe.writeEnd
        if case .tcp(let host, _) = address, let port = listener.port {
            self.address = .tcp(host: host, port: port)
        } else {
            self.address = address
        }
        let stop = stopPipe.readEnd
        let loop = DelayLoop(
            listener, forwardingTo: server, delay: UInt64(delay / .nanoseconds(1)), stop: stop)
        let thread = Thread { [address = self.address, stopped = self.stopped] in
            var loop = loop
            loop.run()
            listener.close()
            if case .unix(let path) = address { unlink(path) }
            _ = Foundation.close(stop)
            stopped.signal()
        }
        thread.name = "delay proxy"
        thread.start()
    }

    deinit { close() }

    /// Closes all connections and stops listening. Returns when that is done.
    public func close() {
        isClosed.withLock { isClosed in
            guard !isClosed else { return }
            isClosed = true
            _ = Foundation.close(stopping)
            stopped.wait()
        }
    }
}
