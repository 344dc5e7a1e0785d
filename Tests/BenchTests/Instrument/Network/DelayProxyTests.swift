import Foundation
import Measuring
import TestSupport
import Testing

@Suite struct `Distance to a server` {
    private let folder = TemporaryFolder()

    private static func bytes(_ count: Int, seed: UInt64) -> [UInt8] {
        var random = TestSupport.SeededGenerator(seed: seed)
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    /// Sends bytes while it reads them back.
    private static func echo(_ bytes: [UInt8], over socket: StreamSocket) throws -> [UInt8] {
        let sent = DispatchSemaphore(value: 0)
        Thread {
            try? socket.write(bytes)
            sent.signal()
        }.start()
        defer { sent.wait() }
        return try socket.read(exactly: bytes.count)
    }

    /// `PROXY_PINGS=2000` prints how much longer than its two delays a ping takes.
    @Test(.serialized, arguments: [0, 0.5, 5])
    func `an answer never comes before both delays are over`(milliseconds: Double) throws {
        let server = try EchoServer()
        let delay = Duration.milliseconds(milliseconds)
        let proxy = try DelayProxy(to: server.address, delay: delay)
        let socket = try StreamSocket(to: proxy.address)
        let direct = try StreamSocket(to: server.address)
        let count = ProcessInfo.processInfo.environment["PROXY_PINGS"].flatMap { Int($0) } ?? 20
        func ping(_ socket: StreamSocket) throws -> Double {
            let watch = Stopwatch()
            try socket.write([1])
            #expect(try socket.read(exactly: 1) == [1])
            return watch.elapsedSeconds
        }

        let times = try (0..<count).map { _ in (try ping(socket), try ping(direct)) }

        let least = 2 * (delay / .seconds(1))
        #expect(times.allSatisfy { $0.0 >= least })
        if count > 20 {
            let excess = times.map { ($0.0 - least) * 1e6 }.sorted()
            let plain = times.map { $0.1 * 1e6 }.sorted()
            func text(_ times: [Double]) -> String {
                [count / 2, count * 9 / 10].map { "\(Int(times[$0]))" }.joined(separator: " and ")
            }
            print(
                "delay \(milliseconds) ms: a ping takes \(text(excess)) µs more (median, 90 %), "
                    + "without a proxy \(text(plain)) µs")
        }
    }

    @Test(arguments: [0, 0.5, 5])
    func `all bytes arrive in order`(milliseconds: Double) throws {
        let server = try EchoServer()
        let proxy = try DelayProxy(to: server.address, delay: .milliseconds(milliseconds))
        // Larger than what is on its way at once.
        let bytes = Self.bytes(12_000_000, seed: 1)

        let socket = try StreamSocket(to: proxy.address)

        #expect(try Self.echo(bytes, over: socket) == bytes)
    }

    @Test func `unix sockets are forwarded as ports are`() throws {
        let server = try EchoServer(on: .unix(path: folder.path("server")))
        let near = SocketAddress.unix(path: folder.path("near"))
        let proxy = try DelayProxy(to: server.address, on: near, delay: .milliseconds(1))
        let bytes = Self.bytes(100_000, seed: 2)

        #expect(proxy.address == near)
        #expect(try Self.echo(bytes, over: StreamSocket(to: near)) == bytes)
    }

    @Test func `connections do not mix`() throws {
        let server = try EchoServer()
        let proxy = try DelayProxy(to: server.address, delay: .milliseconds(0.5))
        let sockets = try (0..<40).map { _ in try StreamSocket(to: proxy.address) }
        for (index, socket) in sockets.enumerated() {
            for _ in 0..<50 { try socket.write(Array(repeating: UInt8(index), count: 100)) }
        }

        for (index, socket) in sockets.enumerated() {
            #expect(
                try socket.read(exactly: 5_000) == Array(repeating: UInt8(index), count: 5_000))
        }
    }

    @Test func `the end of a stream arrives after its bytes, and answers still come`() throws {
        let server = try EchoServer()
        let proxy = try DelayProxy(to: server.address, delay: .milliseconds(5))
        let socket = try StreamSocket(to: proxy.address)

        try socket.write(Array("bye".utf8))
        socket.endWriting()

        #expect(try socket.read(exactly: 4) == Array("bye".utf8))
        #expect(try socket.read(1).isEmpty)
    }

    @Test func `what a client sent before it left still reaches the server`() throws {
        let (listener, address) = try StreamSocket.listening(on: .anyLocalPort)
        let proxy = try DelayProxy(to: address, delay: .milliseconds(20))
        var client: StreamSocket? = try StreamSocket(to: proxy.address)
        let server = try #require(listener.accept())

        try client?.write(Array("commit".utf8))
        client = nil
        // The client is not there to read it.
        try server.write(Self.bytes(100_000, seed: 3))

        #expect(try server.read(exactly: 7) == Array("commit".utf8))
    }

    @Test func `a client learns that the server has gone`() throws {
        let (listener, address) = try StreamSocket.listening(on: .anyLocalPort)
        let proxy = try DelayProxy(to: address, delay: .milliseconds(1))
        let client = try StreamSocket(to: proxy.address)
        var server = listener.accept()
        #expect(server != nil)

        server?.resetAtClose()
        server = nil

        #expect((try? client.read(1))?.isEmpty != false)
    }

    @Test func `a server that is not there closes the connection, and may come later`() throws {
        let path = SocketAddress.unix(path: folder.path("server"))
        let proxy = try DelayProxy(to: path, delay: .zero)
        #expect((try? StreamSocket(to: proxy.address).read(1))?.isEmpty != false)

        let server = try EchoServer(on: path)
        defer { withExtendedLifetime(server) {} }

        #expect(try Self.echo([1, 2, 3], over: StreamSocket(to: proxy.address)) == [1, 2, 3])
    }

    @Test func `a port that nobody serves closes the connection`() throws {
        let free = try {
            let (listener, address) = try StreamSocket.listening(on: .anyLocalPort)
            withExtendedLifetime(listener) {}
            return address
        }()
        let proxy = try DelayProxy(to: free, delay: .zero)
        let client = try StreamSocket(to: proxy.address)
        try client.write([1])

        #expect((try? client.read(1))?.isEmpty != false)
    }

    @Test func `a server that does not read stops the sender`() throws {
        let (listener, address) = try StreamSocket.listening(on: .anyLocalPort)
        let proxy = try DelayProxy(to: address, delay: .milliseconds(1))
        let client = try StreamSocket(to: proxy.address)
        let server = try #require(listener.accept())
        let block = [UInt8](repeating: 7, count: 1 << 16)
        _ = fcntl(client.number, F_SETFL, O_NONBLOCK)

        var sentCount = 0
        var idleCount = 0
        // The window, and what the system keeps for four sockets.
        while sentCount < 256 << 20, idleCount < 200 {
            let count = send(client.number, block, block.count, Int32(MSG_NOSIGNAL))
            sentCount += max(count, 0)
            idleCount = count > 0 ? 0 : idleCount + 1
            if count <= 0 { usleep(1_000) }
        }

        #expect(sentCount < 256 << 20)
        #expect(try server.read(exactly: sentCount).count == sentCount)
    }

    @Test func `closing it ends all connections and removes its socket`() throws {
        let server = try EchoServer()
        let near = SocketAddress.unix(path: folder.path("near"))
        let proxy = try DelayProxy(to: server.address, on: near, delay: .seconds(10))
        let socket = try StreamSocket(to: near)
        try socket.write([1])

        proxy.close()
        proxy.close()

        #expect((try? socket.read(1))?.isEmpty != false)
        #expect(!FileManager.default.fileExists(atPath: folder.path("near")))
        #expect(throws: (any Error).self) { try StreamSocket(to: near) }
    }

    @Test func `what it cannot do is an error that says what to change`() throws {
        let taken = try EchoServer()
        let long = folder.path(String(repeating: "a", count: 120))
        let cases:
            [(server: SocketAddress, address: SocketAddress, delay: Duration, text: String)] =
                [
                    (taken.address, taken.address, .zero, "cannot listen on \(taken.address)"),
                    (
                        taken.address, .unix(path: folder.path("none/socket")), .zero,
                        "No such file or directory"
                    ),
                    (taken.address, .unix(path: long), .zero, "use a folder with a shorter path"),
                    (.unix(path: long), .anyLocalPort, .zero, "use a folder with a shorter path"),
                    (
                        .tcp(host: "no such host", port: 1), .anyLocalPort, .zero,
                        "the host no such host is unknown"
                    ),
                    (taken.address, .anyLocalPort, .seconds(-1), "is not from"),
                    (taken.address, .anyLocalPort, .seconds(11), "is not from"),
                ]
        for (server, address, delay, text) in cases {
            let error = #expect(throws: SocketError.self) {
                try DelayProxy(to: server, on: address, delay: delay)
            }
            let message = "\(try #require(error))"
            #expect(message.contains(text), "\(message)")
        }
    }
}
