import Foundation
import Synchronization

/// Shows other processes that this one writes to the folder of a store, by a file beside it that
/// they see and that it has locked.
///
/// Elsewhere: as for ``FolderLock``.
///
/// The file is made before the first value is written. Each user adds a `+` to it, and a `-` when it
/// has left nothing behind; the last one removes the file if there are as many of both. So a file
/// that no process has locked means that one ended in the middle of its work. The system gives up
/// the locks of a process that ends.
final class FolderClaim: Sendable {
    private let path: String
    private let isSynchronized: Bool
    private let calls: FileCalls

    /// The descriptor of the locked file; nil before `hold`.
    private let file = Mutex<Int32?>(nil)

    /// - Parameter isSynchronized: Whether the claim is on the disk before values are.
    init(path: String, isSynchronized: Bool, calls: FileCalls) {
        self.path = path
        self.isSynchronized = isSynchronized
        self.calls = calls
    }

    deinit { file.withLock { _ = $0.map { close($0) } } }

    /// Makes the folder, and the claim. Waits while another process cleans up. Holding twice does
    /// nothing.
    func hold(_ folder: String) throws(FileFailure) {
        let outcome: Result<Void, FileFailure> = file.withLock { file in
            Result { () throws(FileFailure) in
                guard file == nil else { return }
                try calls.makeFolder(folder)
                let opened = try openLocked()
                do throws(FileFailure) {
                    guard write(opened, "+", 1) == 1 else { throw FileFailure(path: path) }
                    if isSynchronized { try synchronizeNames() }
                } catch {
                    close(opened)
                    throw error
                }
                file = opened
            }
        }
        try outcome.get()
    }

    private func openLocked() throws(FileFailure) -> Int32 {
        try calls.check(.claim, path)
        while true {
            let opened = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
            guard opened >= 0 else { throw FileFailure(path: path) }
            guard flock(opened, LOCK_SH) == 0 else {
                let failure = FileFailure(path: path)
                close(opened)
                if failure.code == EINTR { continue }
                throw failure
            }
            if isInPlace(opened) { return opened }
            close(opened)
        }
    }

    /// Brings the names of the folder and of the claim to the disk, and of the folder of both.
    private func synchronizeNames() throws(FileFailure) {
        let support = URL(filePath: path).deletingLastPathComponent()
        for folder in [support, support.deletingLastPathComponent()] {
            try calls.synchronize(folder.path)
        }
    }

    /// - Parameter leavesNothing: Whether there is nothing to clean up. Otherwise the file stays,
    ///   and the next to open the store cleans up.
    func release(leavesNothing: Bool) {
        file.withLock { file in
            guard let held = file else { return }
            if leavesNothing { _ = write(held, "-", 1) }
            if flock(held, LOCK_EX | LOCK_NB) == 0, isInPlace(held), isBalanced { unlink(path) }
            close(held)
            file = nil
        }
    }

    /// Runs the body if a process has left the folder unfinished, and no other one uses it.
    ///
    /// - Parameter body: Returns whether the folder is clean now.
    func cleanUp(_ body: () throws -> Bool) rethrows {
        let opened = open(path, O_RDWR | O_CLOEXEC)
        guard opened >= 0 else { return }
        defer { close(opened) }
        guard flock(opened, LOCK_EX | LOCK_NB) == 0, isInPlace(opened) else { return }
        if try body() { unlink(path) }
    }

    /// Whether all who have used the folder have left nothing behind.
    private var isBalanced: Bool {
        guard let signs = FileManager.default.contents(atPath: path) else { return false }
        return signs.count { $0 == UInt8(ascii: "+") } == signs.count { $0 == UInt8(ascii: "-") }
    }

    /// Whether the path still leads to the open file: another process may have removed it before
    /// it was locked here.
    private func isInPlace(_ opened: Int32) -> Bool {
        var own = stat()
        var found = stat()
        return fstat(opened, &own) == 0 && stat(path, &found) == 0 && own.st_ino == found.st_ino
            && own.st_dev == found.st_dev
    }
}
