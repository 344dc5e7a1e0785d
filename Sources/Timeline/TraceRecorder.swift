import Foundation
import ObjectGraph
import Synchronization

/// Keeps events in memory, each thread in a buffer of its own, so that no thread waits for another.
///
/// Attach it with `EventTracing.attach`. A thread whose buffer is full drops further events, which
/// are counted. An event takes 56 bytes, in blocks of 4,096 events. A recorder that was attached stays,
/// with one of the 1,024 keys for threads that a process has: attach one again rather than many.
public final class TraceRecorder: EventTracer {
    private let capacity: Int
    private let ownBuffer = ThreadSlot()
    private let buffers = Mutex<[ThreadBuffer]>([])

    /// - Parameter eventsPerThread: How many events a thread keeps; at least 1. Rounded up to a
    ///   multiple of 4,096.
    public init(eventsPerThread: Int = 1 << 18) {
        capacity = max(1, (eventsPerThread + ThreadBuffer.blockCount - 1) / ThreadBuffer.blockCount)
    }

    public func record(_ event: TraceEvent) {
        guard let known = ownBuffer.address else { return makeBuffer().append(event) }
        // Right to use: `buffers` holds it as long as this recorder lives.
        Unmanaged<ThreadBuffer>.fromOpaque(known)._withUnsafeGuaranteedRef { $0.append(event) }
    }

    private func makeBuffer() -> ThreadBuffer {
        let buffer = buffers.withLock { buffers in
            let buffer = ThreadBuffer(
                number: buffers.count + 1, isMain: Thread.isMainThread, maximumBlockCount: capacity)
            buffers.append(buffer)
            return buffer
        }
        ownBuffer.address = Unmanaged.passUnretained(buffer).toOpaque()
        return buffer
    }

    /// What was recorded until now. Threads may go on recording meanwhile.
    public func timeline() -> Timeline {
        let buffers = buffers.withLock { $0 }
        return Timeline(
            threads: buffers.map {
                Timeline.Thread(number: $0.number, isMain: $0.isMain, events: $0.events())
            },
            droppedCount: buffers.reduce(0) { $0 + $1.droppedCount })
    }
}

/// The events of one thread, which alone appends to it; others read what it has published.
// @unchecked Sendable: the thread writes an event, and the pointer to its block, before it raises
// `count`; others read only what is below `count`, and nothing there changes any more.
private final class ThreadBuffer: @unchecked Sendable {
    static let blockCount = 4096

    let number: Int
    let isMain: Bool
    private let maximumBlockCount: Int
    private let blocks: UnsafeMutablePointer<UnsafeMutablePointer<TraceEvent>>
    private let count = Atomic<Int>(0)
    private let dropped = Atomic<Int>(0)

    init(number: Int, isMain: Bool, maximumBlockCount: Int) {
        self.number = number
        self.isMain = isMain
        self.maximumBlockCount = maximumBlockCount
        blocks = .allocate(capacity: maximumBlockCount)
    }

    deinit {
        let used = (count.load(ordering: .acquiring) + Self.blockCount - 1) / Self.blockCount
        for block in 0..<used { blocks[block].deallocate() }
        blocks.deallocate()
    }

    var droppedCount: Int { dropped.load(ordering: .relaxed) }

    func append(_ event: TraceEvent) {
        let index = count.load(ordering: .relaxed)
        let (block, place) = index.quotientAndRemainder(dividingBy: Self.blockCount)
        if place == 0 {
            guard block < maximumBlockCount else {
                dropped.add(1, ordering: .relaxed)
                return
            }
            blocks[block] = .allocate(capacity: Self.blockCount)
        }
        (blocks[block] + place).initialize(to: event)
        count.store(index + 1, ordering: .releasing)
    }

    func events() -> [TraceEvent] {
        (0..<count.load(ordering: .acquiring)).map { index in
            blocks[index / Self.blockCount][index % Self.blockCount]
        }
    }
}
