import Foundation

/// The file of a store as it was when the store was opened.
struct OpenedFile {
    private let path: String
    private let state: FileState?

    /// Whether the file is open with `immutable=1`; SQLite then takes no locks.
    var isReadWithoutLocks = false

    init(_ url: URL) {
        path = url.path
        state = FileState(path: url.path)
    }

    /// Whether the same file is still at the path.
    var isInPlace: Bool {
        guard let state else { return true }
        return FileState(path: path)?.isOfSameFile(as: state) ?? false
    }

    /// Whether a file that is read without locks is unchanged.
    var isUnchanged: Bool { !isReadWithoutLocks || FileState(path: path) == state }
}
