import CSQLite
import Foundation
import ObjectGraph
import Synchronization

/// A layer over SQLite's default file system that counts all accesses, and reports syncs to a tracer.
/// It replaces the default, so it counts the engine, GRDB and C alike.
///
/// A file of the layer is a file of the original file system with a note behind it. Only the
/// counting methods are replaced; the others are the original's. Source: the VFS shims of SQLite's
/// documentation (sqlite.org/vfs.html), whose own `vfsstat.c` counts without atomics.
enum CountingFileSystem {
    static let counts = FileCounts()
    fileprivate static let original = Original()

    /// Replaces the default file system. Call this before any database is opened.
    static func install() {
        let layer = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        layer.initialize(to: original.system.pointee)
        layer.pointee.szOsFile += Int32(MemoryLayout<FileNote>.stride)
        layer.pointee.zName = UnsafePointer(strdup("counting"))
        layer.pointee.xOpen = openFile
        sqlite3_vfs_register(layer, 1)
    }
}

/// Accesses of SQLite to the files of this process. Relaxed atomics: each count is exact, their
/// order is not.
final class FileCounts: Sendable {
    let pagesRead = Atomic<Int64>(0)
    let pagesWritten = Atomic<Int64>(0)
    let walBytes = Atomic<Int64>(0)
    let syncs = Atomic<Int64>(0)
    let transactions = Atomic<Int64>(0)
    let checkpoints = Atomic<Int64>(0)
    let refusedLocks = Atomic<Int64>(0)
}

/// The layer's data of a file, stored in the bytes behind the original's file.
private struct FileNote {
    enum Kind { case database, log, other }

    /// The original's methods.
    var methods: UnsafePointer<sqlite3_io_methods>
    var kind: Kind
}

/// The original file system and the counting versions of its method tables. It has several tables,
/// for files with different kinds of locks.
private final class Original: @unchecked Sendable {
    // @unchecked Sendable: SQLite never frees its default file system, nor changes it after its
    // registration.
    let system: UnsafeMutablePointer<sqlite3_vfs> = sqlite3_vfs_find(nil)
    /// Maps the address of an original table to that of its counting version. No table is ever
    /// freed.
    private let tables = Mutex<[UInt: UInt]>([:])

    /// The table whose methods count and then call those of `methods`.
    func counting(
        _ methods: UnsafePointer<sqlite3_io_methods>
    ) -> UnsafePointer<sqlite3_io_methods>? {
        let key = UInt(bitPattern: methods)
        let address = tables.withLock { tables in
            if let known = tables[key] { return known }
            let table = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
            table.initialize(to: UnsafePointer(bitPattern: key)!.pointee)
            replaceMethods(in: &table.pointee)
            tables[key] = UInt(bitPattern: table)
            return UInt(bitPattern: table)
        }
        return UnsafePointer(bitPattern: address)
    }
}

// MARK: What SQLite calls

// Functions, not members: a C function captures nothing, not even its enclosing type.

/// An access of at least this many bytes is a page; a smaller one is a header or a counter.
private let smallestPage: Int32 = 512
private let frameHeaderSize: Int32 = 24

private func note(
    of file: UnsafeMutablePointer<sqlite3_file>?
) -> UnsafeMutablePointer<FileNote> {
    (UnsafeMutableRawPointer(file!) + Int(CountingFileSystem.original.system.pointee.szOsFile))
        .assumingMemoryBound(to: FileNote.self)
}

private func openFile(
    _: UnsafeMutablePointer<sqlite3_vfs>?, name: UnsafePointer<CChar>?,
    file: UnsafeMutablePointer<sqlite3_file>?, flags: Int32, flagsOut: UnsafeMutablePointer<Int32>?
) -> Int32 {
    let original = CountingFileSystem.original
    let code = original.system.pointee.xOpen(original.system, name, file, flags, flagsOut)
    // SQLite does not close a file without methods.
    guard let file, let methods = file.pointee.pMethods else { return code }
    let kind: FileNote.Kind =
        flags & SQLITE_OPEN_WAL != 0
        ? .log : flags & SQLITE_OPEN_MAIN_DB != 0 ? .database : .other
    note(of: file).initialize(to: FileNote(methods: methods, kind: kind))
    file.pointee.pMethods = original.counting(methods)
    return code
}

private func replaceMethods(in methods: inout sqlite3_io_methods) {
    methods.xRead = { file, buffer, size, offset in
        let note = note(of: file)
        if size >= smallestPage, note.pointee.kind != .other {
            CountingFileSystem.counts.pagesRead.add(1, ordering: .relaxed)
        }
        return note.pointee.methods.pointee.xRead(file, buffer, size, offset)
    }
    methods.xWrite = { file, buffer, size, offset in
        let note = note(of: file)
        if let buffer { countWrite(of: buffer, size, to: note.pointee.kind) }
        return note.pointee.methods.pointee.xWrite(file, buffer, size, offset)
    }
    methods.xSync = { file, flags in
        CountingFileSystem.counts.syncs.add(1, ordering: .relaxed)
        let start = TraceEvent.now
        let code = note(of: file).pointee.methods.pointee.xSync(file, flags)
        EventTracing.report(
            TraceEvent(
                .sync, startNanoseconds: start, durationNanoseconds: TraceEvent.now - start))
        return code
    }
    methods.xLock = { file, level in
        countRefusal(note(of: file).pointee.methods.pointee.xLock(file, level))
    }
    methods.xFileControl = { file, operation, argument in
        if operation == SQLITE_FCNTL_CKPT_START {
            CountingFileSystem.counts.checkpoints.add(1, ordering: .relaxed)
        }
        return note(of: file).pointee.methods.pointee.xFileControl(file, operation, argument)
    }
    guard methods.xShmLock != nil else { return }
    methods.xShmLock = { file, offset, count, flags in
        countRefusal(note(of: file).pointee.methods.pointee.xShmLock(file, offset, count, flags))
    }
}

private func countWrite(of bytes: UnsafeRawPointer, _ size: Int32, to kind: FileNote.Kind) {
    let counts = CountingFileSystem.counts
    if kind != .other, size >= smallestPage { counts.pagesWritten.add(1, ordering: .relaxed) }
    guard kind == .log else { return }
    counts.walBytes.add(Int64(size), ordering: .relaxed)
    // Bytes 4 to 7 of a frame's header are the size of the database after a commit. They are 0
    // except in the last frame of a transaction (sqlite.org/fileformat2.html, section 4.1).
    if size == frameHeaderSize, bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self) != 0 {
        counts.transactions.add(1, ordering: .relaxed)
    }
}

private func countRefusal(_ code: Int32) -> Int32 {
    if code & 0xFF == SQLITE_BUSY {
        CountingFileSystem.counts.refusedLocks.add(1, ordering: .relaxed)
    }
    return code
}
