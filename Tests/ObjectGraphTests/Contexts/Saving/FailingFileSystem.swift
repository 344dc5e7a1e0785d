import CSQLite
import Foundation
import Synchronization

/// A SQLite VFS over the default one that can make a call on a file fail.
///
/// Only one suite uses it, one test at a time: the failing call and its code are the same for all
/// files.
enum FailingFileSystem {
    static let name = "failing"

    /// The number of calls until the failing one, and its code.
    private static let remaining = Atomic<Int>(.max)
    private static let code = Atomic<Int32>(0)
    private static let fired = Atomic<Bool>(false)
    private static let staysBroken = Atomic<Bool>(false)

    /// Makes the call with this number, counted from 1, fail with a code of SQLite.
    ///
    /// - Parameter forever: Whether all later calls fail too, as after a crash.
    static func fail(call number: Int, with code: Int32, forever: Bool = false) {
        self.code.store(code, ordering: .relaxed)
        staysBroken.store(forever, ordering: .relaxed)
        fired.store(false, ordering: .relaxed)
        remaining.store(number, ordering: .relaxed)
    }

    /// Lets all calls succeed from now on.
    ///
    /// - Returns: Whether a call has failed.
    static func stop() -> Bool {
        remaining.store(.max, ordering: .relaxed)
        return fired.load(ordering: .relaxed)
    }

    /// The code for this call; nil if it succeeds.
    fileprivate static func failure() -> Int32? {
        guard remaining.load(ordering: .relaxed) != .max else { return nil }
        let left = remaining.subtract(1, ordering: .relaxed).newValue
        guard left == 0 || left < 0 && staysBroken.load(ordering: .relaxed) else { return nil }
        fired.store(true, ordering: .relaxed)
        return code.load(ordering: .relaxed)
    }

    /// Registers the VFS in SQLite.
    static func register() { _ = registration }

    private static let registration: Void = {
        let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        vfs.initialize(to: realFileSystem.pointee)
        vfs.pointee.pNext = nil
        vfs.pointee.zName = UnsafePointer(strdup(name))
        vfs.pointee.szOsFile = realFileSystem.pointee.szOsFile + Int32(headerByteCount)
        vfs.pointee.xOpen = { _, path, file, flags, outFlags in
            let real = realFile(file)
            let code = realFileSystem.pointee.xOpen(realFileSystem, path, real, flags, outFlags)
            file!.pointee.pMethods = real!.pointee.pMethods == nil ? nil : UnsafePointer(methods)
            return code
        }
        sqlite3_vfs_register(vfs, 0)
    }()
}

// nonisolated(unsafe): written once, before SQLite uses the VFS.
nonisolated(unsafe) private let realFileSystem = sqlite3_vfs_find(nil)!

/// The file of the real VFS follows ours in memory.
private let headerByteCount = 16

private func realFile(
    _ file: UnsafeMutablePointer<sqlite3_file>?
) -> UnsafeMutablePointer<sqlite3_file>? {
    (UnsafeMutableRawPointer(file!) + headerByteCount).assumingMemoryBound(to: sqlite3_file.self)
}

private func real(
    _ file: UnsafeMutablePointer<sqlite3_file>?
) -> UnsafePointer<sqlite3_io_methods> { realFile(file)!.pointee.pMethods }

// nonisolated(unsafe): written once, before SQLite uses the VFS.
nonisolated(unsafe) private let methods: UnsafeMutablePointer<sqlite3_io_methods> = {
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    methods.initialize(to: sqlite3_io_methods())
    methods.pointee.iVersion = 2
    methods.pointee.xClose = { real($0).pointee.xClose(realFile($0)) }
    methods.pointee.xRead = {
        FailingFileSystem.failure() ?? real($0).pointee.xRead(realFile($0), $1, $2, $3)
    }
    methods.pointee.xWrite = {
        FailingFileSystem.failure() ?? real($0).pointee.xWrite(realFile($0), $1, $2, $3)
    }
    methods.pointee.xTruncate = {
        FailingFileSystem.failure() ?? real($0).pointee.xTruncate(realFile($0), $1)
    }
    methods.pointee.xSync = {
        FailingFileSystem.failure() ?? real($0).pointee.xSync(realFile($0), $1)
    }
    methods.pointee.xFileSize = { real($0).pointee.xFileSize(realFile($0), $1) }
    methods.pointee.xLock = {
        FailingFileSystem.failure() ?? real($0).pointee.xLock(realFile($0), $1)
    }
    methods.pointee.xUnlock = { real($0).pointee.xUnlock(realFile($0), $1) }
    methods.pointee.xCheckReservedLock = {
        real($0).pointee.xCheckReservedLock(realFile($0), $1)
    }
    methods.pointee.xFileControl = { real($0).pointee.xFileControl(realFile($0), $1, $2) }
    methods.pointee.xSectorSize = { real($0).pointee.xSectorSize(realFile($0)) }
    methods.pointee.xDeviceCharacteristics = {
        real($0).pointee.xDeviceCharacteristics(realFile($0))
    }
    methods.pointee.xShmMap = { real($0).pointee.xShmMap(realFile($0), $1, $2, $3, $4) }
    methods.pointee.xShmLock = { file, offset, count, flags in
        if flags & SQLITE_SHM_LOCK != 0, let code = FailingFileSystem.failure() { return code }
        return real(file).pointee.xShmLock(realFile(file), offset, count, flags)
    }
    methods.pointee.xShmBarrier = { real($0).pointee.xShmBarrier(realFile($0)) }
    methods.pointee.xShmUnmap = { real($0).pointee.xShmUnmap(realFile($0), $1) }
    return methods
}()
