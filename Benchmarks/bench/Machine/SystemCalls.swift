import Foundation

struct SystemCallError: Error, CustomStringConvertible {
    var call: String
    var code: Int32

    var description: String { "\(call): \(String(cString: strerror(code)))" }
}

/// A pipe whose ends are not inherited by child processes.
struct Pipe {
    let readEnd: Int32
    let writeEnd: Int32

    init() throws {
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
struct FileDescriptor {
    private let number: Int32

    init(_ number: Int32) {
        self.number = number
    }

    /// Writes all bytes. Ignores errors: a closed reader is noticed elsewhere.
    func write(_ data: Data) {
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
    func read(within milliseconds: Int32) -> Data? {
        var request = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        guard poll(&request, 1, milliseconds) > 0 else { return Data() }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = Foundation.read(number, &buffer, buffer.count)
        if count < 0, errno == EINTR { return Data() }
        return count > 0 ? Data(buffer[..<count]) : nil
    }
}

/// Calls `body` with the strings as the null-terminated array that `execv` and `posix_spawn` take.
func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
    let pointers = strings.map { strdup($0) }
    defer { pointers.forEach { free($0) } }
    return body(pointers + [nil])
}
