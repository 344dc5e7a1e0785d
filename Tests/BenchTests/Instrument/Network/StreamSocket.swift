import Foundation
import Measuring

/// A blocking socket of a test. It gives up after half a minute, so that a test fails in place of
/// waiting for ever.
final class StreamSocket: Sendable {
    let number: Int32

    init(_ number: Int32) {
        self.number = number
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(
                number, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    deinit { close(number) }

    /// Connects to a local port or a Unix socket.
    convenience init(to address: SocketAddress) throws {
        let number = try Self.withAddress(address) { family, address, size in
            let number = socket(family, Int32(SOCK_STREAM.rawValue), 0)
            guard connect(number, address, size) == 0 else { throw Failure(call: "connect") }
            return number
        }
        self.init(number)
        var isOn: Int32 = 1
        setsockopt(
            number, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
    }

    static func listening(on address: SocketAddress) throws -> (StreamSocket, SocketAddress) {
        let number = try withAddress(address) { family, address, size in
            let number = socket(family, Int32(SOCK_STREAM.rawValue), 0)
            guard bind(number, address, size) == 0, listen(number, 64) == 0 else {
                throw Failure(call: "listen")
            }
            return number
        }
        guard case .tcp = address else { return (StreamSocket(number), address) }
        var found = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &found) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(number, $0, &size)
            }
        }
        return (
            StreamSocket(number),
            .tcp(host: "127.0.0.1", port: UInt16(bigEndian: found.sin_port))
        )
    }

    func accept() -> StreamSocket? {
        let number = Foundation.accept(self.number, nil, nil)
        return number >= 0 ? StreamSocket(number) : nil
    }

    func write(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(call: "send") }
            rest = rest.dropFirst(count)
        }
    }

    /// What has arrived, at most `count` bytes, one at least; empty at the end of the stream.
    func read(_ count: Int) throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: count)
        let found = Foundation.read(number, &buffer, count)
        guard found >= 0 else { throw Failure(call: "read") }
        return Array(buffer[..<found])
    }

    /// So many bytes, fewer only at the end of the stream.
    func read(exactly count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let more = try read(min(count - bytes.count, 1 << 16))
            if more.isEmpty { break }
            bytes += more
        }
        return bytes
    }

    func endWriting() { shutdown(number, Int32(SHUT_WR)) }

    /// Makes closing the socket a reset.
    func resetAtClose() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(number, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String

        init(call: String) {
            description = "\(call): \(String(cString: strerror(errno)))"
        }
    }

    private static func withAddress<Value>(
        _ address: SocketAddress,
        _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) throws -> Value
    ) throws -> Value {
        func call(
            _ family: Int32, _ bytes: UnsafeRawBufferPointer
        ) throws -> Value {
            try body(
                family, bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self),
                socklen_t(bytes.count))
        }
        switch address {
        case .tcp(_, let port):
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            return try withUnsafeBytes(of: address) { try call(AF_INET, $0) }
        case .unix(let path):
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
            return try withUnsafeBytes(of: address) { try call(AF_UNIX, $0) }
        }
    }
}

/// Sends back what it gets, on as many connections as come.
final class EchoServer: Sendable {
    let address: SocketAddress
    private let listener: StreamSocket

    init(on address: SocketAddress = .anyLocalPort) throws {
        let (listener, address) = try StreamSocket.listening(on: address)
        self.address = address
        self.listener = listener
        Thread {
            while let client = listener.accept() {
                Thread {
                    while let bytes = try? client.read(1 << 16), !bytes.isEmpty,
                        (try? client.write(bytes)) != nil
                    {}
                    client.endWriting()
                }.start()
            }
        }.start()
    }

    /// Ends `accept`.
    deinit { shutdown(listener.number, Int32(SHUT_RDWR)) }
}
