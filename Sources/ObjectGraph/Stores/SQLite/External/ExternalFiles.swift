import Foundation
import Synchronization

/// The folder with the values of a store that are too large for its rows (spec §8.6).
///
/// A file is written once, under a new name, and never changed. It is written before the
/// transaction of its row commits, and removed after the commit that drops the reference to it. So
/// a crash leaves at most files without a reference, which the next opening removes (`sweep`).
///
/// Temporary triggers report the references that a transaction adds and drops, so that this holds
/// for every way to write a row.
final class ExternalFiles: Sendable {
    /// The path of the folder, with a slash at its end.
    let path: String

    /// Larger values go out.
    let threshold: Int

    private let isSynchronized: Bool
    private let calls: FileCalls
    private let claim: FolderClaim
    private let state = Mutex(State())

    private struct State {
        /// The files that the open transaction has written.
        var written: Set<String> = []

        /// The references that the transaction has added, less those that it has dropped, by file.
        var references: [String: Int] = [:]

        /// The files without a reference that were not removed yet.
        var unreferenced: Set<String> = []

        /// Whether files may be left that are not among these.
        var leavesUnknown = false
    }

    /// - Parameters:
    ///   - support: The folder of this one.
    ///   - threshold: Larger values go out.
    ///   - isSynchronized: Whether values are on the disk before their rows are.
    ///   - calls: The calls to the file system.
    init(
        in support: URL, threshold: Int = .max, isSynchronized: Bool = true,
        calls: FileCalls = FileCalls()
    ) {
        path = support.appending(path: "_EXTERNAL_DATA").path + "/"
        self.threshold = threshold
        self.isSynchronized = isSynchronized
        self.calls = calls
        claim = FolderClaim(path: support.appending(path: ".in-use").path, calls: calls)
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
    var names: [String] {
        let found = try? FileManager.default.contentsOfDirectory(atPath: path)
        return (found ?? []).filter { ExternalData.isName(Array($0.utf8)) }
    }

    // MARK: - Within a transaction

    /// Writes data to a new file.
    ///
    /// - Returns: Its name.
    func write(_ data: UnsafeRawBufferPointer) throws(FileFailure) -> String {
        try claim.hold(beside: path)
        let name = UUID().uuidString
        state.withLock { _ = $0.written.insert(name) }
        try calls.create(file(name), data, isSynchronized: isSynchronized)
        return name
    }

    /// Notes that a row of the transaction has a new reference to a file, or drops it.
    func note(_ name: String, change: Int) {
        state.withLock { $0.references[name, default: 0] += change }
    }

    /// Makes the files ready for the commit.
    func prepareCommit() throws(FileFailure) {
        let (writes, drops) = state.withLock {
            (!$0.written.isEmpty, $0.references.values.contains { $0 < 0 })
        }
        // A crash between the commit and the removal must leave a trace.
        if drops { try claim.hold(beside: path) }
        if writes, isSynchronized { try calls.synchronize(folder: path) }
    }

    /// Removes the files to which no row refers after the commit.
    ///
    /// - Parameter keepsFiles: Whether readers of earlier states need them still. Then a later
    ///   commit removes them, or the closing of the store.
    func committed(keepsFiles: Bool) {
        state.withLock { state in
            state.unreferenced.formUnion(state.written)
            for (name, change) in state.references {
                if change < 0 { state.unreferenced.insert(name) }
                if change > 0 { state.unreferenced.remove(name) }
            }
            state.written = []
            state.references = [:]
        }
        if !keepsFiles { removeUnreferenced() }
    }

    /// Removes the files that the transaction has written.
    ///
    /// - Parameter mayHaveCommitted: Whether the commit itself failed. After a crash SQLite may
    ///   find the transaction complete, so the files stay until the next opening knows.
    func rolledBack(mayHaveCommitted: Bool) {
        state.withLock { state in
            if mayHaveCommitted {
                state.leavesUnknown = true
            } else {
                state.unreferenced.formUnion(state.written)
            }
            state.written = []
            state.references = [:]
        }
        if !mayHaveCommitted { removeUnreferenced() }
    }

    private func removeUnreferenced() {
        let names = state.withLock { $0.unreferenced }
        for name in names where (try? calls.remove(file(name))) != nil {
            state.withLock { _ = $0.unreferenced.remove(name) }
        }
    }

    // MARK: - Between transactions

    func close() {
        removeUnreferenced()
        let isClean = state.withLock { !$0.leavesUnknown && $0.unreferenced.isEmpty }
        claim.release(leavesNothing: isClean)
    }

    /// Makes other processes wait before they clean up; until `close`.
    func hold() throws(FileFailure) { try claim.hold(beside: path) }

    /// Removes files that a process has left without a reference, if it ended in the middle of its
    /// work and no process writes to the folder now. An error leaves them for the next time.
    ///
    /// - Parameter references: The names of all files to which rows refer; nil if they cannot be
    ///   known.
    func sweep(keeping references: () throws -> Set<String>?) {
        try? claim.cleanUp {
            guard let kept = try references() else { return false }
            return remove(names.filter { !kept.contains($0) })
        }
    }

    /// - Returns: Whether all are gone.
    @discardableResult
    func remove(_ names: some Sequence<String>) -> Bool {
        names.reduce(true) { areGone, name in
            (try? calls.remove(file(name))) != nil && areGone
        }
    }

    /// Copies a file of another folder, under its name. A file that is missing there is left out.
    func copy(_ name: String, from other: ExternalFiles) throws(FileFailure) {
        guard other.hasFile(name), !hasFile(name) else { return }
        guard let data = try? ExternalValue.data(at: other.file(name)) else {
            throw FileFailure(code: EIO, path: other.file(name))
        }
        let outcome: Result<Void, FileFailure> = data.withUnsafeBytes { bytes in
            Result { () throws(FileFailure) in
                try calls.create(file(name), bytes, isSynchronized: isSynchronized)
            }
        }
        do throws(FileFailure) { try outcome.get() } catch {
            remove([name])
            throw error
        }
    }

    /// Removes the folders if they are empty.
    func removeFolders() {
        rmdir(path)
        rmdir(URL(filePath: path).deletingLastPathComponent().path)
    }
}
