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
    /// So many bytes and more are a page; less is a header or a counter.
    private static let smallestPage: Int32 = 512
    private static let frameHeaderSize: Int32 = 24

    static let counts = FileCounts()
    fileprivate static let original = Original()

    /// Takes the place of the default file system; to be called before any database is opened.
    static func install() {
        let layer = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        layer.initialize(to: original.system.pointee)
        layer.pointee.szOsFile += Int32(MemoryLayout<FileNote>.stride)
        layer.pointee.zName = UnsafePointer(strdup("counting"))
        layer.pointee.xOpen = open
        sqlite3_vfs_register(layer, 1)
    }

    private static let open:
        @convention(c) (
            UnsafeMutablePointer<sqlite3_vfs>?, UnsafePointer<CChar>?,
            UnsafeMutablePointer<sqlite3_file>?, Int32, UnsafeMutablePointer<Int32>?
        ) -> Int32 = { _, name, file, flags, flagsOut in
            let system = original.system
            let code = system.pointee.xOpen(system, name, file, flags, flagsOut)
            // Without methods, SQLite does not close it.
            guard let file, let methods = file.pointee.pMethods else { return code }
            let kind: FileNote.Kind =
                flags & SQLITE_OPEN_WAL != 0
                ? .log : flags & SQLITE_OPEN_MAIN_DB != 0 ? .database : .other
            note(of: file).initialize(to: FileNote(methods: methods, kind: kind))
            file.pointee.pMethods = original.counting(methods)
            return code
        }

    fileprivate static func note(
        of file: UnsafeMutablePointer<sqlite3_file>
    ) -> UnsafeMutablePointer<FileNote> {
        (UnsafeMutableRawPointer(file) + Int(original.system.pointee.szOsFile))
            .assumingMemoryBound(to: FileNote.self)
    }

    // MARK: Methods of files

    fileprivate static func replaceMethods(in methods: inout sqlite3_io_methods) {
        methods.xRead = { file, buffer, size, offset in
            let note = note(of: file!)
            if size >= smallestPage, note.pointee.kind != .other {
                counts.pagesRead.add(1, ordering: .relaxed)
            }
            return note.pointee.methods.pointee.xRead(file, buffer, size, offset)
        }
        methods.xWrite = { file, buffer, size, offset in
            let note = note(of: file!)
            if let buffer { count(buffer, size, in: note.pointee.kind) }
            return note.pointee.methods.pointee.xWrite(file, buffer, size, offset)
        }
        methods.xSync = { file, flags in
            counts.syncs.add(1, ordering: .relaxed)
            return note(of: file!).pointee.methods.pointee.xSync(file, flags)
        }
        methods.xLock = { file, level in
            counted(note(of: file!).pointee.methods.pointee.xLock(file, level))
        }
        methods.xFileControl = { file, operation, argument in
            if operation == SQLITE_FCNTL_CKPT_START {
                counts.checkpoints.add(1, ordering: .relaxed)
            }
            return note(of: file!).pointee.methods.pointee.xFileControl(file, operation, argument)
        }
        guard methods.xShmLock != nil else { return }
        methods.xShmLock = { file, offset, count, flags in
            counted(note(of: file!).pointee.methods.pointee.xShmLock(file, offset, count, flags))
        }
    }

    private static func count(_ bytes: UnsafeRawPointer, _ size: Int32, in kind: FileNote.Kind) {
        if kind != .other, size >= smallestPage { counts.pagesWritten.add(1, ordering: .relaxed) }
        guard kind == .log else { return }
        counts.walBytes.add(Int64(size), ordering: .relaxed)
        // Bytes 4 to 7 of a frame's header are the size of the database after a commit, and 0 in
        // all frames but the last of a transaction (sqlite.org/fileformat2.html, section 4.1).
        if size == frameHeaderSize, bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self) != 0 {
            counts.transactions.add(1, ordering: .relaxed)
        }
    }

    private static func counted(_ code: Int32) -> Int32 {
        if code & 0xFF == SQLITE_BUSY { counts.refusedLocks.add(1, ordering: .relaxed) }
        return code
    }
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
    // registered, and our tables are written before anybody gets their address.
    let system: UnsafeMutablePointer<sqlite3_vfs> = sqlite3_vfs_find(nil)
    private let tables = Mutex<[UnsafeRawPointer: UnsafeRawPointer]>([:])

    /// The table whose methods count and then call those of `methods`.
    func counting(
        _ methods: UnsafePointer<sqlite3_io_methods>
    ) -> UnsafePointer<sqlite3_io_methods> {
        let table = tables.withLock { tables in
            if let known = tables[methods] { return known }
            let table = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
            table.initialize(to: methods.pointee)
            CountingFileSystem.replaceMethods(in: &table.pointee)
            tables[methods] = UnsafeRawPointer(table)
            return UnsafeRawPointer(table)
        }
        return table.assumingMemoryBound(to: sqlite3_io_methods.self)
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
