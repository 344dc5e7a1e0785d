import Foundation

/// Where a socket listens, or what it connects to.
public enum SocketAddress: Hashable, Sendable {
    /// A host's name or number. A listener on port 0 gets a free port.
    case tcp(host: String, port: UInt16)
    /// A socket in a folder, such as PostgreSQL's `/run/postgresql/.s.PGSQL.5432`.
    case unix(path: String)

    /// A free port that only this machine reaches.
    public static let anyLocalPort = SocketAddress.tcp(host: "127.0.0.1", port: 0)
}

extension SocketAddress: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tcp(let host, let port): "\(host):\(port)"
        case .unix(let path): path
        }
    }
}

/// Why a ``DelayProxy`` cannot start.
public enum SocketError: Error, Hashable {
    case cannotListen(SocketAddress, reason: String)
    case unknownHost(String, reason: String)
    case pathTooLong(String, byteCountMax: Int)
    case unsuitableDelay(Duration, allowed: ClosedRange<Duration>)
}

extension SocketError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .cannotListen(let address, let reason):
            "cannot listen on \(address): \(reason); choose another address"
        case .unknownHost(let host, let reason):
            "the host \(host) is unknown: \(reason)"
        case .pathTooLong(let path, let byteCountMax):
            "\(path) is too long for a socket, which takes \(byteCountMax) bytes; "
                + "use a folder with a shorter path"
        case .unsuitableDelay(let delay, let allowed):
            "a delay of \(delay) is not from \(allowed.lowerBound) to \(allowed.upperBound)"
        }
    }
}

/// An address as the system calls take it.
struct ResolvedAddress: Sendable {
    /// A `sockaddr` of the family.
    private let bytes: [UInt8]
    let family: Int32

    /// - Throws: ``SocketError`` if the host is unknown or the path is too long.
    init(_ address: SocketAddress) throws(SocketError) {
        switch address {
        case .tcp(let host, let port):
            (family, bytes) = try Self.resolve(host, port)
        case .unix(let path):
            family = AF_UNIX
            bytes = try Self.bytes(ofPath: path)
        }
    }

    private static func resolve(
        _ host: String, _ port: UInt16
    ) throws(SocketError) -> (Int32, [UInt8]) {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, "\(port)", &hints, &found)
        guard code == 0, let first = found?.pointee, let start = first.ai_addr else {
            throw .unknownHost(host, reason: String(cString: gai_strerror(code)))
        }
        defer { freeaddrinfo(found) }
        let address = UnsafeRawBufferPointer(start: start, count: Int(first.ai_addrlen))
        return (first.ai_family, Array(address))
    }

    private static func bytes(ofPath path: String) throws(SocketError) -> [UInt8] {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let text = Array(path.utf8)
        // A path ends with a zero.
        let byteCountMax = MemoryLayout.size(ofValue: address.sun_path) - 1
        guard text.count <= byteCountMax else {
            throw .pathTooLong(path, byteCountMax: byteCountMax)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: text) }
        return withUnsafeBytes(of: address) { Array($0) }
    }

    /// Calls `body` with the address for a system call that takes one.
    func withAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        bytes.withUnsafeBytes { bytes in
            // An array is aligned for every type of the language, and has the bytes of an address.
            guard let start = bytes.baseAddress else { preconditionFailure("no address is empty") }
            return body(start.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
    }
}
