import Foundation

/// The work of a ``DelayProxy`` on its one thread.
struct DelayLoop: Sendable {
    /// A client and the server behind it.
    private struct Connection: Sendable {
        /// From the client to the server, and back.
        var lanes: [DelayLane]
        var isDone: Bool { lanes.allSatisfy(\.isDone) }

        init(client: Socket, server: Socket) {
            lanes = [DelayLane(from: client, to: server), DelayLane(from: server, to: client)]
        }

        func close() { for lane in lanes { lane.source.close() } }
    }

    private static let connectionCountMax = 128
    private static let readSize = 1 << 16
    /// The system may end any wait by the lower bound later, to join timers: prctl(2),
    /// PR_SET_TIMERSLACK.
    private static let margins: ClosedRange<UInt64> = 50_000...300_000

    private let listener: Socket
    private let server: ResolvedAddress
    private let delay: UInt64
    /// Readable when the loop has to end.
    private let stop: Int32
    private var connections: [Connection] = []
    /// By how many nanoseconds the thread wakes up before something is due. Then it looks all the
    /// time, so that nothing arrives late. Follows how late the system has ended earlier waits.
    private var margin = Self.margins.lowerBound
    private var buffer = [UInt8](repeating: 0, count: Self.readSize)

    /// - Parameter delay: in nanoseconds.
    init(_ listener: Socket, forwardingTo server: ResolvedAddress, delay: UInt64, stop: Int32) {
        self.listener = listener
        self.server = server
        self.delay = delay
        self.stop = stop
    }

    /// Serves until it is stopped, and closes all connections.
    mutating func run() {
        while true {
            deliver()
            let (readable, writable) = wait()
            if readable.contains(stop) { break }
            for index in connections.indices {
                for lane in connections[index].lanes.indices {
                    if writable.contains(connections[index].lanes[lane].target.number) {
                        connections[index].lanes[lane].unblock()
                    }
                    if readable.contains(connections[index].lanes[lane].source.number) {
                        read(lane, of: index)
                    }
                }
            }
            if readable.contains(listener.number) { accept() }
        }
        for connection in connections { connection.close() }
    }

    private mutating func deliver() {
        for index in connections.indices {
            for lane in connections[index].lanes.indices {
                connections[index].lanes[lane].deliver(at: Stopwatch.nanoseconds())
            }
        }
        for connection in connections where connection.isDone { connection.close() }
        connections.removeAll(where: \.isDone)
    }

    /// Waits until something is due or possible, and returns the sockets that are ready.
    private mutating func wait() -> (readable: SocketSet, writable: SocketSet) {
        var reading = SocketSet()
        var writing = SocketSet()
        reading.insert(stop)
        if connections.count < Self.connectionCountMax { reading.insert(listener.number) }
        var due: UInt64?
        for lane in connections.flatMap(\.lanes) {
            if lane.canRead { reading.insert(lane.source.number) }
            if lane.isBlocked, !lane.isDone { writing.insert(lane.target.number) }
            if let next = lane.nextDue { due = min(due ?? next, next) }
        }
        guard let due else {
            SocketSet.wait(reading: &reading, writing: &writing, nanoseconds: nil)
            return (reading, writing)
        }
        let wakeUp = due - margin
        let now = Stopwatch.nanoseconds()
        SocketSet.wait(
            reading: &reading, writing: &writing, nanoseconds: wakeUp > now ? wakeUp - now : 0)
        if wakeUp > now {
            // Negative if a socket was ready before.
            let lateness = Int64(Stopwatch.nanoseconds()) - Int64(wakeUp)
            let least = UInt64(max(lateness, 0))
            margin = min(
                max(least, margin - margin / 64, Self.margins.lowerBound), Self.margins.upperBound)
        }
        return (reading, writing)
    }

    private mutating func read(_ lane: Int, of index: Int) {
        let source = connections[index].lanes[lane].source.number
        let count = buffer.withUnsafeMutableBytes {
            Foundation.read(source, $0.baseAddress, $0.count)
        }
        let due = Stopwatch.nanoseconds() + delay
        if count > 0 {
            connections[index].lanes[lane].append(Array(buffer[..<count]), due: due)
        } else if count == 0 {
            connections[index].lanes[lane].end(due: due)
        } else if !Socket.wouldBlock {
            // The peer has gone, so nothing reaches it any more. What it sent before still arrives.
            connections[index].lanes[lane].end(due: due)
            connections[index].lanes[1 - lane].abandon()
        }
    }

    /// Takes one connection. If the server cannot be reached, the client's connection is closed.
    private mutating func accept() {
        guard let client = listener.accept() else { return }
        guard client.number <= SocketSet.numberMax, let server = Socket.connecting(to: server)
        else { return client.close() }
        guard server.number <= SocketSet.numberMax else {
            client.close()
            return server.close()
        }
        connections.append(Connection(client: client, server: server))
    }
}
