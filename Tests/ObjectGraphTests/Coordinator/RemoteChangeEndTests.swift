import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite(.timeLimit(.minutes(5))) struct `The end of remote changes (§10.5)` {
    private static let losses: [(name: String, lose: @Sendable (URL) throws -> Void)] = [
        (
            "deleted with its WAL",
            { url in
                for suffix in ["-wal", "-shm", ""] {
                    try FileManager.default.removeItem(atPath: url.path + suffix)
                }
            }
        ),
        (
            "moved",
            { url in
                try FileManager.default.moveItem(atPath: url.path, toPath: url.path + ".moved")
            }
        ),
        (
            "replaced",
            { url in
                let copy = url.appendingPathExtension("copy")
                try PersistentStoreCoordinator.replacePersistentStore(at: copy, with: url)
                _ = rename(copy.path, url.path)
            }
        ),
        (
            "moved with its folder",
            { url in
                let folder = url.deletingLastPathComponent()
                try FileManager.default.moveItem(
                    atPath: folder.path, toPath: folder.path + ".moved")
            }
        ),
    ]

    @Test(arguments: losses.indices)
    func `a file that is deleted, moved or replaced ends them (§10.5.11)`(_ index: Int) async throws
    {
        let folder = TemporaryFolder()
        try FileManager.default.createDirectory(
            at: folder.url("stores"), withIntermediateDirectories: true)
        let listener = try Listener(at: folder.url("stores/library.sqlite"))
        let other = try Listener(at: folder.url("other.sqlite"))
        var changes = listener.changes()
        var otherChanges = other.changes()
        try listener.insert("Lem")
        try await changes.wait(for: 1)

        try Self.losses[index].lose(listener.url)

        #expect(await changes.waitForEnd() == listener.store, "\(Self.losses[index].name)")
        #expect {
            try listener.insert("Borges")
        } throws: { error in
            (error as? StoreError)?.reason == .fileChanged
        }
        try listener.coordinator.removePersistentStore(listener.store)
        // The watch of other stores goes on.
        try other.insert("Borges")
        try await otherChanges.wait(for: 1)
    }

    @Test
    func `a file for reading only that is read without locks ends them when written (§10.5.11)`()
        async throws
    {
        // Root may write to every folder.
        guard getuid() != 0 else { return }
        let writer = try Listener(isListening: false)
        try writer.insert("Lem")
        try writer.coordinator.removePersistentStore(writer.store)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o500], ofItemAtPath: writer.folder.url.path)
        let listener = try writer.other(isReadOnly: true)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o700], ofItemAtPath: writer.folder.url.path)
        var changes = listener.changes()

        try writer.other(isListening: false).insert("Borges")

        #expect(await changes.waitForEnd() == listener.store)
    }

    @Test func `a removed store leaves no descriptor open (§10.5.12)`() async throws {
        await #expect(processExitsWith: .success) {
            func watchStores() async throws {
                let listeners = try (0..<20).map { _ in try Listener() }
                for listener in listeners {
                    var changes = listener.changes()
                    try listener.insert("Lem")
                    try await changes.wait(for: 1)
                    try listener.coordinator.removePersistentStore(listener.store)
                }
            }
            // Dispatch keeps descriptors of its own.
            func isOurs(_ path: String) -> Bool {
                path.contains("inotify") || path.contains("sqlite")
            }
            try await watchStores()
            try await watchStores()
            try await wait { !openDescriptors().contains(where: isOurs) }
            #expect(openDescriptors().filter(isOurs) == [])
        }
    }

    @Test func `a released coordinator ends them too (§10.5.12)`() async throws {
        let folder = TemporaryFolder()
        weak var released: PersistentStoreCoordinator?
        do {
            let listener = try Listener(at: folder.url("library.sqlite"))
            released = listener.coordinator
            var changes = listener.changes()
            try listener.insert("Lem")
            try await changes.wait(for: 1)
        }
        // A notification in delivery keeps the coordinator for a moment.
        try await wait { released == nil }
        #expect(released == nil)
        let path = folder.url.resolvingSymlinksInPath().path
        try await wait { !openDescriptors().contains { $0.hasPrefix(path) } }
        #expect(!openDescriptors().contains { $0.hasPrefix(path) })
    }

    @Test func `an observer may remove the store (§10.5.12)`() async throws {
        let listener = try Listener()
        var changes = listener.changes()
        let observation = listener.coordinator.observe {
            [weak coordinator = listener.coordinator] in
            guard case .remoteChange(let change) = $0 else { return }
            try? coordinator?.removePersistentStore(change.store)
        }
        try listener.insert("Lem")
        await changes.finish()
        #expect(listener.coordinator.persistentStores.isEmpty)
        withExtendedLifetime(observation) {}
    }
}

/// What the descriptors of this process lead to, in order.
private func openDescriptors() -> [String] {
    let folder = "/proc/self/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.compactMap {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
    }.filter { !$0.contains("/proc/") }.sorted()
}

/// Waits until the condition holds, or for so long that it never will.
private func wait(until condition: () -> Bool) async throws {
    for _ in 0..<10_000 {
        if condition() { return }
        try await Task.sleep(for: .milliseconds(1))
    }
}
