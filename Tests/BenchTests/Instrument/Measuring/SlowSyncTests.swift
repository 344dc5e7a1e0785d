import CSQLite
import Foundation
import ObjectGraph
import TestSupport
import Testing
import Timeline

@testable import StackBench

@Suite struct `The syncs of SQLite in a trace` {
    /// In a process of its own, whose file system waits 50 ms for each sync.
    @Test func `a slow sync is the first cause of a stall`() async {
        await #expect(processExitsWith: .success) {
            SlowFileSystem.install()
            CountingFileSystem.install()
            let repeats =
                ProcessInfo.processInfo.environment["STACKBENCH_PLANTED_REPEATS"].flatMap {
                    Int($0)
                }
                ?? 2
            for _ in 0..<repeats { try requireSlowSync() }
        }
    }
}

private func requireSlowSync() throws {
    struct WrongCause: Error {
        var shares: [TimeShare]?
    }
    let folder = TemporaryFolder()
    let coordinator = PersistentStoreCoordinator(model: try makeLibraryModel())
    var description = PersistentStoreDescription.sqlite(at: folder.url("library.sqlite"))
    description.pragmas = ["synchronous": "FULL"]
    try coordinator.addPersistentStore(description)
    let view = ManagedObjectContext(.mainQueue, coordinator: coordinator)
    let recorder = TraceRecorder()
    EventTracing.attach(recorder)
    try view.performAndWait {
        Author(context: view).name = "Ada"
        try view.save()
    }
    EventTracing.detach(recorder)
    let worst = TimelineSummary(recorder.timeline()).stalls.first
    guard let first = worst?.shares.first, first.activity == .synced,
        first.nanoseconds >= 50_000_000
    else { throw WrongCause(shares: worst?.shares) }
}

/// SQLite's file system with syncs that take 50 ms longer.
private enum SlowFileSystem {
    /// Becomes the default. Methods that it replaces are never freed.
    static func install() {
        let system = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        system.initialize(to: realSystem.pointee)
        system.pointee.zName = UnsafePointer(strdup("slow"))
        system.pointee.xOpen = { _, name, file, flags, flagsOut in
            let code = realSystem.pointee.xOpen(realSystem, name, file, flags, flagsOut)
            guard let file, let methods = file.pointee.pMethods else { return code }
            realSync = methods.pointee.xSync
            let slow = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
            slow.initialize(to: methods.pointee)
            slow.pointee.xSync = { file, flags in
                Thread.sleep(forTimeInterval: 0.05)
                return realSync!(file, flags)
            }
            file.pointee.pMethods = UnsafePointer(slow)
            return code
        }
        sqlite3_vfs_register(system, 1)
    }
}

// nonisolated(unsafe): SQLite never frees its default file system.
nonisolated(unsafe) private let realSystem = sqlite3_vfs_find(nil)!

// nonisolated(unsafe): all files of the file system have the same function, and it is set before a
// file can be synced.
nonisolated(unsafe) private var realSync:
    (@convention(c) (UnsafeMutablePointer<sqlite3_file>?, Int32) -> Int32)?
