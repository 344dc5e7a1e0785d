#if PostgreSQL
import Foundation
import Synchronization
import TestSupport

/// A socket before the server's that ends a connection at a chosen round trip.
///
/// It reads the messages of the client (https://www.postgresql.org/docs/15/protocol.html): each
/// round trip ends with Sync, or is a Query.
final class FaultProxy: Sendable {
    enum Fault: Sendable, Equatable {
        /// The server does not get the end of the round trip.
        case before(Int)
        /// The server gets all of it, and its answer is lost.
        case after(Int)

        var number: Int {
            switch self {
            case .before(let number), .after(let number): number
            }
        }
    }

    private struct State {
        var fault: Fault?
        var count = 0
        var hasHappened = false
    }

    /// What became of a message.
    private enum Verdict { case forward, drop, forwardAndEnd }

    private let folder = TemporaryFolder()
    private let serverPath: String
    private let listener: Int32
    private let state = Mutex(State())

    /// - Parameter server: A URL whose `host` is the folder of the server's socket.
    init(to server: URL) throws {
        let parts = URLComponents(url: server, resolvingAgainstBaseURL: false)
        func value(_ name: String) -> String? {
            parts?.queryItems?.first { $0.name == name }?.value
        }
        let port = value("port") ?? parts?.port.map(String.init) ?? "5432"
        serverPath = "\(value("host") ?? "/run/postgresql")/.s.PGSQL.\(port)"
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let path = folder.path(".s.PGSQL.\(port)")
        guard Self.withAddress(path, { bind(listener, $0, $1) }) == 0, listen(listener, 64) == 0
        else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        let socket = listener
        Thread.detachNewThread { [weak self] in
            while case let client = accept(socket, nil, nil), client >= 0 { self?.serve(client) }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// The same database through this socket.
    func url(of server: URL) -> URL {
        var parts = URLComponents(url: server, resolvingAgainstBaseURL: false)!
        parts.queryItems =
            (parts.queryItems ?? []).filter { $0.name != "host" }
            + [URLQueryItem(name: "host", value: folder.url.path)]
        return parts.url!
    }

    /// Counts round trips from now on, and lets the fault happen once.
    func arm(_ fault: Fault?) { state.withLock { $0 = State(fault: fault) } }

    var roundTripCount: Int { state.withLock { $0.count } }
    var hasHappened: Bool { state.withLock { $0.hasHappened } }

    private func verdict() -> Verdict {
        state.withLock { state in
            state.count += 1
            guard let fault = state.fault, fault.number == state.count else { return .forward }
            state.hasHappened = true
            return fault == .before(state.count) ? .drop : .forwardAndEnd
        }
    }

    // MARK: - One connection

    private func serve(_ client: Int32) {
        let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard Self.withAddress(serverPath, { connect(server, $0, $1) }) == 0 else {
            close(server)
            close(client)
            return
        }
        let isCut = Flag()
        let requestsEnd = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [self] in
            forwardRequests(client, server, isCut)
            shutdown(server, Int32(SHUT_WR))
            requestsEnd.signal()
        }
        Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while case let count = read(server, &buffer, buffer.count), count > 0 {
                if !isCut.isSet, !Self.write(buffer[..<count], to: client) { break }
            }
            shutdown(client, Int32(SHUT_RDWR))
            // Until then the other thread uses the sockets, whose numbers another connection gets.
            requestsEnd.wait()
            close(server)
            close(client)
        }
    }

    private final class Flag: Sendable {
        private let value = Atomic(false)
        var isSet: Bool { value.load(ordering: .acquiring) }
        func set() { value.store(true, ordering: .releasing) }
    }

    private func forwardRequests(_ client: Int32, _ server: Int32, _ isCut: Flag) {
        defer { shutdown(client, Int32(SHUT_RDWR)) }
        var pending: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var hasBegun = false
        while case let count = read(client, &buffer, buffer.count), count > 0 {
            pending += buffer[..<count]
            var start = 0
            while let end = Self.endOfMessage(pending, at: start, isFirst: !hasBegun) {
                let type = hasBegun ? pending[start] : 0
                hasBegun = true
                let isEnd = type == UInt8(ascii: "S") || type == UInt8(ascii: "Q")
                let verdict = isEnd ? verdict() : .forward
                if verdict != .forward { isCut.set() }
                if verdict == .drop { return }
                guard Self.write(pending[start..<end], to: server), verdict == .forward else {
                    return
                }
                start = end
            }
            pending.removeFirst(start)
        }
    }

    /// Nil if the message is not complete. The first one has no type.
    private static func endOfMessage(_ bytes: [UInt8], at start: Int, isFirst: Bool) -> Int? {
        let lengthStart = isFirst ? start : start + 1
        guard lengthStart + 4 <= bytes.count else { return nil }
        let length = bytes[lengthStart..<lengthStart + 4].reduce(0) { $0 << 8 | Int($1) }
        return lengthStart + length <= bytes.count ? lengthStart + length : nil
    }

    private static func write(_ bytes: ArraySlice<UInt8>, to socket: Int32) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = send(
                    socket, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count,
                    Int32(MSG_NOSIGNAL))
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    private static func withAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { place in
            precondition(path.utf8.count < place.count, "\(path) is too long for a socket")
            place.copyBytes(from: path.utf8)
        }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
#endif
