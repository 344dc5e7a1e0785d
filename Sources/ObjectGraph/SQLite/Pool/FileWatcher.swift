import Dispatch
import Foundation
import Logging
import Synchronization

/// Calls blocks when files change. All watches of the process share one inotify descriptor and one
/// queue.
///
/// A file may be written through memory that is shared, which inotify does not report: SQLite makes
/// a commit visible that way, shortly after its last write. So a block is called when its file was
/// written, and again 2 ms, 4 ms, 8 ms and so on later, until the next write. A commit that became
/// visible some time after its last write is noticed after twice that time at the latest, and an
/// idle file costs about twenty calls in its first half hour.
final class FileWatcher: Sendable {
    static let shared = FileWatcher()

    /// The least time between two reads of the descriptor, so that writers under load cannot keep
    /// this process busy.
    private static let pause = DispatchTimeInterval.milliseconds(10)
    private static let firstDelay = 2
    private static let pollingInterval = 50

    private struct Watch {
        /// inotify's number of the folder; nil if the file is polled.
        let folder: Int32?
        let names: Set<String>
        let onChange: @Sendable () -> Void
        /// How often the file was written. A later write ends the calls for earlier ones.
        var writeCount = 0

        func concerns(_ change: Inotify.Change) -> Bool {
            guard let folder else { return false }
            if change.folder == Inotify.everyFolder { return true }
            return change.folder == folder && change.name.map(names.contains) ?? true
        }
    }

    private struct State {
        var watches: [Int: Watch] = [:]
        var lastNumber = 0
        var inotify: Inotify?
    }

    private let queue = DispatchQueue(label: "ObjectGraph.FileWatcher")
    private let usesInotify: Bool
    private let state = Mutex(State())

    /// - Parameter usesInotify: Tests use false for a system that has no inotify left.
    init(usesInotify: Bool = true) { self.usesInotify = usesInotify }

    /// Calls the block after each change of one of the files in the folder, and if the folder
    /// itself is moved or deleted. Calls are made one at a time, for all watches together.
    ///
    /// Where inotify fails, as when the system's limits are used up, the block is called every 50
    /// ms.
    ///
    /// - Returns: Ends the calls when it is cancelled or released. Does not wait for a call that is
    ///   in progress.
    func watch(
        _ names: Set<String>, inFolder path: String, _ onChange: @escaping @Sendable () -> Void
    ) -> Observation {
        let (number, isPolled) = state.withLock { state in
            if state.inotify == nil { state.inotify = makeInotify() }
            let folder = state.inotify?.add(path)
            state.lastNumber += 1
            state.watches[state.lastNumber] = Watch(
                folder: folder, names: names, onChange: onChange)
            return (state.lastNumber, folder == nil)
        }
        if isPolled {
            Logger(label: "ObjectGraph").warning(
                """
                inotify does not watch \(path), so it is polled every \(Self.pollingInterval) ms. \
                Raise fs.inotify.max_user_instances and fs.inotify.max_user_watches.
                """)
            callAgain(number, writeCount: 0, afterMilliseconds: Self.pollingInterval)
        }
        return Observation { [weak self] in self?.remove(number) }
    }

    private func remove(_ number: Int) {
        // The block is released after the lock.
        let removed = state.withLock { state -> Watch? in
            guard let watch = state.watches.removeValue(forKey: number) else { return nil }
            if let folder = watch.folder,
                !state.watches.values.contains(where: { $0.folder == folder })
            {
                state.inotify?.remove(folder)
            }
            if state.watches.isEmpty { state.inotify = nil }
            return watch
        }
        withExtendedLifetime(removed) {}
    }

    private func makeInotify() -> Inotify? {
        guard usesInotify else { return nil }
        return Inotify(queue: queue, pause: Self.pause) { [weak self] in self?.report($0) }
    }

    private func report(_ changes: Set<Inotify.Change>) {
        let changed = state.withLock { state in
            state.watches.filter { _, watch in changes.contains(where: watch.concerns) }.keys
        }
        for number in changed.sorted() {
            let watch = state.withLock { state in
                state.watches[number]?.writeCount += 1
                return state.watches[number]
            }
            guard let watch else { continue }
            watch.onChange()
            callAgain(
                number, writeCount: watch.writeCount, afterMilliseconds: Self.firstDelay)
        }
    }

    private func callAgain(_ number: Int, writeCount: Int, afterMilliseconds delay: Int) {
        queue.asyncAfter(deadline: .now() + .milliseconds(delay)) { [weak self] in
            guard let self, let watch = state.withLock({ $0.watches[number] }),
                watch.writeCount == writeCount
            else { return }
            watch.onChange()
            callAgain(
                number, writeCount: writeCount,
                afterMilliseconds: watch.folder == nil ? delay : 2 * delay)
        }
    }
}
