import CSQLite
import Foundation
import Synchronization

/// A layer between SQLite and its default file system that counts what passes, whoever asks: the
/// engine, GRDB and C alike, since it takes the default's place.
///
/// A file of it is a file of the layer below with a note behind it, so that only the methods that
/// count are ours, and all others are the layer's own. Source: the VFS shims of SQLite's
/// documentation (sqlite.org/vfs.html), whose own `vfsstat.c` counts without atomics.
enum CountingFileSystem {
    static let counts = FileCounts()
    fileprivate static let original = Original()

    /// Takes the place of the default file system; to be called before any database is opened.
    static func install() {
        let layer = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        layer.initialize(to: original.system.pointee)
        layer.pointee.szOsFile += Int32(MemoryLayout<FileNote>.stride)
        layer.pointee.zName = UnsafePointer(strdup("counting"))
        layer.pointee.xOpen = openFile
        sqlite3_vfs_register(layer, 1)
    }
}

/// What passed between SQLite and the files of this process. Relaxed: each is exact, their order is
/// not.
final class FileCounts: Sendable {
    let pagesRead = Atomic<Int64>(0)
    let pagesWritten = Atomic<Int64>(0)
    let walBytes = Atomic<Int64>(0)
    let syncs = Atomic<Int64>(0)
    let transactions = Atomic<Int64>(0)
    let checkpoints = Atomic<Int64>(0)
    let refusedLocks = Atomic<Int64>(0)
}

/// What a file of the layer remembers, in the bytes behind the file of the layer below.
private struct FileNote {
    enum Kind { case database, log, other }

    /// Those of the layer below.
    var methods: UnsafePointer<sqlite3_io_methods>
    var kind: Kind
}

/// The file system below, and our versions of its tables of methods: it has several, for files that
/// are locked in different ways.
private final class Original: @unchecked Sendable {
    // @unchecked Sendable: SQLite never frees its default file system nor changes it after it was
    // registered.
    let system: UnsafeMutablePointer<sqlite3_vfs> = sqlite3_vfs_find(nil)
    /// Addresses of tables that are never freed: the layer's own, and ours.
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

// Functions and not members: a C function captures nothing, not even the type that it belongs to.

/// So many bytes and more are a page; less is a header or a counter.
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
    // Without methods, SQLite does not close it.
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
        return note(of: file).pointee.methods.pointee.xSync(file, flags)
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
    // Bytes 4 to 7 of a frame's header are the size of the database after a commit, and 0 in all
    // frames but the last of a transaction (sqlite.org/fileformat2.html, section 4.1).
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
