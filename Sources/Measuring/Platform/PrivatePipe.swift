import Foundation

/// A call to the system failed.
public struct SystemCallError: Error, CustomStringConvertible {
    public var call: String
    public var code: Int32

    public init(call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    public var description: String { "\(call): \(String(cString: strerror(code)))" }
}

/// A pipe whose ends are not inherited by child processes.
///
/// Elsewhere: the same on Apple's systems.
public struct PrivatePipe: Sendable {
    public let readEnd: Int32
    public let writeEnd: Int32

    /// - Throws: ``SystemCallError`` if no descriptor is left.
    public init() throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw SystemCallError(call: "pipe", code: errno) }
        (readEnd, writeEnd) = (ends[0], ends[1])
        for end in ends {
            // No other thread starts a process between the two calls.
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
    }
}

/// Reads and writes a file descriptor, with a time limit for reads.
public struct FileDescriptor: Sendable {
    private let number: Int32

    public init(_ number: Int32) {
        self.number = number
    }

    /// Writes all bytes. Ignores errors: a closed reader is noticed elsewhere.
    public func write(_ data: Data) {
        data.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
                let count = Foundation.write(number, rest.baseAddress, rest.count)
                if count < 0, errno != EINTR { return }
                done += max(count, 0)
            }
        }
    }

    /// Waits at most `milliseconds` and returns what has arrived: empty if nothing has, nil at the
    /// end.
    public func read(within milliseconds: Int32) -> Data? {
        var request = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        guard poll(&request, 1, milliseconds) > 0 else { return Data() }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = Foundation.read(number, &buffer, buffer.count)
        if count < 0, errno == EINTR { return Data() }
        return count > 0 ? Data(buffer[..<count]) : nil
    }
}
