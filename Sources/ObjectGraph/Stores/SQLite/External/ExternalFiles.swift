import Foundation
import Synchronization

/// The folder with the values of a store that are too large for its rows (spec §8.6).
///
/// A file is written once, under a new name, and never changed. It is written before the
/// transaction of its row commits, and removed after the commit that drops the reference to it. So
/// a crash leaves at most files without a reference, which the next opening removes (`sweep`).
final class ExternalFiles: Sendable {
    /// The path of the folder, with a slash at its end.
    let path: String

    /// Larger values go out.
    let threshold: Int

    /// The WAL of the store, whose commits may not be on the disk yet; nil if they are, or need not
    /// be.
    private let log: String?

    /// Whether the folder is that of another store, to whose files nothing must happen. Files that
    /// no row of this one needs stay too, until that other store is replaced by this one.
    let isBorrowed: Bool

    private let isSynchronized: Bool
    private let calls: FileCalls
    private let claim: FolderClaim
    private let state = Mutex(State())

    private struct State {
        /// The files that the open transaction has written.
        var written: Set<String> = []

        /// The references that it has added, less those that it has dropped, by file.
        var changes: [String: Int] = [:]

        /// The files without a reference that were not removed yet.
        var unreferenced: Set<String> = []

        /// Whether files may be left that are not among these.
        var leavesUnknown = false
    }

    /// - Parameters:
    ///   - support: The folder of this one.
    ///   - isBorrowed: Whether the folder is that of another store.
    ///   - threshold: Larger values go out.
    ///   - isSynchronized: Whether values are on the disk before their rows are.
    ///   - log: The WAL of the store.
    ///   - calls: The calls to the file system.
    init(
        in support: URL, isBorrowed: Bool = false, threshold: Int = .max,
        isSynchronized: Bool = true, log: String? = nil,
        calls: FileCalls = FileCalls()
    ) {
        path = support.appending(path: "_EXTERNAL_DATA").path + "/"
        self.isBorrowed = isBorrowed
        self.threshold = threshold
        self.isSynchronized = isSynchronized
        self.log = isSynchronized ? log : nil
        self.calls = calls
        claim = FolderClaim(
            path: support.appending(path: ".in-use").path, isSynchronized: isSynchronized,
            calls: calls)
    }

    /// `.NAME_SUPPORT` for a store `NAME.EXTENSION`, as Core Data calls it; or
    /// `.NAME.EXTENSION_SUPPORT` if that exists, since another store has the first.
    static func supportFolder(of store: URL) -> URL {
        // SQLite too keeps its files beside the target of a symbolic link.
        let file = store.absoluteURL.resolvingSymlinksInPath()
        let own = ownSupportFolder(of: store)
        if FileManager.default.fileExists(atPath: own.path) { return own }
        let name = file.deletingPathExtension().lastPathComponent
        return file.deletingLastPathComponent().appending(path: ".\(name)_SUPPORT")
    }

    /// Whether another store beside this one has the same folder: `App.sqlite` and `App.backup`.
    static func isSupportFolderShared(by url: URL) -> Bool {
        let file = url.absoluteURL.resolvingSymlinksInPath()
        let folder = file.deletingLastPathComponent()
        let support = supportFolder(of: file)
        let found = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        return (found ?? []).contains { name in
            let other = folder.appending(path: name)
            return name != file.lastPathComponent
                && !name.hasPrefix(file.lastPathComponent + "-")
                && other.deletingPathExtension().lastPathComponent
                    == file.deletingPathExtension().lastPathComponent
                && supportFolder(of: other) == support
                && DatabaseFile.isDatabase(path: other.path)
        }
    }

    /// The folder that no other store can have.
    static func ownSupportFolder(of store: URL) -> URL {
        let file = store.absoluteURL.resolvingSymlinksInPath()
        return file.deletingLastPathComponent()
            .appending(path: ".\(file.lastPathComponent)_SUPPORT")
    }

    func file(_ name: String) -> String { path + name }

    func hasFile(_ name: String) -> Bool {
        ExternalData.isName(Array(name.utf8)) && access(file(name), F_OK) == 0
    }

    /// The names of all files.
    var names: Set<String> {
        let found = try? FileManager.default.contentsOfDirectory(atPath: path)
        return Set((found ?? []).filter { ExternalData.isName(Array($0.utf8)) })
    }

    /// The names of the files that this one has written, if the folder is borrowed.
    var writtenNames: Set<String> { state.withLock { $0.written } }

    // MARK: - Within a transaction

    /// Writes data to a new file.
    ///
    /// - Returns: Its name.
    func write(_ data: UnsafeRawBufferPointer) throws(FileFailure) -> String {
        let name = UUID().uuidString
        try write(data, name)
        return name
    }

    /// Copies a file of another folder, under its name. A file that is missing there is left out.
    func copy(_ name: String, from other: ExternalFiles) throws(FileFailure) {
        guard other.hasFile(name) else { return }
        guard let data = try? ExternalValue.data(at: other.file(name)) else {
            throw FileFailure(code: EIO, path: other.file(name))
        }
        // A crash in the middle of another copy may have left a part of the file.
        try calls.remove(file(name))
        let outcome: Result<Void, FileFailure> = data.withUnsafeBytes { bytes in
            Result { () throws(FileFailure) in try write(bytes, name) }
        }
        try outcome.get()
    }

    private func write(_ data: UnsafeRawBufferPointer, _ name: String) throws(FileFailure) {
        let span = TraceSpan()
        defer { span.end(.externalFile, count: data.count) }
        try hold()
        state.withLock { _ = $0.written.insert(name) }
        try calls.create(file(name), data, isSynchronized: isSynchronized)
    }

    /// Makes the files ready for the commit.
    ///
    /// - Parameter changes: The references that the transaction has added, less those that it has
    ///   dropped, by file.
    func prepareCommit(_ changes: [String: Int]) throws(FileFailure) {
        let hasWritten = state.withLock { state in
            state.changes = changes
            return !state.written.isEmpty
        }
        // A crash between the commit and the removal must leave a trace.
        if changes.values.contains(where: { $0 < 0 }) { try hold() }
        if hasWritten, isSynchronized { try calls.synchronize(path) }
    }

    /// Removes the files to which no row refers after the commit. Files that a reader of an earlier
    /// state needs are removed after a later commit, or when the store is closed.
    func committed() {
        if isBorrowed { return state.withLock { $0.changes = [:] } }
        state.withLock { state in
            state.unreferenced.formUnion(state.written)
            for (name, change) in state.changes {
                if change < 0 { state.unreferenced.insert(name) }
                if change > 0 { state.unreferenced.remove(name) }
            }
            state.written = []
            state.changes = [:]
        }
        removeUnreferenced()
    }

    /// Removes the files that the transaction has written.
    ///
    /// - Parameter mayHaveCommitted: Whether the commit itself failed. After a crash SQLite may
    ///   find the transaction complete, so the files stay until the next opening knows.
    func rolledBack(mayHaveCommitted: Bool) {
        if isBorrowed { return state.withLock { $0.changes = [:] } }
        let written: Set<String> = state.withLock { state in
            defer {
                state.written = []
                state.changes = [:]
            }
            if mayHaveCommitted { state.leavesUnknown = true }
            return mayHaveCommitted ? [] : state.written
        }
        // No state of the store refers to them.
        remove(written)
    }

    private func removeUnreferenced() {
        let names = state.withLock { $0.unreferenced }
        guard !names.isEmpty, let lock = FolderLock.removingFiles(in: path) else { return }
        defer { withExtendedLifetime(lock) {} }
        // If the system fails, the file must not be gone while the commit that drops it is lost.
        guard (try? synchronizeLog()) != nil else { return }
        remove(names)
    }

    private func synchronizeLog() throws(FileFailure) {
        let span = TraceSpan()
        defer { span.end(.sync) }
        if let log { try calls.synchronize(log) }
    }

    /// Removes files. Those that cannot be removed are left to the next time.
    private func remove(_ names: Set<String>) {
        let left = names.filter { (try? calls.remove(file($0))) == nil }
        state.withLock { state in
            state.unreferenced.subtract(names)
            state.unreferenced.formUnion(left)
        }
    }

    // MARK: - Between transactions

    /// Keeps all files, for a reader of the state that it will then begin to read.
    func keepingFiles() -> FolderLock? { FolderLock.keepingFiles(in: path) }

    /// Makes other processes wait before they clean up; until `close`.
    func hold() throws(FileFailure) { try claim.hold(path) }

    /// Removes what it can of the files without a reference. If any are left, the next opening
    /// removes them.
    func close() {
        removeUnreferenced()
        let isClean = state.withLock { !$0.leavesUnknown && $0.unreferenced.isEmpty }
        claim.release(leavesNothing: isClean)
    }

    /// Notes files that `close` removes.
    func drop(_ names: Set<String>) {
        state.withLock { $0.unreferenced.formUnion(names) }
    }

    /// Removes files that a process has left without a reference, if it ended in the middle of its
    /// work, no process writes to the folder now, and none reads an earlier state. An error leaves
    /// them for the next time.
    ///
    /// - Parameter references: The names of all files to which rows refer; nil if they cannot be
    ///   known.
    func sweep(keeping references: () throws -> Set<String>?) {
        guard !isBorrowed else { return }
        try? claim.cleanUp {
            guard let lock = FolderLock.removingFiles(in: path), let kept = try references() else {
                return false
            }
            defer { withExtendedLifetime(lock) {} }
            try synchronizeLog()
            let orphans = names.subtracting(kept)
            remove(orphans)
            return state.withLock { $0.unreferenced.isDisjoint(with: orphans) }
        }
    }

    /// Removes the folders if they are empty.
    func removeFolders() {
        rmdir(path)
        rmdir(URL(filePath: path).deletingLastPathComponent().path)
    }
}
