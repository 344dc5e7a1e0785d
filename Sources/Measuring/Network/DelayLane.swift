import Foundation

/// One direction of a connection: bytes on their way, each with the time at which it arrives.
struct DelayLane: Sendable {
    /// The bytes of one read.
    private struct Chunk: Sendable {
        var bytes: [UInt8]
        let due: UInt64
    }

    /// The most memory that a lane may need. It is a window as TCP has one: at a delay of 5 ms at most
    /// 400 MB/s pass.
    static let sizeMax = 2 << 20
    /// About what a chunk needs beside its bytes.
    private static let chunkOverhead = 64

    let source: Socket
    let target: Socket
    private var chunks: [Chunk] = []
    /// The chunks before it were sent.
    private var head = 0
    /// The bytes of the first chunk that were sent.
    private var sentCount = 0
    private var size = 0
    /// When the target gets the end of the stream; `nil` before the source has ended.
    private var endDue: UInt64?
    /// Whether the target took no more bytes.
    private(set) var isBlocked = false
    /// Whether the target has got everything, or can get no more.
    private(set) var isDone = false

    init(from source: Socket, to target: Socket) {
        self.source = source
        self.target = target
    }

    var canRead: Bool { !isDone && endDue == nil && size < Self.sizeMax }

    /// When the next byte, or the end, arrives; `nil` if nothing is on its way or can be sent.
    var nextDue: UInt64? {
        isBlocked || isDone ? nil : head < chunks.count ? chunks[head].due : endDue
    }

    mutating func append(_ bytes: [UInt8], due: UInt64) {
        chunks.append(Chunk(bytes: bytes, due: due))
        size += bytes.count + Self.chunkOverhead
    }

    mutating func end(due: UInt64) { endDue = due }

    mutating func unblock() { isBlocked = false }

    /// Drops everything: the target cannot be reached any more.
    mutating func abandon() {
        chunks = []
        (head, size) = (0, 0)
        isDone = true
    }

    /// Sends what is due, in the order in which it was read.
    mutating func deliver(at now: UInt64) {
        while !isBlocked, let due = nextDue, due <= now {
            if head < chunks.count { sendFirst() } else { finish() }
        }
    }

    private mutating func finish() {
        target.end()
        isDone = true
    }

    private mutating func sendFirst() {
        let sent = chunks[head].bytes.withUnsafeBytes { bytes in
            let rest = UnsafeRawBufferPointer(rebasing: bytes[sentCount...])
            // Without the flag, a peer that has gone would end this process.
            return send(target.number, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
        }
        guard sent >= 0 else {
            if Socket.wouldBlock { isBlocked = true } else { abandon() }
            return
        }
        sentCount += sent
        if sentCount == chunks[head].bytes.count { removeFirst() }
    }

    private mutating func removeFirst() {
        size -= chunks[head].bytes.count + Self.chunkOverhead
        chunks[head].bytes = []
        sentCount = 0
        head += 1
        if head == chunks.count {
            chunks.removeAll(keepingCapacity: true)
            head = 0
        } else if head > 1_000, head > chunks.count / 2 {
            chunks.removeFirst(head)
            head = 0
        }
    }
}
