import Dispatch
import Foundation

/// A descriptor of Linux's inotify, which reports changes of the files in folders.
///
/// Source: inotify(7). Elsewhere: FSEvents or kqueue; without any, ``FileWatcher`` polls.
final class Inotify: Sendable {
    struct Change: Hashable {
        /// The number of the folder, or `everyFolder`.
        let folder: Int32
        /// The changed file; nil for the folder itself.
        let name: String?
    }

    /// Stands for all folders after changes were lost.
    static let everyFolder: Int32 = -1

    private let descriptor: Int32
    // Right to share: a source is an object of libdispatch, which any thread may use.
    private nonisolated(unsafe) let source: any DispatchSourceRead

    /// - Parameters:
    ///   - queue: Where the changes are read and reported.
    ///   - pause: The least time between two reads.
    ///   - report: Gets the changes since the last call.
    /// - Returns: Nil if the system has no descriptor left.
    init?(
        queue: DispatchQueue, pause: DispatchTimeInterval,
        report: @escaping @Sendable (Set<Change>) -> Void
    ) {
        let descriptor = inotify_init1(O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        nonisolated(unsafe) let source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: queue)
        self.descriptor = descriptor
        self.source = source
        source.setEventHandler {
            source.suspend()
            report(Self.readChanges(of: descriptor))
            // Also if the source was cancelled meanwhile: its last handler runs after that.
            queue.asyncAfter(deadline: .now() + pause) { source.resume() }
        }
        source.setCancelHandler { close(descriptor) }
        source.resume()
    }

    // The descriptor is closed on the queue, soon.
    deinit { source.cancel() }

    /// Begins to watch a folder. A folder that is watched already keeps its number.
    ///
    /// - Returns: The number of the folder; nil if it cannot be watched.
    func add(_ folder: String) -> Int32? {
        let events =
            IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF
            | IN_MOVE_SELF | IN_ONLYDIR
        let number = inotify_add_watch(descriptor, folder, UInt32(events))
        return number >= 0 ? number : nil
    }

    /// Fails without consequence for a folder that was deleted.
    func remove(_ folder: Int32) { inotify_rm_watch(descriptor, folder) }

    private static func readChanges(of descriptor: Int32) -> Set<Change> {
        var changes: Set<Change> = []
        withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 8) { buffer in
            while true {
                let byteCount = read(descriptor, buffer.baseAddress, buffer.count)
                guard byteCount > 0 else { return }
                var rest = UnsafeRawBufferPointer(buffer)[..<byteCount]
                while !rest.isEmpty { changes.insert(takeChange(from: &rest)) }
            }
        }
        return changes
    }

    /// Takes a `struct inotify_event` with the name that follows it.
    private static func takeChange(from bytes: inout Slice<UnsafeRawBufferPointer>) -> Change {
        let event = UnsafeRawBufferPointer(rebasing: bytes)
        let size = MemoryLayout<inotify_event>.size
        let nameLength = Int(event.load(fromByteOffset: 12, as: UInt32.self))
        let isLost = event.load(fromByteOffset: 4, as: UInt32.self) & UInt32(IN_Q_OVERFLOW) != 0
        let name = event[size..<size + nameLength].prefix { $0 != 0 }
        bytes = bytes.dropFirst(size + nameLength)
        return Change(
            folder: isLost ? everyFolder : event.load(as: Int32.self),
            name: name.isEmpty ? nil : String(decoding: name, as: UTF8.self))
    }
}
