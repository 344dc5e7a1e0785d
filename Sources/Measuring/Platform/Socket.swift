import Foundation

/// A stream socket that never blocks. Whoever owns it closes it.
struct Socket: Hashable, Sendable {
    let number: Int32

    private init(number: Int32) {
        self.number = number
    }

    /// Makes a socket. `nil` if the system has none left.
    private init?(family: Int32) {
        let number = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { return nil }
        self.number = number
    }

    /// - Throws: ``SocketError``.
    static func listening(on address: SocketAddress) throws(SocketError) -> Socket {
        let resolved = try ResolvedAddress(address)
        guard let socket = Socket(family: resolved.family) else {
            throw .cannotListen(address, reason: Self.reason)
        }
        guard resolved.withAddress({ bind(socket.number, $0, $1) }) == 0,
            listen(socket.number, SOMAXCONN) == 0, socket.becomeNonBlocking()
        else {
            let reason = Self.reason
            socket.close()
            throw .cannotListen(address, reason: reason)
        }
        return socket
    }

    /// Starts to connect. `nil` if that fails at once; later, the first read or write fails.
    static func connecting(to address: ResolvedAddress) -> Socket? {
        guard let socket = Socket(family: address.family) else { return nil }
        // A Unix socket connects at once, or waits for a place in the server's queue. If it did not
        // block, it would fail in place of waiting.
        let isLocal = address.family == AF_UNIX
        guard isLocal || socket.becomeNonBlocking(),
            address.withAddress({ connect(socket.number, $0, $1) }) == 0 || errno == EINPROGRESS,
            socket.becomeNonBlocking()
        else {
            socket.close()
            return nil
        }
        return socket
    }

    /// Takes a waiting connection; `nil` if there is none.
    func accept() -> Socket? {
        let number = Foundation.accept(self.number, nil, nil)
        guard number >= 0 else { return nil }
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        let socket = Socket(number: number)
        guard socket.becomeNonBlocking() else {
            socket.close()
            return nil
        }
        return socket
    }

    func close() { _ = Foundation.close(number) }

    /// Sends the end of the stream.
    func end() { _ = shutdown(number, Int32(SHUT_WR)) }

    /// Also switches off the delay of small packets, which would add to that of the proxy.
    private func becomeNonBlocking() -> Bool {
        var isOn: Int32 = 1
        // Fails for a Unix socket, which has no such delay.
        _ = setsockopt(
            number, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
        return fcntl(number, F_SETFL, O_NONBLOCK) == 0
    }

    /// The port that a listener got; `nil` for a Unix socket.
    var port: UInt16? {
        var address = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &address) { bytes -> UInt16? in
            guard let start = bytes.baseAddress,
                getsockname(number, start.assumingMemoryBound(to: sockaddr.self), &size) == 0
            else { return nil }
            let family = bytes.load(as: sockaddr.self).sa_family
            guard [AF_INET, AF_INET6].contains(Int32(family)) else { return nil }
            // `sockaddr_in` and `sockaddr_in6` have the port at the same place.
            return UInt16(bigEndian: bytes.load(as: sockaddr_in.self).sin_port)
        }
    }

    /// What the last system call of this thread failed with.
    private static var reason: String { String(cString: strerror(errno)) }

    /// Whether the last system call of this thread only has to be made again later.
    static var wouldBlock: Bool { errno == EAGAIN || errno == EINTR }
}

/// Sockets that a thread waits for.
struct SocketSet {
    /// `select` takes no socket with a higher number.
    static let numberMax = Int32(MemoryLayout<fd_set>.size * 8 - 1)

    private var set = fd_set()
    private var highest: Int32 = -1

    mutating func insert(_ number: Int32) {
        // A bit, like the macro FD_SET of select(2).
        withUnsafeMutableBytes(of: &set) { $0[Int(number / 8)] |= 1 << UInt8(number % 8) }
        highest = max(highest, number)
    }

    func contains(_ number: Int32) -> Bool {
        withUnsafeBytes(of: set) { $0[Int(number / 8)] >> UInt8(number % 8) & 1 == 1 }
    }

    /// Waits until a socket can be read or written, and keeps only such sockets in the sets.
    ///
    /// - Parameter nanoseconds: the longest time; `nil` for any.
    static func wait(
        reading: inout SocketSet, writing: inout SocketSet, nanoseconds: UInt64?
    ) {
        let count = max(reading.highest, writing.highest) + 1
        let ready: Int32
        if let nanoseconds {
            var time = timespec(
                tv_sec: Int(nanoseconds / 1_000_000_000),
                tv_nsec: Int(nanoseconds % 1_000_000_000))
            ready = pselect(count, &reading.set, &writing.set, nil, &time, nil)
        } else {
            ready = pselect(count, &reading.set, &writing.set, nil, nil, nil)
        }
        // After a signal the sets are undefined.
        if ready <= 0 { (reading, writing) = (SocketSet(), SocketSet()) }
    }
}
