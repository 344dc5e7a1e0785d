import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ObjectGraph

@Suite(.timeLimit(.minutes(5))) struct `Watching files (§10.5)` {
    private static let folder = TemporaryFolder()

    /// A new file and when changes of it are reported.
    private static func watch(
        _ watcher: FileWatcher, _ name: String
    ) -> (url: URL, calls: AsyncStream<ContinuousClock.Instant>, observation: Observation) {
        let (calls, continuation) = AsyncStream<ContinuousClock.Instant>.makeStream()
        let observation = watcher.watch([name], inFolder: folder.url.path) {
            continuation.yield(.now)
        }
        return (folder.url(name), calls, observation)
    }

    @Test func `a write is reported at once and then at doubling distances (§10.5.4)`() async throws
    {
        let watcher = FileWatcher()
        let (url, calls, observation) = Self.watch(watcher, "a")
        try Data("a".utf8).write(to: url)
        var times: [ContinuousClock.Instant] = []
        for await time in calls.prefix(8) { times.append(time) }
        // Timers never come too early.
        #expect(times.last! - times.first! >= .milliseconds(2 + 4 + 8))
        withExtendedLifetime((watcher, observation)) {}
    }

    @Test func `without inotify a file is polled (§10.5.13)`() async throws {
        let watcher = FileWatcher(usesInotify: false)
        let (url, calls, observation) = Self.watch(watcher, "b")
        try Data("b".utf8).write(to: url)
        var count = 0
        for await _ in calls.prefix(5) { count += 1 }
        #expect(count == 5)
        withExtendedLifetime((watcher, observation)) {}
    }

    @Test func `a folder that does not exist is polled (§10.5.13)`() async throws {
        let (calls, continuation) = AsyncStream<Void>.makeStream()
        let watcher = FileWatcher()
        let observation = watcher.watch(
            ["c"], inFolder: Self.folder.path("missing")
        ) { continuation.yield() }
        for await _ in calls.prefix(2) {}
        withExtendedLifetime((watcher, observation)) {}
    }

    @Test func `other files of the folder are not reported`() async throws {
        let watcher = FileWatcher()
        let isReported = Atomic(false)
        let other = watcher.watch(["e"], inFolder: Self.folder.url.path) {
            isReported.store(true, ordering: .relaxed)
        }
        let (url, calls, observation) = Self.watch(watcher, "d")
        try Data("d".utf8).write(to: url)
        for await _ in calls.prefix(3) {}
        let isOtherReported = isReported.load(ordering: .relaxed)
        #expect(!isOtherReported)
        withExtendedLifetime((watcher, observation, other)) {}
    }
}
